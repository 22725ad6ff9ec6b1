// What the kinds of ROUGE share: from the overlaps of a segment with each of its references to precision, recall and F.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace nlgauge {

struct Overlap {  // with one reference; counts, or for ROUGE-W weighted counts
    double matched = 0, hypothesis = 0, reference = 0;
    double base = 0;  // what ROUGE-1.5.5 -f B divides the matches by to choose a reference

    static Overlap of(std::size_t matched, std::size_t hypothesis, std::size_t reference) {
        const double theirs = static_cast<double>(reference);
        return {static_cast<double>(matched), static_cast<double>(hypothesis), theirs, theirs};
    }
};

struct RougeScore {
    double precision = 0, recall = 0, f = 0;
};

enum class Multi { kBest, kAverage, kPooled, kCoco, kRecall };

inline Multi multi_rule(const std::string& name) {
    if (name == "best") return Multi::kBest;
    if (name == "average") return Multi::kAverage;
    if (name == "pooled") return Multi::kPooled;
    if (name == "coco") return Multi::kCoco;
    if (name == "recall") return Multi::kRecall;
    throw pybind11::value_error("multi must be best, average, pooled, coco or recall; got " + name);
}

// How several references are joined.
struct RougeRule {
    Multi multi;
    bool jackknife;
    double beta;
    double root = 1;       // ROUGE-W takes precision and recall to this power
    bool rounded = false;  // ROUGE-1.5.5 -f B compares recall in five decimals for n-grams and skip-bigrams

    // One score of all references but the one numbered `left_out` (none is left out if that is `count`).
    RougeScore joined(const std::vector<Overlap>& overlaps, std::size_t count, std::size_t left_out) const {
        switch (multi) {
            case Multi::kPooled: return pooled(overlaps, count, left_out);
            case Multi::kAverage: return average(overlaps, count, left_out);
            default: return chosen(overlaps, count, left_out);
        }
    }

    // With jackknifing: the mean over the sets of references that lack one (Lin 2004, section 2.1).
    RougeScore operator()(const std::vector<Overlap>& overlaps, std::size_t count) const {
        if (!jackknife || count < 2) return joined(overlaps, count, count);
        RougeScore sum;
        for (std::size_t left_out = 0; left_out < count; ++left_out) add(sum, joined(overlaps, count, left_out));
        return divided(sum, count);
    }

private:
    double f_measure(double precision, double recall) const {
        const double factor = beta * beta, denominator = recall + factor * precision;
        return denominator > 0 ? (1 + factor) * precision * recall / denominator : 0.0;
    }

    RougeScore score(const Overlap& overlap) const {
        RougeScore result;
        result.precision = overlap.matched / std::max(overlap.hypothesis, 1.0);
        result.recall = overlap.matched / std::max(overlap.reference, 1.0);
        if (root != 1) {
            result.precision = std::pow(result.precision, root);
            result.recall = std::pow(result.recall, root);
        }
        result.f = f_measure(result.precision, result.recall);
        return result;
    }

    static void add(RougeScore& sum, const RougeScore& one) {
        sum.precision += one.precision;
        sum.recall += one.recall;
        sum.f += one.f;
    }

    static RougeScore divided(RougeScore sum, std::size_t count) {
        const auto n = static_cast<double>(count);
        return {sum.precision / n, sum.recall / n, sum.f / n};
    }

    RougeScore pooled(const std::vector<Overlap>& overlaps, std::size_t count, std::size_t left_out) const {
        Overlap sum;
        for (std::size_t j = 0; j < count; ++j) {
            if (j == left_out) continue;
            sum.matched += overlaps[j].matched;
            sum.hypothesis += overlaps[j].hypothesis;
            sum.reference += overlaps[j].reference;
        }
        return score(sum);
    }

    RougeScore average(const std::vector<Overlap>& overlaps, std::size_t count, std::size_t left_out) const {
        RougeScore sum;
        for (std::size_t j = 0; j < count; ++j)
            if (j != left_out) add(sum, score(overlaps[j]));
        const std::size_t used = count - (left_out < count);
        return used ? divided(sum, used) : sum;
    }

    // `best` by F, `recall` by recall, the first of equals; `coco`: the best precision and the best recall.
    RougeScore chosen(const std::vector<Overlap>& overlaps, std::size_t count, std::size_t left_out) const {
        RougeScore result;
        double best = -1;
        for (std::size_t j = 0; j < count; ++j) {
            if (j == left_out) continue;
            const RougeScore one = score(overlaps[j]);
            if (multi == Multi::kCoco) {
                result.precision = std::max(result.precision, one.precision);
                result.recall = std::max(result.recall, one.recall);
                continue;
            }
            const double merit = multi == Multi::kBest ? one.f : recall_merit(overlaps[j]);
            if (merit > best) {
                best = merit;
                result = one;
            }
        }
        if (multi == Multi::kCoco) result.f = f_measure(result.precision, result.recall);
        return result;
    }

    double recall_merit(const Overlap& overlap) const {
        const double recall = overlap.matched / std::max(overlap.base, 1.0);
        return rounded ? std::nearbyint(recall * 1e5) : recall;
    }
};

// Ids run from the hypothesis on, so those below this number are its own and all others are unknown to it.
inline std::size_t own_ids(Span hypothesis) {
    std::uint32_t top = 0;
    for (std::uint32_t id : hypothesis) top = std::max(top, id + 1);
    return top;
}

// precision, recall, F and 1 of each segment. Each thread works with a kernel of its own.
template <class Kernel>
pybind11::array_t<double> rouge_rows(const TokenBatch& tokens, const Kernel& kernel, const RougeRule& rule, int jobs) {
    pybind11::array_t<double> rows({tokens.size(), std::size_t{4}});
    double* out = rows.mutable_data();
    {
        pybind11::gil_scoped_release release;
        parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
            Kernel mine = kernel;
            std::vector<Overlap> overlaps;
            for (std::size_t s = begin; s < end; ++s) {
                overlaps.resize(std::max(overlaps.size(), tokens.references(s)));
                mine.segment(tokens, s, overlaps);
                const RougeScore score = rule(overlaps, tokens.references(s));
                double* row = out + 4 * s;
                row[0] = score.precision;
                row[1] = score.recall;
                row[2] = score.f;
                row[3] = 1;
            }
        });
    }
    return rows;
}

}  // namespace nlgauge
