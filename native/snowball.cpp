// The steps and lists of endings are those of the algorithm's published description (snowballstem.org), in its order.
#include "snowball.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "porter.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

// What must hold for an ending to be replaced.
enum class If { R1, R2, AFTER_L, AFTER_S_OR_T, AFTER_LI_LETTER };

struct Rule {
    std::string_view ending, written;
    If condition = If::R1;
};

// In every list an ending stands before those it ends with: the first that fits is the longest.
constexpr Rule STEP_2[] = {
    {"ational", "ate"},  {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
    {"tional", "tion"},  {"lessli", "less"}, {"biliti", "ble"},  {"ation", "ate"},   {"alism", "al"},
    {"aliti", "al"},     {"iviti", "ive"},   {"fulli", "ful"},   {"ousli", "ous"},   {"entli", "ent"},
    {"ogist", "og"},     {"enci", "ence"},   {"anci", "ance"},   {"abli", "able"},   {"alli", "al"},
    {"izer", "ize"},     {"ator", "ate"},    {"bli", "ble"},     {"ogi", "og", If::AFTER_L},
    {"li", "", If::AFTER_LI_LETTER},
};
constexpr Rule STEP_3[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"alize", "al"},          {"icate", "ic"}, {"iciti", "ic"},
    {"ical", "ic"},     {"ful", ""},        {"ative", "", If::R2}, {"ness", ""},
};
constexpr Rule STEP_4[] = {
    {"ement", "", If::R2}, {"ment", "", If::R2}, {"ance", "", If::R2}, {"ence", "", If::R2}, {"able", "", If::R2},
    {"ible", "", If::R2},  {"ant", "", If::R2},  {"ent", "", If::R2},  {"ism", "", If::R2},  {"ate", "", If::R2},
    {"iti", "", If::R2},   {"ous", "", If::R2},  {"ive", "", If::R2},  {"ize", "", If::R2},  {"al", "", If::R2},
    {"er", "", If::R2},    {"ic", "", If::R2},   {"ion", "", If::AFTER_S_OR_T},
};
// Words with a stem of their own, and beginnings after which the first region starts.
constexpr Rule WHOLE_WORDS[] = {
    {"skis", "ski"},    {"skies", "sky"},    {"idly", "idl"},   {"gently", "gentl"}, {"ugly", "ugli"},
    {"early", "earli"}, {"only", "onli"},    {"singly", "singl"}, {"sky", "sky"},    {"news", "news"},
    {"howe", "howe"},   {"atlas", "atlas"},  {"cosmos", "cosmos"}, {"bias", "bias"}, {"andes", "andes"},
};
constexpr std::string_view BEGINNINGS[] = {"arsen", "commun", "emerg", "gener",  "inter",
                                           "later", "organ",  "past",  "univers"};
constexpr std::string_view KEEP_EED[] = {"succ", "proc", "exc"};
constexpr std::string_view KEEP_ING[] = {"even", "cann", "inn", "earr", "herr", "out"};

template <class Char>
class EnglishWord {
public:
    EnglishWord(Char* word, std::size_t length) : word_(word), size_(length) {}

    std::size_t stem() {
        for (const Rule& rule : WHOLE_WORDS)
            if (is(size_, rule.ending)) return replace(0, rule.written), size_;
        if (size_ < 3) return size_;
        mark_consonant_y();
        find_regions();
        plural();
        past_and_participle();
        if (size_ > 2 && (last() == 'y' || last() == 'Y') && !is_vowel(size_ - 2)) word_[size_ - 1] = 'i';
        apply(STEP_2);
        apply(STEP_3);
        apply(STEP_4);
        last_letter();
        if (marked_) std::replace(word_, word_ + size_, Char('Y'), Char('y'));
        return size_;
    }

private:
    static bool in(Char letter, std::string_view letters) {
        return letter < 128 && letters.find(static_cast<char>(letter)) != std::string_view::npos;
    }
    bool is_vowel(std::size_t i) const { return in(word_[i], "aeiouy"); }
    bool has_vowel(std::size_t end) const {
        for (std::size_t i = 0; i < end; ++i)
            if (is_vowel(i)) return true;
        return false;
    }
    Char last() const { return word_[size_ - 1]; }

