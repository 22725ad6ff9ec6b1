// ROUGE-W, ROUGE-S and ROUGE-SU: equal to ROUGE-1.5.5.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rouge_scores.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

// The positions of each token of a text, for the tokens the hypothesis has.
class Occurrences {
public:
    void set(Span text, std::size_t own) {
        start_.assign(own + 1, 0);
        for (std::uint32_t id : text)
            if (id < own) ++start_[id + 1];
        for (std::size_t id = 0; id < own; ++id) start_[id + 1] += start_[id];
        position_.resize(std::max(position_.size(), text.size));
        next_.assign(start_.begin(), start_.end());
        for (std::size_t i = 0; i < text.size; ++i)
            if (text[i] < own) position_[next_[text[i]]++] = i;
    }
    const std::size_t* begin(std::size_t id) const { return position_.data() + start_[id]; }
    const std::size_t* end(std::size_t id) const { return position_.data() + start_[id + 1]; }
    std::size_t count(std::size_t id) const { return start_[id + 1] - start_[id]; }

private:
    std::vector<std::size_t> start_, next_, position_;
};

enum class Unigrams { kNone, kButLast, kAll };

Unigrams unigram_rule(const std::string& name) {
    if (name == "none") return Unigrams::kNone;
    if (name == "but-last") return Unigrams::kButLast;
    if (name == "all") return Unigrams::kAll;
    throw py::value_error("unigrams must be none, but-last or all; got " + name);
}

// Pairs of words in their order, at most `gap` words between them (any number if negative). They are counted by their
// first word: memory grows with the words of a text, not with its pairs, and without a limit a pass over the text for
// each distinct word counts all its pairs.
class RougeS {
public:
    RougeS(long long gap, Unigrams unigrams) : gap_(gap), unigrams_(unigrams) {}

    void segment(const TokenBatch& batch, std::size_t s, std::vector<Overlap>& overlaps) {
        const Span hypothesis = batch.hypothesis(s);
        const std::size_t own = own_ids(hypothesis), count = batch.references(s);
        hypothesis_.set(hypothesis, own);
        references_.resize(std::max(references_.size(), count));
        mine_.assign(own, 0);
        theirs_.assign(own, 0);
        for (std::size_t j = 0; j < count; ++j) {
            const Span reference = batch.reference(s, j);
            references_[j].set(reference, own);
            overlaps[j] = Overlap::of(0, total(hypothesis.size), total(reference.size));
            overlaps[j].matched = static_cast<double>(shared_unigrams(hypothesis, reference, j, own));
        }
        for (std::size_t first = 0; first < own; ++first) {
            bool counted = false;
            for (std::size_t j = 0; j < count; ++j) {
                if (references_[j].count(first) == 0) continue;
                if (!counted) count_followers(hypothesis, first, own);
                counted = true;
                overlaps[j].matched += static_cast<double>(matched_followers(batch.reference(s, j), j, first, own));
            }
            if (counted) forget_followers(hypothesis, first);
        }
    }

private:
    bool unlimited(std::size_t size) const { return gap_ < 0 || static_cast<unsigned long long>(gap_) + 1 >= size; }

    std::size_t total(std::size_t size) const {
        if (size == 0) return 0;
        const std::size_t unigrams =
            unigrams_ == Unigrams::kNone ? 0 : size - (unigrams_ == Unigrams::kButLast);
        if (unlimited(size)) return size * (size - 1) / 2 + unigrams;
        const std::size_t reach = static_cast<std::size_t>(gap_) + 1;  // less than `size`
        return (size - reach) * reach + reach * (reach - 1) / 2 + unigrams;
    }

    // Calls use(token) for each word of the text that follows `first` within the gap, once for each pair.
    template <class Use>
    void near(Span text, const Occurrences& occurrences, std::size_t first, Use&& use) const {
        for (const std::size_t* at = occurrences.begin(first); at != occurrences.end(first); ++at) {
            const std::size_t end = std::min(text.size, *at + static_cast<std::size_t>(gap_) + 2);
            for (std::size_t i = *at + 1; i < end; ++i) use(text[i]);
        }
    }

    // Without a limit: how often each word follows `first`, in one pass.
    static void after(Span text, std::size_t begin, std::size_t first, std::size_t own,
                      std::vector<std::uint64_t>& counts) {
        std::uint64_t before = 0;
        for (std::size_t i = begin; i < text.size; ++i) {
            if (text[i] >= own) continue;
            counts[text[i]] += before;
            before += text[i] == first;
        }
    }

    void count_followers(Span hypothesis, std::size_t first, std::size_t own) {
        if (unlimited(hypothesis.size))
            after(hypothesis, *hypothesis_.begin(first), first, own, mine_);
        else
            near(hypothesis, hypothesis_, first, [&](std::uint32_t id) { ++mine_[id]; });
    }

