#include "overlaps.hpp"

#include "ngram_trie.hpp"
#include "text_view.hpp"

namespace nlgauge {

namespace {

std::shared_ptr<const NgramOverlaps> count_overlaps(const TokenBatch& tokens, unsigned order, int jobs) {
    const std::size_t texts = tokens.segment_text.empty() ? 0 : tokens.segment_text.back();
    auto found = std::make_shared<NgramOverlaps>();
    found->order = order;
    found->pooled.resize(tokens.size() * order);
    found->single.resize(texts * order);
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        NgramTrie trie;
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            if (hypothesis.size == 0) continue;
            trie.build(hypothesis, order);
            std::uint32_t* const pooled = found->pooled.data() + s * order;
            std::uint32_t* single = found->single.data() + (tokens.segment_text[s] + 1) * order;
            for (std::size_t j = 0; j < tokens.references(s); ++j, single += order)
                trie.match(tokens.reference(s, j), static_cast<std::uint32_t>(j + 1), single, pooled);
        }
    });
    return found;
}

}  // namespace

// Two threads may count at once and one result is dropped: both are the same.
std::shared_ptr<const NgramOverlaps> ngram_overlaps(const TokenBatch& tokens, unsigned order, int jobs) {
    std::shared_ptr<const NgramOverlaps> found = std::atomic_load(&tokens.overlaps);
    if (!found || found->order < order) {
        found = count_overlaps(tokens, order, jobs);
        std::atomic_store(&tokens.overlaps, found);
    }
    return found;
}

}  // namespace nlgauge
