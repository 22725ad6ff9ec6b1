// WordNet's database files, indexed in memory: the synonyms of a word. nlgauge.lexicons.wordnet opens the files and is
// the readable twin.
#pragma once
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlgauge {

class WordNet {
public:
    // For each part of speech (index, exceptions, rules of detachment, data, whether it is that of adjectives); the
    // files are buffers, which are held and not copied.
    explicit WordNet(const pybind11::sequence& parts);

    // Adds the single words that share a synset with a word in lower case (UTF-8), some of them more than once. The
    // words are parts of the files. Needs no lock: nothing is written.
    void synonyms(std::string_view word, std::vector<std::string_view>& found) const;

private:
    static constexpr std::size_t kParts = 4;
    using Rules = std::vector<std::pair<std::string, std::string>>;  // ending, what takes its place

    struct Part {
        explicit Part(const pybind11::tuple& source);
        pybind11::buffer_info index_file, exception_file, data_file;
        std::string_view index, exceptions, data;
        Rules rules;
        bool adjective;
    };

    // What the files say of a form: of each part of speech what follows the form in its line, or nothing.
    struct Entry {
        std::string_view form;
        std::array<const char*, kParts> senses{};
        std::array<const char*, kParts> bases{};
    };

    void read(std::size_t part, std::string_view file, std::array<const char*, kParts> Entry::*column);
    std::size_t slot(std::string_view form) const;
    const Entry* find(std::string_view form) const;
    Entry& insert(std::string_view form);
    void grow();

    void add_senses(std::size_t part, const Entry* entry, std::vector<std::string_view>& found) const;
    void add_synset(const Part& part, std::size_t offset, std::vector<std::string_view>& found) const;

    std::vector<Part> parts_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;  // 0 is free, else the number of an entry and 1
};

}  // namespace nlgauge