    // Whether the first `end` letters end with, or are, that string.
    bool ends(std::size_t end, std::string_view text) const {
        return text.size() <= end && std::equal(text.begin(), text.end(), word_ + (end - text.size()),
                                                [](char a, Char b) { return static_cast<Char>(a) == b; });
    }
    bool is(std::size_t end, std::string_view text) const { return end == text.size() && ends(end, text); }
    template <std::size_t N>
    bool is_one_of(std::size_t end, const std::string_view (&texts)[N]) const {
        return std::any_of(texts, texts + N, [&](std::string_view text) { return is(end, text); });
    }
    // The length without the first of the endings that fits, or `size_`.
    std::size_t without(std::initializer_list<std::string_view> endings) const {
        for (const std::string_view ending : endings)
            if (ends(size_, ending)) return size_ - ending.size();
        return size_;
    }
    // Nothing is ever replaced by something longer, so the word stays within its place.
    void replace(std::size_t begin, std::string_view text) {
        std::transform(text.begin(), text.end(), word_ + begin, [](char letter) { return static_cast<Char>(letter); });
        size_ = begin + text.size();
    }

    // A y at the start or after a vowel is a consonant; a capital marks it. An apostrophe at the start goes first.
    void mark_consonant_y() {
        if (word_[0] == '\'') {
            std::copy(word_ + 1, word_ + size_, word_);
            --size_;
        }
        for (std::size_t i = 0; i < size_; ++i)
            if (word_[i] == 'y' && (i == 0 || is_vowel(i - 1))) {
                word_[i] = 'Y';
                marked_ = true;
            }
    }

    // A region starts after the first consonant that follows a vowel.
    std::size_t region_after(std::size_t i) const {
        while (i < size_ && !is_vowel(i)) ++i;
        while (i < size_ && is_vowel(i)) ++i;
        return i < size_ ? i + 1 : NOWHERE;
    }
    void find_regions() {
        const std::size_t whole = size_;
        r1_ = NOWHERE;
        for (const std::string_view beginning : BEGINNINGS)
            if (beginning.size() <= size_ && ends(beginning.size(), beginning)) r1_ = beginning.size();
        if (r1_ == NOWHERE) r1_ = region_after(0);
        r2_ = r1_ == NOWHERE ? NOWHERE : region_after(r1_);
        r1_ = std::min(r1_, whole);
        r2_ = std::min(r2_, whole);
    }

    // A short syllable ends at `end`: a vowel between consonants, or one that starts the word before a consonant.
    bool is_short(std::size_t end) const {
        if (end >= 3 && !in(word_[end - 1], "aeiouywxY") && is_vowel(end - 2) && !is_vowel(end - 3)) return true;
        return (end == 2 && !is_vowel(1) && is_vowel(0)) || ends(end, "past");
    }

    void plural() {
        size_ = without({"'s'", "'s", "'"});
        if (ends(size_, "sses"))
            size_ -= 2;
        else if (ends(size_, "ied") || ends(size_, "ies"))
            size_ -= size_ > 4 ? 2 : 1;
        else if (ends(size_, "s") && !ends(size_, "us") && !ends(size_, "ss") && size_ > 2 && has_vowel(size_ - 2))
            --size_;
    }

    void past_and_participle() {
        const std::size_t eed = without({"eedly", "eed"});
        if (eed < size_) {
            if (r1_ <= eed && !is_one_of(eed, KEEP_EED)) size_ = eed + 2;
            return;
        }
        const std::size_t rest = without({"ingly", "edly", "ing", "ed"});
        if (rest == size_) return;
        if (ends(size_, "ing")) {
            if (rest == 2 && word_[1] == 'y' && !is_vowel(0)) return replace(1, "ie");  // dying, lying
            if (is_one_of(rest, KEEP_ING)) return;
        }
        if (!has_vowel(rest)) return;
        size_ = rest;
        repair();
    }

