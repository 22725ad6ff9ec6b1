#include "porter.hpp"

#include <string_view>

namespace nlgauge {

namespace {

bool is_vowel_letter(char32_t c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

using std::string_view;

struct Rule {
    string_view suffix;
    string_view replacement;
};

// A word under the knife. Letters are consonants unless a, e, i, o, u, or y after a consonant.
template <class Char>
class Stem {
public:
    Stem(Char* word, std::size_t length) : word_(word), length_(length) {}

    std::size_t length() const { return length_; }

    void run() {
        if (irregular()) return;
        plurals();
        past_and_gerund();
        final_y();
        double_suffixes();
        single_suffixes();
        endings();
        final_e();
        final_ll();
    }

private:
    bool ends(string_view suffix) const {
        if (suffix.size() > length_) return false;
        const Char* tail = word_ + length_;
        for (std::size_t i = 1; i <= suffix.size(); ++i)  // from the end, where most suffixes differ
            if (*(tail - i) != static_cast<Char>(suffix[suffix.size() - i])) return false;
        return true;
    }
    bool is(string_view word) const { return word.size() == length_ && ends(word); }

    void become(string_view replacement, std::size_t kept) {
        length_ = kept;
        for (const char c : replacement) word_[length_++] = static_cast<Char>(c);
    }
    void replace(string_view suffix, string_view replacement) { become(replacement, length_ - suffix.size()); }

    // Calls visit(is consonant) for the letters of the first `size` from left to right.
    template <class Visit>
    void classify(std::size_t size, Visit&& visit) const {
        bool consonant = false;
        for (std::size_t i = 0; i < size; ++i) {
            const Char c = word_[i];
            consonant = c == 'y' ? !consonant : !is_vowel_letter(c);
            visit(consonant);
        }
    }

    // Porter's m of the first `size` letters: how often a consonant follows a vowel.
    int measure(std::size_t size) const {
        int sequences = 0;
        bool after_vowel = false;
        classify(size, [&](bool consonant) {
            sequences += after_vowel && consonant;
            after_vowel = !consonant;
        });
        return sequences;
    }
    bool has_vowel(std::size_t size) const {
        bool found = false;
        classify(size, [&](bool consonant) { found |= !consonant; });
        return found;
    }
    bool consonant_at(std::size_t i) const {
        bool last = false;
        classify(i + 1, [&](bool consonant) { last = consonant; });
        return last;
    }
    bool ends_double_consonant() const {
        return length_ >= 2 && word_[length_ - 1] == word_[length_ - 2] && consonant_at(length_ - 1);
    }
    // Porter's *o; NLTK adds the words of two letters, vowel and consonant.
    bool ends_cvc(std::size_t size) const {
        if (size == 2) return !consonant_at(0) && consonant_at(1);
        if (size < 3) return false;
        const Char last = word_[size - 1];
        return consonant_at(size - 3) && !consonant_at(size - 2) && consonant_at(size - 1) && last != 'w' &&
               last != 'x' && last != 'y';
    }

    // The first rule whose suffix fits decides: it is applied if the rest has m > `above`, else nothing is.
    template <std::size_t N>
    bool first_fitting(const Rule (&rules)[N], int above) {
        for (const Rule& rule : rules) {
            if (!ends(rule.suffix)) continue;
            const std::size_t rest = length_ - rule.suffix.size();
            if (measure(rest) > above) become(rule.replacement, rest);
            return true;
        }
        return false;
    }

    bool irregular() {
        static constexpr Rule forms[] = {
            {"sky", "sky"},        {"skies", "sky"},         {"dying", "die"},          {"lying", "lie"},
            {"tying", "tie"},      {"news", "news"},         {"innings", "inning"},     {"inning", "inning"},
            {"outings", "outing"}, {"outing", "outing"},     {"cannings", "canning"},   {"canning", "canning"},
            {"howe", "howe"},      {"proceed", "proceed"},   {"exceed", "exceed"},      {"succeed", "succeed"}};
        for (const Rule& form : forms) {
            if (!is(form.suffix)) continue;
            become(form.replacement, 0);
            return true;
        }
        return false;
    }

    void plurals() {  // step 1a
        if (!ends("s")) return;
        if (ends("ies")) return replace("ies", length_ == 4 ? "ie" : "i");
        if (ends("sses")) return replace("sses", "ss");
        if (!ends("ss")) replace("s", "");
    }

    void past_and_gerund() {  // step 1b
        if (ends("ied")) return replace("ied", length_ == 4 ? "ie" : "i");
        if (ends("eed")) {
            if (measure(length_ - 3) > 0) replace("eed", "ee");
            return;
        }
        if (ends("ed") && has_vowel(length_ - 2)) {
            replace("ed", "");
        } else if (ends("ing") && has_vowel(length_ - 3)) {
            replace("ing", "");
        } else {
            return;
        }
        if (ends("at") || ends("bl") || ends("iz")) return become("e", length_);
        const Char last = word_[length_ - 1];
        if (ends_double_consonant()) {
            if (last != 'l' && last != 's' && last != 'z') --length_;
            return;
        }
        // NLTK writes the rule for double consonants as the suffix "*d" and then also compares it as text.
        if (ends("*d")) {
            replace("*d", "d");
            return;
        }
        if (measure(length_) == 1 && ends_cvc(length_)) become("e", length_);
    }

    void final_y() {  // step 1c, NLTK's version: after a consonant that is not the first letter
        if (ends("y") && length_ > 2 && consonant_at(length_ - 2)) word_[length_ - 1] = 'i';
    }

    void double_suffixes() {  // step 2
        static constexpr Rule rules[] = {
            {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},   {"izer", "ize"},
            {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},       {"ousli", "ous"},
            {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"},
            {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
            {"fulli", "ful"}};
        // NLTK applies "alli" first, and again to what it leaves.
        while (ends("alli") && measure(length_ - 4) > 0) replace("alli", "al");
        if (first_fitting(rules, 0)) return;
        // The l of "logi" counts with the stem, so that "geo" and "theo" behave like "archaeo".
        if (ends("logi") && measure(length_ - 3) > 0) replace("logi", "log");
    }

    void single_suffixes() {  // step 3
        static constexpr Rule rules[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                         {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
        first_fitting(rules, 0);
    }

    void endings() {  // step 4
        static constexpr Rule before_ion[] = {{"al", ""},   {"ance", ""}, {"ence", ""},  {"er", ""},
                                              {"ic", ""},   {"able", ""}, {"ible", ""},  {"ant", ""},
                                              {"ement", ""}, {"ment", ""}, {"ent", ""}};
        static constexpr Rule after_ion[] = {{"ou", ""},  {"ism", ""}, {"ate", ""}, {"iti", ""},
                                             {"ous", ""}, {"ive", ""}, {"ize", ""}};
        if (first_fitting(before_ion, 1)) return;
        if (ends("ion")) {
            const std::size_t rest = length_ - 3;
            if (measure(rest) > 1 && (word_[rest - 1] == 's' || word_[rest - 1] == 't')) length_ = rest;
            return;
        }
        first_fitting(after_ion, 1);
    }

    void final_e() {  // step 5a
        if (!ends("e")) return;
        const int m = measure(length_ - 1);
        if (m > 1 || (m == 1 && !ends_cvc(length_ - 1))) --length_;
    }

    void final_ll() {  // step 5b
        if (ends("ll") && measure(length_ - 1) > 1) --length_;
    }

    Char* word_;
    std::size_t length_;
};

}  // namespace

template <class Char>
std::size_t porter(Char* word, std::size_t length) {
    if (length <= 2) return length;
    Stem<Char> stem(word, length);
    stem.run();
    return stem.length();
}

template std::size_t porter(std::uint8_t* word, std::size_t length);
template std::size_t porter(char32_t* word, std::size_t length);

}  // namespace nlgauge
