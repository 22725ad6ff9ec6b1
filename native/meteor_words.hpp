// The words that METEOR of 2007 meets, as numbers: of each its form, its stem and, once asked for, the synonyms of the
// stem. One thread fills it; the next batch begins a new one, so memory does not grow with the corpus.
#pragma once
#include <cstdint>
#include <vector>

#include "stems.hpp"
#include "vocabulary.hpp"
#include "wordnet.hpp"

namespace nlgauge {

// Distinct tokens, numbered in order of arrival.
class Forms {
public:
    Forms() : slots_(1024, kFree) {}

    std::int32_t number(const Token& token);
    const Token& operator[](std::int32_t number) const { return tokens_[static_cast<std::size_t>(number)]; }
    std::size_t size() const { return tokens_.size(); }

private:
    static constexpr std::int32_t kFree = -1;

    bool is(const Token& known, const Token& token) const;
    void add(const Token& token, std::size_t at);
    void grow();

    std::vector<std::int32_t> slots_;
    std::vector<Token> tokens_;
    Arena arena_;  // the letters of long tokens
};

class MeteorWords {
public:
    struct Word {
        std::int32_t form;  // as it is written or, if asked for, in lower case
        std::int32_t stem;  // NLTK's Porter stem, in lower case
    };
    struct Synonyms {
        const std::int32_t* begin_;
        const std::int32_t* end_;
        const std::int32_t* begin() const { return begin_; }
        const std::int32_t* end() const { return end_; }
    };

    // `wordnet` may be null: then there are no synonyms.
    MeteorWords(bool lower, const WordNet* wordnet) : lower_(lower), wordnet_(wordnet) {}

    Word of(const Token& token) {
        const auto number = static_cast<std::size_t>(tokens_.number(token));
        if (number == words_.size()) words_.push_back(make(token));
        return words_[number];
    }

    // The forms that share a synset with a stem; valid until the next call.
    Synonyms synonyms(std::int32_t stem);

    std::size_t forms() const { return forms_.size(); }

private:
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool known = false;
    };

    Word make(const Token& token);
    std::int32_t number(const std::vector<char32_t>& points);
    void look_up(const Token& stem);

    bool lower_;
    const WordNet* wordnet_;
    Forms tokens_;  // as they stand in the texts
    std::vector<Word> words_;
    Forms forms_;  // words, stems and synonyms
    std::vector<Range> ranges_;
    std::vector<std::int32_t> synonyms_;
    std::vector<char32_t> points_;
    std::vector<std::string_view> found_;
    std::string letters_;
    Arena arena_;
};

}  // namespace nlgauge