    // What is left of a verb gets back its e or loses its double letter.
    void repair() {
        if (ends(size_, "at") || ends(size_, "bl") || ends(size_, "iz")) return replace(size_, "e");
        const bool is_double = size_ > 1 && last() == word_[size_ - 2] && in(last(), "bdfgmnprt");
        if (is_double)
            size_ -= !(size_ == 3 && in(word_[0], "aeo"));  // add, egg, off
        else if (size_ == r1_ && is_short(size_))
            replace(size_, "e");
    }

    bool holds(If condition, std::size_t begin) const {
        const auto after = [&](std::string_view letters) { return begin > 0 && in(word_[begin - 1], letters); };
        switch (condition) {
            case If::R1: return r1_ <= begin;
            case If::R2: return r2_ <= begin;
            case If::AFTER_L: return r1_ <= begin && after("l");
            case If::AFTER_S_OR_T: return r2_ <= begin && after("st");
            case If::AFTER_LI_LETTER: return r1_ <= begin && after("cdeghkmnrt");
        }
        return false;
    }

    template <std::size_t N>
    void apply(const Rule (&rules)[N]) {
        for (const Rule& rule : rules) {
            if (!ends(size_, rule.ending)) continue;
            const std::size_t begin = size_ - rule.ending.size();
            if (holds(rule.condition, begin)) replace(begin, rule.written);
            return;  // only the longest ending is tried
        }
    }

    void last_letter() {
        if (size_ == 0) return;
        const std::size_t rest = size_ - 1;
        const bool e = last() == 'e' && (r2_ <= rest || (r1_ <= rest && !is_short(rest)));
        const bool l = last() == 'l' && r2_ <= rest && rest > 0 && word_[rest - 1] == 'l';
        size_ -= e || l;
    }

    static constexpr std::size_t NOWHERE = static_cast<std::size_t>(-1);
    Char* word_;
    std::size_t size_;
    std::size_t r1_ = 0, r2_ = 0;  // where the two regions start
    bool marked_ = false;
};

template <class Char, class Stem>
py::object stemmed(const py::handle& word, int kind, std::vector<Char>& letters, Stem stem) {
    const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(word.ptr()));
    const void* data = PyUnicode_DATA(word.ptr());
    letters.resize(size);
    for (std::size_t i = 0; i < size; ++i)
        letters[i] = static_cast<Char>(PyUnicode_READ(kind, data, static_cast<Py_ssize_t>(i)));
    const std::size_t length = stem(letters.data(), size);
    PyObject* result = PyUnicode_FromKindAndData(sizeof(Char), letters.data(), static_cast<Py_ssize_t>(length));
    if (!result) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
}

template <class Stem>
py::list stem_words(const py::sequence& words, Stem stem) {
    py::list stems(py::len(words));
    std::vector<std::uint8_t> narrow;
    std::vector<char32_t> wide;
    for (std::size_t i = 0; i < stems.size(); ++i) {
        const py::object word = words[i];
        if (!PyUnicode_Check(word.ptr())) throw py::type_error("a word must be a string");
        const int kind = PyUnicode_KIND(word.ptr());
        stems[i] = kind == PyUnicode_1BYTE_KIND ? stemmed(word, kind, narrow, stem) : stemmed(word, kind, wide, stem);
    }
    return stems;
}

}  // namespace

template <class Char>
std::size_t snowball_english(Char* word, std::size_t length) {
    return length ? EnglishWord<Char>(word, length).stem() : 0;
}
template std::size_t snowball_english(std::uint8_t* word, std::size_t length);
template std::size_t snowball_english(char32_t* word, std::size_t length);

void bind_snowball(py::module_& module) {
    module.def("stem_english", [](const py::sequence& words) {
        return stem_words(words, [](auto* word, std::size_t size) { return snowball_english(word, size); });
    });
    // Porter's, for words in lower case.
    module.def("stem_porter", [](const py::sequence& words) {
        return stem_words(words, [](auto* word, std::size_t size) { return size ? porter(word, size) : size; });
    });
}

}  // namespace nlgauge
