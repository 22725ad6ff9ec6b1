// Stems of tokens, remembered from one text to the next.
#pragma once
#include <vector>

#include "vocabulary.hpp"

namespace nlgauge {

// As rouge_score does it: words of more than three characters are lower-cased and stemmed, others are left alone.
// Short words are looked up in a direct-mapped cache of fixed size, one per thread: vocabulary repeats.
class Stems {
public:
    // The stem of a token. `lowered` promises that the text is in lower case already.
    NLGAUGE_INLINE Token of(const Token& token, bool lowered, Arena& arena) {
        const Entry& entry = cache_[place(token)];
        const Token& word = entry.word;
        const bool known = ((word.low ^ token.low) | (word.high ^ token.high) | (word.tag ^ token.tag)) == 0;
        return known && !token.is_long() ? entry.stem : compute(token, lowered, arena);
    }

    // Must be called before `of`: the cache takes its memory only where there is something to stem.
    void prepare() {
        if (cache_.empty()) cache_.resize(kEntries);
    }

private:
    static constexpr std::size_t kEntries = std::size_t{1} << 14;

    struct alignas(64) Entry {
        Token word;
        Token stem;
    };

    static std::size_t place(const Token& token) { return (token.hash >> 40) & (kEntries - 1); }
    Token compute(Token token, bool lowered, Arena& arena);
    Token stem_any(const Token& token, bool lowered, Arena& arena);

    std::vector<Entry> cache_;
    std::vector<char32_t> points_;
};

// The code points of a token, whatever its width.
void decode(const Token& token, std::vector<char32_t>& points);

// Python's str.lower() of code points. Takes the interpreter's lock, which the caller must not hold, for a word outside
// ASCII.
void lower_points(std::vector<char32_t>& points);

}  // namespace nlgauge