    void forget_followers(Span hypothesis, std::size_t first) {
        if (unlimited(hypothesis.size))
            std::fill(mine_.begin(), mine_.end(), 0);
        else
            near(hypothesis, hypothesis_, first, [&](std::uint32_t id) { mine_[id] = 0; });
    }

    // Pairs with `first` that both texts have, each as often as in the one that has it less; leaves `theirs_` empty.
    std::uint64_t matched_followers(Span reference, std::size_t j, std::size_t first, std::size_t own) {
        std::uint64_t matched = 0;
        if (!unlimited(reference.size)) {
            near(reference, references_[j], first, [&](std::uint32_t id) {
                if (id < own) matched += ++theirs_[id] <= mine_[id];
            });
            near(reference, references_[j], first, [&](std::uint32_t id) {
                if (id < own) theirs_[id] = 0;
            });
            return matched;
        }
        after(reference, *references_[j].begin(first), first, own, theirs_);
        for (std::size_t id = 0; id < own; ++id) {
            matched += std::min(mine_[id], theirs_[id]);
            theirs_[id] = 0;
        }
        return matched;
    }

    std::size_t shared_unigrams(Span hypothesis, Span reference, std::size_t j, std::size_t own) const {
        if (unigrams_ == Unigrams::kNone || !hypothesis.size || !reference.size) return 0;
        const bool but_last = unigrams_ == Unigrams::kButLast;
        const std::uint32_t my_last = hypothesis[hypothesis.size - 1], their_last = reference[reference.size - 1];
        std::size_t matched = 0;
        for (std::size_t id = 0; id < own; ++id)
            matched += std::min(hypothesis_.count(id) - (but_last && id == my_last),
                                references_[j].count(id) - (but_last && id == their_last));
        return matched;
    }

    long long gap_;
    Unigrams unigrams_;
    Occurrences hypothesis_;
    std::vector<Occurrences> references_;
    std::vector<std::uint64_t> mine_, theirs_;
};

// The union weighted LCS of each reference sentence with all hypothesis sentences.
class RougeW {
public:
    explicit RougeW(double weight) : weight_(weight) {}

    void segment(const TokenBatch& batch, std::size_t s, std::vector<Overlap>& overlaps) {
        const Span hypothesis = batch.hypothesis(s);
        const std::size_t own = own_ids(hypothesis);
        const double length = weighted(hypothesis.size);
        for (std::size_t j = 0; j < batch.references(s); ++j) {
            left_.assign(own, 0);
            for (std::uint32_t id : hypothesis) ++left_[id];
            double matched = 0, base = 0;
            const std::size_t mine = batch.segment_text[s], theirs = mine + 1 + j;
            for (std::size_t r = batch.text_sentence[theirs]; r < batch.text_sentence[theirs + 1]; ++r) {
                const Span sentence = sentence_at(batch, r);
                base += weighted(sentence.size);
                hit_.assign(sentence.size, 0);
                for (std::size_t h = batch.text_sentence[mine]; h < batch.text_sentence[mine + 1]; ++h)
                    mark(sentence, sentence_at(batch, h));
                matched = add_runs(sentence, matched);
            }
            overlaps[j] = {matched, length, std::pow(base, weight_), base};
        }
    }

private:
    static Span sentence_at(const TokenBatch& batch, std::size_t at) {
        const std::size_t start = batch.sentence_start[at];
        return {batch.ids.data() + start, batch.sentence_start[at + 1] - start};
    }

    double weighted(std::size_t length) {
        for (std::size_t k = known_.size(); k <= length; ++k)
            known_.push_back(std::pow(static_cast<double>(k), weight_));
        return known_[length];
    }

    // Marks one weighted LCS in the reference sentence: that of ROUGE-1.5.5's table, which among equals steps back in
    // the reference. Kept of the table: one bit a cell, whether the step leads there (matches show by themselves). Of a
    // large table the bits of some rows only are kept at a time; the rows before are filled again when they are needed.
    void mark(Span reference, Span hypothesis) {
        const std::size_t rows = reference.size, columns = hypothesis.size, words = (columns + 63) / 64;
        if (!columns || !rows) return;
        weighted(std::min(columns, rows) + 1);
        value_.assign(columns + 1, 0);
        run_.assign(columns + 1, 0);
        const std::size_t block = rows * words <= kMostWords ? rows : rows_at_a_time(rows), blocks = (rows - 1) / block + 1;
        back_.resize(std::max(back_.size(), block * words));
        saved_values_.clear();
        saved_runs_.clear();
        for (std::size_t b = 0; b < blocks; ++b) {
            if (b + 1 < blocks) {
                saved_values_.insert(saved_values_.end(), value_.begin(), value_.end());
                saved_runs_.insert(saved_runs_.end(), run_.begin(), run_.end());
            }
            fill(reference, hypothesis, b * block, std::min(rows, (b + 1) * block));
        }
        std::size_t i = rows, j = columns;
        for (std::size_t b = blocks; b-- > 0 && j;) {
            if (b + 1 < blocks) {
                const auto skipped = static_cast<std::ptrdiff_t>(b * (columns + 1)), size = static_cast<std::ptrdiff_t>(columns + 1);
                std::copy_n(saved_values_.begin() + skipped, size, value_.begin());
                std::copy_n(saved_runs_.begin() + skipped, size, run_.begin());
                fill(reference, hypothesis, b * block, (b + 1) * block);
            }
            step_back(reference, hypothesis, b * block, i, j);
        }
    }

