// ROUGE-N, ROUGE-L and ROUGE-Lsum: precision, recall and F of each segment, equal to rouge_score 0.1.2's.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <bitset>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "overlaps.hpp"
#include "rouge_scores.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

class RougeN {
public:
    RougeN(std::size_t order, std::shared_ptr<const NgramOverlaps> overlaps)
        : order_(order), overlaps_(std::move(overlaps)) {}

    void segment(const TokenBatch& batch, std::size_t s, std::vector<Overlap>& overlaps) const {
        const std::size_t hypothesis = ngrams(batch.hypothesis(s)), first = batch.segment_text[s] + 1;
        for (std::size_t j = 0; j < batch.references(s); ++j)
            overlaps[j] =
                Overlap::of(overlaps_->in_text(first + j)[order_ - 1], hypothesis, ngrams(batch.reference(s, j)));
    }

private:
    std::size_t ngrams(Span text) const { return text.size >= order_ ? text.size - order_ + 1 : 0; }

    std::size_t order_;
    std::shared_ptr<const NgramOverlaps> overlaps_;
};

std::size_t ones(std::uint64_t bits) { return std::bitset<64>(bits).count(); }

// Where each symbol of a pattern stands, one bit a position: the alphabet of the bit-parallel LCS (Hyyrö 2004).
class Positions {
public:
    void set(Span pattern, std::size_t own) {
        own_ = own;
        words_ = (pattern.size + 63) / 64;
        bits_.assign((own + 1) * words_, 0);
        for (std::size_t i = 0; i < pattern.size; ++i)
            bits_[pattern[i] * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    // Symbols from `own` on share the last entry, which is empty.
    const std::uint64_t* of(std::size_t id) const { return bits_.data() + std::min(id, own_) * words_; }
    std::size_t words() const { return words_; }

private:
    std::size_t own_ = 0, words_ = 0;
    std::vector<std::uint64_t> bits_;
};

// The next row of the LCS table. A row is kept as its steps: a zero at bit j where the length grows from column j to
// j + 1. The carries of the addition are the steps between the rows: bit j of `carries` (words + 1 of them, if wanted)
// is set where the length in column j is larger than in the row before.
void advance(std::uint64_t* row, const std::uint64_t* positions, std::size_t words, std::uint64_t* carries) {
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t before = row[w], hit = before & positions[w];
        const std::uint64_t partial = before + carry, sum = partial + hit;
        carry = (partial < before) | (sum < partial);
        if (carries) carries[w] = before ^ hit ^ sum;
        row[w] = sum | (before & ~positions[w]);
    }
    if (carries) carries[words] = carry;
}

class RougeL {
public:
    void segment(const TokenBatch& batch, std::size_t s, std::vector<Overlap>& overlaps) {
        const Span hypothesis = batch.hypothesis(s);
        positions_.set(hypothesis, own_ids(hypothesis));
        for (std::size_t j = 0; j < batch.references(s); ++j) {
            const Span reference = batch.reference(s, j);
            overlaps[j] = Overlap::of(lcs(reference), hypothesis.size, reference.size);
        }
    }

private:
    std::size_t lcs(Span reference) {
        const std::size_t words = positions_.words();
        if (words == 1) {
            std::uint64_t row = ~std::uint64_t{0};
            for (std::uint32_t id : reference) {
                const std::uint64_t hit = row & *positions_.of(id);
                row = (row + hit) | (row - hit);
            }
            return ones(~row);
        }
        row_.assign(words, ~std::uint64_t{0});
        for (std::uint32_t id : reference) advance(row_.data(), positions_.of(id), words, nullptr);
        std::size_t length = 0;
        for (std::uint64_t bits : row_) length += ones(~bits);
        return length;
    }

