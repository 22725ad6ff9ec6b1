// The n-grams of a hypothesis, for BLEU, ROUGE-N and NIST.
//
// The n-grams of a hypothesis form a trie: a node is one distinct n-gram, its children extend it by a token. Token
// ids are local to a segment and the hypothesis comes first in their numbering, so that node t < root count is the
// unigram t and identity is exact, without hashing words. References only walk the trie, from each position until the
// first n-gram the hypothesis does not have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tokens.hpp"

namespace nlgauge {

struct NgramNode {
    std::uint32_t available;  // occurrences in the hypothesis
    std::uint32_t matched;    // of these, found in a reference: the largest number over the references so far
    std::uint32_t current;    // occurrences in the reference being read
    std::uint32_t reading;    // which reference `current` belongs to
};

// One per thread, reused from segment to segment: nothing is allocated once the buffers have grown.
class NgramTrie {
   public:
    void build(Span hypothesis, unsigned order);

    // Reads one reference; adds to single[n - 1] the clipped matches of order n, and to pooled[n - 1] those by which they
    // exceed what earlier references had. `reading` must differ from one reference to the next and must not be 0.
    void match(Span reference, std::uint32_t reading, std::uint32_t* single, std::uint32_t* pooled) {
        direct_ ? match_with<true>(reference, reading, single, pooled)
                : match_with<false>(reference, reading, single, pooled);
    }

    // The other way to use it, length by length and only as deep as wanted: `begin` makes the unigrams, `extend` adds
    // the hypothesis's occurrences of longer n-grams, `find` follows a reference, `count` counts what it has.
    void begin(Span hypothesis, unsigned order) {
        prepare(hypothesis, order);
        direct_ ? build_with<true>(hypothesis, 1) : build_with<false>(hypothesis, 1);
    }

    std::uint32_t extend(std::uint32_t node, std::uint32_t token) {
        return direct_ ? extend_with<true>(node, token) : extend_with<false>(node, token);
    }

    // 0 where the hypothesis has no such n-gram.
    std::uint32_t find(std::uint32_t node, std::uint32_t token) {
        return direct_ ? *child<true>(node, token) : *child<false>(node, token);
    }

    void count(std::uint32_t node, std::uint32_t reading) {
        NgramNode& seen = nodes_[node];
        if (seen.reading != reading) {
            seen.reading = reading;
            seen.current = 0;
        }
        seen.matched += ++seen.current > seen.matched && seen.matched < seen.available;
    }

    std::uint32_t roots() const { return roots_; }
    std::size_t most() const { return nodes_.size(); }  // every node's number is smaller
    std::uint32_t matched(std::uint32_t node) const { return nodes_[node].matched; }

    // Whether the node is visited for the first time since its matches were counted; no more may be counted after it.
    bool first_visit(std::uint32_t node) {
        const bool first = nodes_[node].reading != kVisited;
        nodes_[node].reading = kVisited;
        return first;
    }

   private:
    void prepare(Span hypothesis, unsigned order);
    template <bool direct>
    void build_with(Span hypothesis, unsigned order);
    template <bool direct>
    std::uint32_t extend_with(std::uint32_t node, std::uint32_t token);
    template <bool direct>
    void match_with(Span reference, std::uint32_t reading, std::uint32_t* single, std::uint32_t* pooled);
    template <bool direct>
    std::uint32_t* child(std::uint32_t node, std::uint32_t token);

    // Up to this many entries (64 KiB) a table indexed by [node][token] beats hashing: most segments are sentences.
    static constexpr std::size_t kDirectEntries = 1 << 14;
    static constexpr std::uint32_t kVisited = UINT32_MAX;

    unsigned order_ = 0;
    bool direct_ = true;
    std::uint32_t roots_ = 0;  // distinct tokens of the hypothesis
    std::size_t size_ = 0;
    std::vector<NgramNode> nodes_;
    std::vector<std::uint32_t> table_;      // direct: child of [node][token], 0 for none (a child is never node 0)
    std::vector<std::size_t> touched_;      // direct: entries to clear before the next segment
    std::vector<std::uint64_t> keys_;       // hashed: node and token of each slot, 0 for an empty slot
    std::vector<std::uint32_t> children_;   // hashed: the child stored in each slot, 0 while new
    unsigned shift_ = 0;
};

template <bool direct>
inline std::uint32_t* NgramTrie::child(std::uint32_t node, std::uint32_t token) {
    if constexpr (direct) return &table_[static_cast<std::size_t>(node) * roots_ + token];
    const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32 | token) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = (key * 0x9E3779B97F4A7C15u) >> shift_;
    while (keys_[slot] != key && keys_[slot] != 0) slot = (slot + 1) & mask;
    if (keys_[slot] == 0) children_[slot] = 0;
    return &children_[slot];
}

