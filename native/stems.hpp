// Stems of tokens, remembered from one text to the next.
#pragma once
#include <vector>

#include "vocabulary.hpp"

namespace nlgauge {

// As rouge_score does it: words of more than three characters are lower-cased and stemmed, others are left alone.
// Short words are looked up in a direct-mapped cache of fixed size, one per thread: vocabulary repeats.
class Stems {
public:
    // Replaces a token and its hash by those of its stem. `lowered` promises that the text is in lower case already.
    void apply(Token& token, std::uint64_t& hash, bool lowered, Arena& arena) {
        if (token.is_long() || token.width() != 1) return compute(token, hash, lowered, arena);
        if (cache_.empty()) cache_.resize(kEntries);
        Entry& entry = cache_[(hash >> 40) & (kEntries - 1)];
        if ((entry.low != token.low) | (entry.high != token.high) | (entry.tag != token.tag)) {
            entry.low = token.low;
            entry.high = token.high;
            entry.tag = token.tag;
            compute(token, hash, lowered, arena);
            // Lower-casing can lengthen a word or take it out of Latin-1: such stems do not fit into an entry.
            if (token.is_long()) {
                entry.tag = 0;
                return;
            }
            entry.stem_low = token.low;
            entry.stem_high = token.high;
            entry.stem_tag = token.tag;
            entry.stem_hash = hash;
            return;
        }
        token = {entry.stem_low, entry.stem_high, entry.stem_tag, nullptr};
        hash = entry.stem_hash;
    }

private:
    static constexpr std::size_t kEntries = std::size_t{1} << 14;

    struct alignas(64) Entry {
        std::uint64_t low = 0, high = 0, tag = 0;
        std::uint64_t stem_low = 0, stem_high = 0, stem_tag = 0, stem_hash = 0;
    };

    void compute(Token& token, std::uint64_t& hash, bool lowered, Arena& arena);

    std::vector<Entry> cache_;
    std::vector<char32_t> points_;
};

// The code points of a token, whatever its width.
void decode(const Token& token, std::vector<char32_t>& points);

}  // namespace nlgauge