    Positions positions_;
    std::vector<std::uint64_t> row_;
};

// The union LCS of each reference sentence with all hypothesis sentences, counted no more often than the hypothesis
// has the token.
class RougeLsum {
public:
    void segment(const TokenBatch& batch, std::size_t s, std::vector<Overlap>& overlaps) {
        const std::size_t own = own_ids(batch.hypothesis(s)), count = batch.references(s);
        const std::size_t hypothesis = batch.segment_text[s], first = hypothesis + 1;
        const std::size_t base = batch.text_start[first], end = batch.text_start[first + count];
        in_union_.assign(end - base, 0);
        for (std::size_t h = 0; h < sentences(batch, hypothesis); ++h) {
            const Span mine = sentence(batch, hypothesis, h);
            positions_.set(mine, own);
            for (std::size_t t = first; t < first + count; ++t)
                for (std::size_t r = 0; r < sentences(batch, t); ++r) {
                    const Span theirs = sentence(batch, t, r);
                    mark(theirs, mine, in_union_.data() + (theirs.data - batch.ids.data()) - base);
                }
        }
        for (std::size_t j = 0; j < count; ++j) {
            const Span reference = batch.reference(s, j), tokens = batch.hypothesis(s);
            const char* hit = in_union_.data() + (batch.text_start[first + j] - base);
            overlaps[j] = Overlap::of(clipped(tokens, reference, hit, own), tokens.size, reference.size);
        }
    }

private:
    static std::size_t sentences(const TokenBatch& batch, std::size_t t) {
        return batch.text_sentence[t + 1] - batch.text_sentence[t];
    }
    static Span sentence(const TokenBatch& batch, std::size_t t, std::size_t k) {
        const std::size_t at = batch.text_sentence[t] + k, start = batch.sentence_start[at];
        return {batch.ids.data() + start, batch.sentence_start[at + 1] - start};
    }

    // Mark one LCS in the reference sentence. Of several of equal length it must be the one rouge_score's backtracking
    // finds: from the end, step back in the reference unless only a step back in the hypothesis keeps the length.
    void mark(Span reference, Span hypothesis, char* hit) {
        if (!reference.size || !hypothesis.size) return;
        const std::size_t words = positions_.words(), width = words + 1;
        row_.assign(words, ~std::uint64_t{0});
        carries_.resize(std::max(carries_.size(), reference.size * width));
        for (std::size_t i = 0; i < reference.size; ++i)
            advance(row_.data(), positions_.of(reference[i]), words, carries_.data() + i * width);
        std::size_t i = reference.size, j = hypothesis.size, left_to_find = 0;
        for (std::uint64_t bits : row_) left_to_find += ones(~bits);
        while (left_to_find > 0) {  // no branch inside depends on the text
            const bool same = reference[i - 1] == hypothesis[j - 1];
            const bool grown = carries_[(i - 1) * width + j / 64] >> (j % 64) & 1;
            hit[i - 1] |= same;
            i -= same | !grown;
            j -= same | grown;
            left_to_find -= same;
        }
    }

    std::size_t clipped(Span hypothesis, Span reference, const char* hit, std::size_t own) {
        left_.assign(own + 1, 0);  // the last one is never filled: for tokens outside the union
        for (std::uint32_t id : hypothesis) ++left_[id];
        std::size_t matched = 0;
        for (std::size_t i = 0; i < reference.size; ++i) {
            std::uint32_t& left = left_[hit[i] ? reference[i] : own];
            const bool counts = left > 0;
            left -= counts;
            matched += counts;
        }
        return matched;
    }

    Positions positions_;
    std::vector<std::uint64_t> row_, carries_;
    std::vector<char> in_union_;
    std::vector<std::uint32_t> left_;
};

}  // namespace

void bind_rouge(py::module_& module) {
    module.def(
        "rouge_n_rows",
        [](const TokenBatch& tokens, std::size_t order, const std::string& multi, bool jackknife, double beta,
           int jobs) {
            if (order == 0) throw py::value_error("the order of ROUGE-N must be at least 1");
            std::shared_ptr<const NgramOverlaps> overlaps;
            {
                py::gil_scoped_release unlocked;
                overlaps = ngram_overlaps(tokens, static_cast<unsigned>(order), jobs);
            }
            const RougeRule rule{multi_rule(multi), jackknife, beta, 1, true};
            return rouge_rows(tokens, RougeN(order, std::move(overlaps)), rule, jobs);
        },
        py::arg("tokens"), py::arg("order"), py::arg("multi"), py::arg("jackknife"), py::arg("beta"), py::arg("jobs"));
    module.def(
        "rouge_l_rows",
        [](const TokenBatch& tokens, const std::string& multi, bool jackknife, double beta, int jobs) {
            return rouge_rows(tokens, RougeL(), {multi_rule(multi), jackknife, beta}, jobs);
        },
        py::arg("tokens"), py::arg("multi"), py::arg("jackknife"), py::arg("beta"), py::arg("jobs"));
    module.def(
        "rouge_lsum_rows",
        [](const TokenBatch& tokens, const std::string& multi, bool jackknife, double beta, int jobs) {
            if (tokens.size() && tokens.text_sentence.empty())
                throw py::value_error("ROUGE-Lsum needs a batch tokenised with its sentences");
            return rouge_rows(tokens, RougeLsum(), {multi_rule(multi), jackknife, beta}, jobs);
        },
        py::arg("tokens"), py::arg("multi"), py::arg("jackknife"), py::arg("beta"), py::arg("jobs"));
}

}  // namespace nlgauge
