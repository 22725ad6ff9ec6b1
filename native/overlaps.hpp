// Clipped n-gram matches, kept with the batch they belong to: BLEU and ROUGE-N on the same tokens count them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tokens.hpp"

namespace nlgauge {

struct NgramOverlaps {
    unsigned order;  // n-grams of 1 to so many tokens were matched
    // Per segment and n: how many of the hypothesis's n-grams occur in its references, each as often as in the
    // reference that has it most.
    std::vector<std::uint32_t> pooled;
    // Per text and n: the same with this reference only (0 for hypotheses).
    std::vector<std::uint32_t> single;

    const std::uint32_t* in_segment(std::size_t s) const { return pooled.data() + s * order; }
    const std::uint32_t* in_text(std::size_t t) const { return single.data() + t * order; }
};

// Those found before, where they reach far enough; otherwise they are counted now and kept.
std::shared_ptr<const NgramOverlaps> ngram_overlaps(const TokenBatch& tokens, unsigned order, int jobs);

}  // namespace nlgauge