    // Where the saved rows take as much memory as the bits between them: 12 bytes a cell against one bit.
    static std::size_t rows_at_a_time(std::size_t rows) {
        return static_cast<std::size_t>(std::sqrt(96.0 * static_cast<double>(rows)));
    }

    void fill(Span reference, Span hypothesis, std::size_t begin, std::size_t end) {
        const std::size_t words = (hypothesis.size + 63) / 64;
        for (std::size_t i = begin; i < end; ++i) fill_row(reference[i], hypothesis, back_.data() + (i - begin) * words);
    }

    // From cell i, j back to row `begin`, the first whose bits are kept.
    void step_back(Span reference, Span hypothesis, std::size_t begin, std::size_t& i, std::size_t& j) {
        const std::size_t words = (hypothesis.size + 63) / 64;
        while (i > begin && j) {
            if (reference[i - 1] == hypothesis[j - 1]) {
                hit_[--i] = 1;
                --j;
            } else if (back_[(i - 1 - begin) * words + (j - 1) / 64] >> ((j - 1) % 64) & 1) {
                --i;
            } else {
                --j;
            }
        }
    }

    void fill_row(std::uint32_t token, Span hypothesis, std::uint64_t* back) {
        const double* const known = known_.data();
        double* const value = value_.data();
        std::uint32_t* const run = run_.data();
        double diagonal = 0, left = 0;
        std::uint32_t diagonal_run = 0;
        std::uint64_t bits = 0;
        for (std::size_t j = 0; j < hypothesis.size; ++j) {
            const double above = value[j + 1];
            const std::uint32_t above_run = run[j + 1];
            if (hypothesis[j] == token) {
                left = diagonal + known[diagonal_run + 1] - known[diagonal_run];
                run[j + 1] = diagonal_run + 1;
            } else {
                const bool up = above >= left;
                bits |= std::uint64_t{up} << (j % 64);
                left = up ? above : left;
                run[j + 1] = 0;
            }
            value[j + 1] = left;
            diagonal = above;
            diagonal_run = above_run;
            if (j % 64 == 63) {
                back[j / 64] = bits;
                bits = 0;
            }
        }
        if (hypothesis.size % 64) back[hypothesis.size / 64] = bits;
    }

    // The weights of the marked runs, no token counted more often than the hypothesis has it. As in ROUGE-1.5.5 a token
    // that was used up neither ends a run nor adds to it, and a run whose last token was used up is lost.
    double add_runs(Span sentence, double matched) {
        std::size_t run = 0;
        for (std::size_t i = 0; i < sentence.size; ++i) {
            if (!hit_[i] || left_[sentence[i]] == 0) continue;
            --left_[sentence[i]];
            ++run;
            if (i + 1 == sentence.size || !hit_[i + 1]) {
                matched += weighted(run);
                run = 0;
            }
        }
        return matched;
    }

    static constexpr std::size_t kMostWords = 1 << 15;  // of bits kept at a time: 256 KB

    double weight_;
    std::vector<double> known_, value_, saved_values_;  // weights of lengths; a row of the table; some rows
    std::vector<std::uint32_t> run_, saved_runs_, left_;
    std::vector<std::uint64_t> back_;
    std::vector<char> hit_;
};

}  // namespace

void bind_rouge_skip(py::module_& module) {
    module.def(
        "rouge_s_rows",
        [](const TokenBatch& tokens, long long gap, const std::string& unigrams, const std::string& multi,
           bool jackknife, double beta, int jobs) {
            const RougeRule rule{multi_rule(multi), jackknife, beta, 1, true};
            return rouge_rows(tokens, RougeS(gap, unigram_rule(unigrams)), rule, jobs);
        },
        py::arg("tokens"), py::arg("gap"), py::arg("unigrams"), py::arg("multi"), py::arg("jackknife"),
        py::arg("beta"), py::arg("jobs"));
    module.def(
        "rouge_w_rows",
        [](const TokenBatch& tokens, double weight, const std::string& multi, bool jackknife, double beta, int jobs) {
            if (tokens.size() && tokens.text_sentence.empty())
                throw py::value_error("ROUGE-W needs a batch tokenised with its sentences");
            if (!(weight >= 1)) throw py::value_error("the weight of ROUGE-W must be at least 1");
            return rouge_rows(tokens, RougeW(weight), {multi_rule(multi), jackknife, beta, 1 / weight}, jobs);
        },
        py::arg("tokens"), py::arg("weight"), py::arg("multi"), py::arg("jackknife"), py::arg("beta"),
        py::arg("jobs"));
}

}  // namespace nlgauge
