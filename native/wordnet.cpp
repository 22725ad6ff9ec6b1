#include "wordnet.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace py = pybind11;

namespace nlgauge {

namespace {

std::string_view bytes_of(const py::buffer_info& info) {
    return {static_cast<const char*>(info.ptr), static_cast<std::size_t>(info.size * info.itemsize)};
}

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t value = text.size() * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < text.size(); i += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, text.data() + i, std::min<std::size_t>(text.size() - i, 8));
        value = (value ^ part) * 0xbf58476d1ce4e5b9u;
        value ^= value >> 32;
    }
    return value;
}

// The rest of the line that a pointer into a file stands in.
std::string_view line_at(const char* at, std::string_view file) {
    const auto left = static_cast<std::size_t>(file.data() + file.size() - at);
    const void* end = std::memchr(at, '\n', left);
    return {at, end ? static_cast<std::size_t>(static_cast<const char*>(end) - at) : left};
}

// The next field of a line, whose fields blanks part; empty at its end.
std::string_view next_field(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \r"), line.size());
    const std::size_t end = std::min(line.find_first_of(" \r", begin), line.size());
    const std::string_view field = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return field;
}

std::size_t number_in(std::string_view field, int base = 10) {
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), number, base);
    if (error != std::errc() || stop != field.data() + field.size())
        throw std::invalid_argument("WordNet: a number was expected where a file has '" + std::string(field) + "'");
    return number;
}

std::string_view without_marker(std::string_view word) {
    for (const std::string_view marker : {"(a)", "(p)", "(ip)"})
        if (word.size() >= marker.size() && word.substr(word.size() - marker.size()) == marker)
            return word.substr(0, word.size() - marker.size());
    return word;
}

}  // namespace

WordNet::Part::Part(const py::tuple& source)
    : index_file(source[0].cast<py::buffer>().request()), exception_file(source[1].cast<py::buffer>().request()),
      data_file(source[3].cast<py::buffer>().request()), index(bytes_of(index_file)),
      exceptions(bytes_of(exception_file)), data(bytes_of(data_file)), rules(source[2].cast<Rules>()),
      adjective(source[4].cast<bool>()) {}

WordNet::WordNet(const py::sequence& parts) : slots_(std::size_t{1} << 12) {
    entries_.reserve(std::size_t{1} << 17);
    if (parts.size() != kParts) throw std::invalid_argument("WordNet has four parts of speech");
    for (const py::handle part : parts) parts_.emplace_back(py::reinterpret_borrow<py::tuple>(part));
    for (std::size_t k = 0; k < kParts; ++k) {
        read(k, parts_[k].index, &Entry::senses);
        read(k, parts_[k].exceptions, &Entry::bases);
    }
}

// Lines that begin with a blank are the licence.
void WordNet::read(std::size_t part, std::string_view file, std::array<const char*, kParts> Entry::*column) {
    for (const char *at = file.data(), *end = at + file.size(); at < end;) {
        std::string_view line = line_at(at, file);
        at += line.size() + 1;
        if (line.empty() || line[0] == ' ') continue;
        const std::string_view form = next_field(line);
        if (!form.empty()) (insert(form).*column)[part] = line.data();
    }
}

// The slot of a form, or the free one where it would stand.
std::size_t WordNet::slot(std::string_view form) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_of(form) & mask;
    while (slots_[at] && entries_[slots_[at] - 1].form != form) at = (at + 1) & mask;
    return at;
}

const WordNet::Entry* WordNet::find(std::string_view form) const {
    const std::uint32_t number = slots_[slot(form)];
    return number ? &entries_[number - 1] : nullptr;
}

WordNet::Entry& WordNet::insert(std::string_view form) {
    std::size_t at = slot(form);
    if (!slots_[at]) {
        if (2 * entries_.size() >= slots_.size()) {
            grow();
            at = slot(form);
        }
        entries_.push_back({form, {}, {}});
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
    }
    return entries_[slots_[at] - 1];
}

void WordNet::grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::size_t k = 0; k < entries_.size(); ++k) slots_[slot(entries_[k].form)] = static_cast<std::uint32_t>(k + 1);
}

// A line of the index: part of speech, number of synsets, number of pointers, the pointers, two numbers, the offsets.
void WordNet::add_senses(std::size_t part, const Entry* entry, std::vector<std::string_view>& found) const {
    if (!entry || !entry->senses[part]) return;
    std::string_view line = line_at(entry->senses[part], parts_[part].index);
    next_field(line);
    const std::size_t synsets = number_in(next_field(line));
    const std::size_t pointers = number_in(next_field(line));
    for (std::size_t k = 0; k < pointers + 2; ++k) next_field(line);
    for (std::size_t k = 0; k < synsets; ++k) add_synset(parts_[part], number_in(next_field(line)), found);
}

// A line of the data: offset, file, type, number of words (hexadecimal), words and numbers in turn.
void WordNet::add_synset(const Part& part, std::size_t offset, std::vector<std::string_view>& found) const {
    if (offset >= part.data.size()) throw std::invalid_argument("WordNet: an offset beyond the end of the data");
    std::string_view line = line_at(part.data.data() + offset, part.data);
    for (int k = 0; k < 3; ++k) next_field(line);
    const std::size_t count = number_in(next_field(line), 16);
    for (std::size_t k = 0; k < count; ++k) {
        std::string_view word = next_field(line);
        next_field(line);
        if (part.adjective) word = without_marker(word);
        if (word.find('_') == std::string_view::npos) found.push_back(word);
    }
}

void WordNet::synonyms(std::string_view word, std::vector<std::string_view>& found) const {
    const Entry* const entry = find(word);
    std::string base;
    for (std::size_t k = 0; k < kParts; ++k) {
        const Part& part = parts_[k];
        add_senses(k, entry, found);
        if (entry && entry->bases[k]) {
            std::string_view bases = line_at(entry->bases[k], part.exceptions);
            for (auto form = next_field(bases); !form.empty(); form = next_field(bases)) add_senses(k, find(form), found);
            continue;
        }
        for (const auto& [ending, written] : part.rules) {
            if (word.size() < ending.size() || word.substr(word.size() - ending.size()) != ending) continue;
            base.assign(word, 0, word.size() - ending.size()).append(written);
            add_senses(k, find(base), found);
        }
    }
}

void bind_wordnet(py::module_& module) {
    py::class_<WordNet>(module, "WordNet", "WordNet's files, indexed; see nlgauge.lexicons.wordnet.")
        .def(py::init<const py::sequence&>(), py::arg("parts"))
        .def("synonyms", [](const WordNet& net, const py::str& word) {
            const py::bytes letters = word.attr("lower")().attr("encode")("utf-8", "replace");
            std::vector<std::string_view> found;
            net.synonyms(static_cast<std::string_view>(letters), found);
            py::set result;
            for (const std::string_view lemma : found) result.add(py::str(lemma.data(), lemma.size()));
            return py::frozenset(result);
        });
}

}  // namespace nlgauge