inline void NgramTrie::build(Span hypothesis, unsigned order) {
    prepare(hypothesis, order);
    direct_ ? build_with<true>(hypothesis, order) : build_with<false>(hypothesis, order);
}

inline void NgramTrie::prepare(Span hypothesis, unsigned order) {
    for (const std::size_t entry : touched_) table_[entry] = 0;
    touched_.clear();
    order_ = order;
    roots_ = hypothesis.size ? *std::max_element(hypothesis.begin(), hypothesis.end()) + 1 : 0;
    const std::size_t most = roots_ + hypothesis.size * std::min<std::size_t>(order - 1, hypothesis.size);
    if (most >= UINT32_MAX) throw std::length_error("a text is too long for n-grams of this order");
    if (nodes_.size() < most) nodes_.resize(most);
    direct_ = most * roots_ <= kDirectEntries;
    if (direct_) {
        if (table_.size() < most * roots_) table_.resize(most * roots_);
        return;
    }
    unsigned bits = 1;
    while ((std::size_t{1} << bits) < 2 * most) ++bits;
    shift_ = 64 - bits;
    keys_.assign(std::size_t{1} << bits, 0);
    children_.resize(keys_.size());
}

template <bool direct>
inline std::uint32_t NgramTrie::extend_with(std::uint32_t node, std::uint32_t token) {
    std::uint32_t* const entry = child<direct>(node, token);
    if (*entry == 0) {
        *entry = static_cast<std::uint32_t>(size_);
        if constexpr (direct)
            touched_.push_back(static_cast<std::size_t>(entry - table_.data()));
        else
            keys_[static_cast<std::size_t>(entry - children_.data())] = (static_cast<std::uint64_t>(node) << 32 | token) + 1;
        nodes_[size_++] = {0, 0, 0, 0};
    }
    ++nodes_[*entry].available;
    return *entry;
}

template <bool direct>
void NgramTrie::build_with(Span hypothesis, unsigned order) {
    for (std::uint32_t token = 0; token < roots_; ++token) nodes_[token] = {0, 0, 0, 0};
    size_ = roots_;
    const std::uint32_t* const end = hypothesis.end();
    for (const std::uint32_t* start = hypothesis.begin(); start != end; ++start) {
        std::uint32_t node = *start;
        ++nodes_[node].available;
        const std::uint32_t* const stop = start + std::min<std::ptrdiff_t>(order, end - start);
        for (const std::uint32_t* token = start + 1; token != stop; ++token) node = extend_with<direct>(node, *token);
    }
}

template <bool direct>
void NgramTrie::match_with(Span reference, std::uint32_t reading, std::uint32_t* single, std::uint32_t* pooled) {
    const std::uint32_t* const end = reference.end();
    for (const std::uint32_t* start = reference.begin(); start != end; ++start) {
        std::uint32_t node = *start;
        if (node >= roots_) continue;
        const std::uint32_t* const stop = start + std::min<std::ptrdiff_t>(order_, end - start);
        for (const std::uint32_t* token = start;;) {
            NgramNode& seen = nodes_[node];
            if (seen.reading != reading) {
                seen.reading = reading;
                seen.current = 0;
            }
            if (++seen.current <= seen.available) {
                ++single[token - start];
                if (seen.current > seen.matched) {
                    ++seen.matched;
                    ++pooled[token - start];
                }
            }
            if (++token == stop || *token >= roots_) break;
            node = *child<direct>(node, *token);
            if (node == 0) break;
        }
    }
}

inline double count_ngrams(std::size_t length, std::size_t n) {
    return length >= n ? static_cast<double>(length - n + 1) : 0;
}

}  // namespace nlgauge
