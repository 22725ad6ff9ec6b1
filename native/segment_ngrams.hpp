// The n-grams of all texts of a segment, numbered: equal n-grams have equal numbers, whichever text they stand in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokens.hpp"

namespace nlgauge {

// The number of an n-gram follows from that of its first n - 1 words and its last word, so that no n-gram is hashed
// whole. Numbers run in order of first appearance: hypothesis first, then references. One per thread; nothing is
// allocated once the buffers have grown.
class SegmentNgrams {
   public:
    // Unigrams. `blank`: a text without words has one word, the same in all such texts.
    void begin(const TokenBatch& batch, std::size_t s, bool blank = false) {
        const std::size_t first = batch.segment_text[s], texts = batch.segment_text[s + 1] - first;
        const auto empty = static_cast<std::uint32_t>(batch.vocabulary(s));
        order_ = 1;
        start_.assign(1, 0);
        tokens_.clear();
        for (std::size_t t = 0; t < texts; ++t) {
            const Span text = batch.text(first + t);
            tokens_.insert(tokens_.end(), text.begin(), text.end());
            if (blank && text.size == 0) tokens_.push_back(empty);
            start_.push_back(tokens_.size());
        }
        width_ = empty + std::uint64_t{1};
        numbers_ = tokens_;
        distinct_ = empty + std::size_t{1};
        if (blank) renumber();  // the blank word's number would not be in order of appearance
    }

    // From n-grams to those one word longer.
    void next() {
        std::size_t positions = 0;
        for (std::size_t t = 0; t < texts(); ++t) positions += size(t);
        std::size_t capacity = 64;
        while (capacity < 2 * positions + 2) capacity *= 2;
        if (table_.size() < capacity) table_.assign(capacity, Entry{0, 0});
        const std::size_t mask = table_.size() - 1;
        used_.clear();
        std::uint32_t count = 0;
        for (std::size_t t = 0; t < texts(); ++t) {
            for (std::size_t i = start_[t]; i + order_ < start_[t + 1]; ++i) {
                const std::uint64_t key = numbers_[i] * width_ + tokens_[i + order_];
                std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 29) & mask;
                while (table_[at].number != 0 && table_[at].key != key) at = (at + 1) & mask;
                if (table_[at].number == 0) {
                    table_[at] = {key, ++count};
                    used_.push_back(at);
                }
                numbers_[i] = table_[at].number - 1;
            }
        }
        for (const std::size_t at : used_) table_[at].number = 0;
        distinct_ = count;
        ++order_;
    }

    std::size_t texts() const { return start_.size() - 1; }
    std::size_t distinct() const { return distinct_; }  // every number is smaller
    std::size_t size(std::size_t t) const {  // n-grams of text t; the hypothesis is text 0
        const std::size_t length = start_[t + 1] - start_[t];
        return length >= order_ ? length - order_ + 1 : 0;
    }
    const std::uint32_t* begin_of(std::size_t t) const { return numbers_.data() + start_[t]; }

    // counts[number] = occurrences in text t; `counts` is made as long as there are numbers.
    void count(std::size_t t, std::vector<std::uint32_t>& counts) const {
        counts.assign(distinct_, 0);
        add(t, counts);
    }
    void add(std::size_t t, std::vector<std::uint32_t>& counts) const {
        const std::uint32_t* const numbers = begin_of(t);
        for (std::size_t i = 0; i < size(t); ++i) ++counts[numbers[i]];
    }

   private:
    struct Entry {
        std::uint64_t key;
        std::uint32_t number;  // plus one; 0 where the entry is free
    };

    void renumber() {
        map_.assign(distinct_, 0);
        std::uint32_t count = 0;
        for (std::uint32_t& token : tokens_) {
            if (map_[token] == 0) map_[token] = ++count;
            token = map_[token] - 1;
        }
        numbers_ = tokens_;
        distinct_ = count;
    }

    std::size_t order_ = 1, distinct_ = 0;
    std::uint64_t width_ = 1;
    std::vector<std::size_t> start_, used_;
    std::vector<std::uint32_t> tokens_, numbers_, map_;
    std::vector<Entry> table_;
};

}  // namespace nlgauge
