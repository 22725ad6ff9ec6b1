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
    // Says that number(token) will be asked soon: where it looks is rarely in the cache.
    void expect(const Token& token) const {
#if defined(__GNUC__)
        __builtin_prefetch(&slots_[token.hash & (slots_.size() - 1)]);
#else
        (void)token;
#endif
    }
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
        if (!is_plain(token)) return of_other(token);
        const std::int32_t form = forms_.number(lower_ ? lowered(token) : token);
        return {form, stem_of(form)};
    }

    void expect(const Token& token) const { forms_.expect(token); }

    // The forms that share a synset with a stem; valid until the next call.
    Synonyms synonyms(std::int32_t stem);

    std::size_t forms() const { return forms_.size(); }

private:
    static constexpr std::int32_t kUnknown = -1;
    static constexpr std::uint64_t kBeyondAscii = 0x8080808080808080u;

    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool known = false;
    };

    // ASCII, up to 16 letters: nearly every word, and worth a way of its own.
    static bool is_plain(const Token& token) {
        return token.width() == 1 && !token.is_long() && ((token.low | token.high) & kBeyondAscii) == 0;
    }
    static std::uint64_t lower_eight(std::uint64_t letters) {  // all of them ASCII
        const std::uint64_t from_a = letters + 0x3f3f3f3f3f3f3f3fu, above_z = letters + 0x2525252525252525u;
        return letters | ((from_a & ~above_z & kBeyondAscii) >> 2);
    }
    static Token lowered(const Token& token) {
        const std::uint64_t low = lower_eight(token.low), high = lower_eight(token.high);
        if (low == token.low && high == token.high) return token;
        return {low, high, token.tag, mix(low, high, token.tag)};
    }

    std::int32_t stem_of(std::int32_t form) {
        const auto at = static_cast<std::size_t>(form);
        if (at >= stems_.size()) stems_.resize(2 * forms_.size(), kUnknown);
        if (stems_[at] == kUnknown) stems_[at] = plain_stem(forms_[form]);
        return stems_[at];
    }
    std::int32_t plain_stem(const Token& form);
    Word of_other(const Token& token);
    std::int32_t number(const std::vector<char32_t>& points);
    void look_up(const Token& stem);

    bool lower_;
    const WordNet* wordnet_;
    Forms forms_;  // words, stems and synonyms
    std::vector<std::int32_t> stems_;  // of plain forms, as far as they were asked for
    Forms others_;  // tokens that are not plain, as they stand in the texts
    std::vector<Word> other_words_;
    std::vector<Range> ranges_;
    std::vector<std::int32_t> synonyms_;
    std::vector<char32_t> points_;
    std::vector<std::string_view> found_;
    std::string letters_;
    Arena arena_;
};

}  // namespace nlgauge
