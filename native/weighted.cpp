// N-grams counted in three texts at once, or with a weight for each reference: ΔBLEU, GLEU, SARI. The twins are in
// kernels/python/ngram.py; sums of fractions run in the same order there, so that both agree to the last bit.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ngram_trie.hpp"
#include "overlaps.hpp"
#include "reference_length.hpp"
#include "segment_ngrams.hpp"
#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

using Counts = std::vector<std::uint32_t>;

void check_order(int order) {
    if (order < 1) throw py::value_error("order must be at least 1");
}

double as_double(std::size_t value) { return static_cast<double>(value); }

// What the n-grams of one length earn with weighted references.
class WeightedMatches {
   public:
    double earned(const SegmentNgrams& ngrams, const std::vector<double>& weights, bool by_paper) {
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        ngrams.count(0, own_);
        best_.assign(ngrams.distinct(), kNone);
        most_.assign(ngrams.distinct(), 0);
        for (std::size_t j = 0; j < weights.size(); ++j) {
            ngrams.count(j + 1, other_);
            const std::uint32_t* const numbers = ngrams.begin_of(j + 1);
            for (std::size_t i = 0; i < ngrams.size(j + 1); ++i) {
                const std::uint32_t number = numbers[i], clipped = std::min(own_[number], other_[number]);
                best_[number] = std::max(best_[number], by_paper ? weights[j] * clipped : weights[j]);
                most_[number] = std::max(most_[number], clipped);
            }
        }
        double total = 0;
        const std::uint32_t* const numbers = ngrams.begin_of(0);
        for (std::size_t i = 0; i < ngrams.size(0); ++i) {
            const std::uint32_t number = numbers[i];
            if (own_[number] == 0) continue;  // seen before
            own_[number] = 0;
            total += best_[number] == kNone ? 0.0 : by_paper ? best_[number] : best_[number] * most_[number];
        }
        return total;
    }

   private:
    Counts own_, other_, most_;
    std::vector<double> best_;
};

py::array_t<double> deltableu_rows(const TokenBatch& tokens, const std::vector<std::vector<double>>& weights, int order,
                                   const std::string& length_rule, const std::string& form, int jobs) {
    check_order(order);
    const ReferenceLength rule = reference_length_rule(length_rule);
    if (weights.size() != tokens.size()) throw py::value_error("one list of weights for each segment is needed");
    for (std::size_t s = 0; s < tokens.size(); ++s)
        if (weights[s].empty() || weights[s].size() != tokens.references(s))
            throw py::value_error("one weight for each reference is needed");
    const bool by_paper = form == "paper";
    const auto width = static_cast<std::size_t>(2 + 2 * order);
    py::array_t<double> rows({tokens.size(), width});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        SegmentNgrams ngrams;
        WeightedMatches matches;
        for (std::size_t s = begin; s < end; ++s) {
            const double best = *std::max_element(weights[s].begin(), weights[s].end());
            double* const row = out + s * width;
            row[0] = as_double(tokens.hypothesis(s).size);
            row[1] = reference_length(tokens, s, rule);
            ngrams.begin(tokens, s);
            for (int n = 0; n < order; ++n) {
                if (n > 0) ngrams.next();
                row[2 + n] = matches.earned(ngrams, weights[s], by_paper);
                row[2 + order + n] = best * as_double(ngrams.size(0));
            }
        }
    });
    return rows;
}

// How many n-grams of the lengths from `shortest` to `longest` a text of so many words has.
std::size_t ngrams_between(std::size_t length, std::size_t shortest, std::size_t longest) {
    std::size_t total = 0;
    for (std::size_t n = shortest; n <= std::min(longest, length); ++n) total += length - n + 1;
    return total;
}

py::array_t<double> gleu_rows(const TokenBatch& tokens, int shortest, int order, int jobs) {
    check_order(order);
    if (shortest < 1 || shortest > order) throw py::value_error("shortest must be from 1 to the order");
    py::array_t<double> rows({tokens.size(), std::size_t{2}});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    const auto overlaps = ngram_overlaps(tokens, static_cast<unsigned>(order), jobs);
    const auto first = static_cast<std::size_t>(shortest), last = static_cast<std::size_t>(order);
    for (std::size_t s = 0; s < tokens.size(); ++s) {
        const std::size_t own = ngrams_between(tokens.hypothesis(s).size, first, last);
        double* const row = out + 2 * s;
        row[0] = row[1] = 0;
        double best = -1;
        for (std::size_t j = 0; j < tokens.references(s); ++j) {
            const std::uint32_t* const matched = overlaps->in_text(tokens.segment_text[s] + 1 + j);
            std::size_t common = 0;
            for (std::size_t n = first; n <= last; ++n) common += matched[n - 1];
            const double all = as_double(std::max(own, ngrams_between(tokens.reference(s, j).size, first, last)));
            if (all > 0 && as_double(common) / all > best) {
                best = as_double(common) / all;
                row[0] = as_double(common);
                row[1] = all;
            }
        }
    }
    return rows;
}

void check_sources(const TokenBatch& tokens) {
    for (std::size_t s = 0; s < tokens.size(); ++s)
        if (tokens.references(s) < 1) throw py::value_error("the source of each segment must be its first reference");
}

py::array_t<double> gleu_gec_rows(const TokenBatch& tokens, int order, int jobs) {
    check_order(order);
    check_sources(tokens);
    const auto width = static_cast<std::size_t>(3 + 2 * order);
    const std::size_t pairs = tokens.segment_text.empty() ? 0 : tokens.segment_text.back() - 2 * tokens.size();
    py::array_t<double> rows({pairs, width});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        SegmentNgrams ngrams;
        Counts own, source, other;
        for (std::size_t s = begin; s < end; ++s) {
            double* const first = out + width * (tokens.segment_text[s] - 2 * s);
            ngrams.begin(tokens, s);
            for (std::size_t n = 0; n < static_cast<std::size_t>(order); ++n) {
                if (n > 0) ngrams.next();
                ngrams.count(0, own);
                ngrams.count(1, source);
                for (std::size_t j = 1; j < tokens.references(s); ++j) {
                    ngrams.count(j + 1, other);
                    std::size_t matched = 0, kept = 0;  // right, and kept from the source by mistake
                    for (std::size_t c = 0; c < ngrams.distinct(); ++c) {
                        matched += std::min(own[c], other[c]);
                        if (other[c] == 0) kept += std::min(own[c], source[c]);
                    }
                    double* const row = first + width * (j - 1);
                    row[0] = as_double(s);
                    row[1] = as_double(tokens.hypothesis(s).size);
                    row[2] = as_double(tokens.reference(s, j).size);
                    row[3 + n] = as_double(matched > kept ? matched - kept : 0);
                    row[3 + static_cast<std::size_t>(order) + n] = as_double(ngrams.size(0));
                }
            }
        }
    });
    return rows;
}

// The counts of an n-gram in output and source, as often as there are references, and in all references together.
struct Three {
    std::int64_t here, there, given;
};

class SariCounter {
   public:
    void count(const SegmentNgrams& ngrams) {
        several_ = static_cast<std::int64_t>(ngrams.texts()) - 2;
        ngrams.count(0, own_);
        ngrams.count(1, source_);
        given_.assign(ngrams.distinct(), 0);
        for (std::size_t t = 2; t < ngrams.texts(); ++t) ngrams.add(t, given_);
    }
    std::size_t size() const { return own_.size(); }
    Three operator[](std::size_t c) const { return {several_ * own_[c], several_ * source_[c], given_[c]}; }

   private:
    std::int64_t several_ = 0;
    Counts own_, source_, given_;
};

double f1(double precision, double recall) {
    return precision > 0 || recall > 0 ? 2 * precision * recall / (precision + recall) : 0.0;
}

struct SariParts {
    double add, keep, remove;
};

SariParts sari_parts(const SariCounter& counts, bool evaluate) {
    const double undefined = evaluate ? 1.0 : 0.0;
    double keep_precision = 0, keep_recall = 0, removed_right = 0;
    std::int64_t kept = 0, meant = 0, kept_meant = 0, removed = 0, added = 0, right = 0, wanted = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const auto [here, there, given] = counts[c];
        const std::int64_t both = std::min(here, there), shared = std::min(both, given);
        if (both) {
            ++kept;
            keep_precision += static_cast<double>(shared) / static_cast<double>(both);
        }
        if (there && given) {
            const std::int64_t should = std::min(there, given);
            ++meant;
            kept_meant += should;
            keep_recall += evaluate ? static_cast<double>(shared) : static_cast<double>(shared) / static_cast<double>(should);
        }
        if (there > here) {
            ++removed;
            removed_right += static_cast<double>(std::max<std::int64_t>(0, there - here - given)) /
                             static_cast<double>(there - here);
        }
        if (!there) {
            added += here > 0;
            wanted += given > 0;
            right += here > 0 && given > 0;
        }
    }
    const auto over = [&](double part, std::int64_t whole) {
        return whole ? part / static_cast<double>(whole) : undefined;
    };
    const double hits = static_cast<double>(right);
    return {f1(over(hits, added), over(hits, wanted)),
            f1(over(keep_precision, kept), over(keep_recall, evaluate ? kept_meant : meant)), over(removed_right, removed)};
}

py::array_t<double> sari_rows(const TokenBatch& tokens, int order, const std::string& form, int jobs) {
    check_order(order);
    check_sources(tokens);
    const bool evaluate = form == "evaluate";
    py::array_t<double> rows({tokens.size(), std::size_t{4}});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        SegmentNgrams ngrams;
        SariCounter counts;
        for (std::size_t s = begin; s < end; ++s) {
            SariParts sum{0, 0, 0};
            ngrams.begin(tokens, s, true);
            for (int n = 0; n < order; ++n) {
                if (n > 0) ngrams.next();
                counts.count(ngrams);
                const SariParts parts = sari_parts(counts, evaluate);
                sum.add += parts.add;
                sum.keep += parts.keep;
                sum.remove += parts.remove;
            }
            double* const row = out + 4 * s;
            row[0] = sum.add / order;
            row[1] = sum.keep / order;
            row[2] = sum.remove / order;
            row[3] = 1;
        }
    });
    return rows;
}

py::array_t<double> sari_counts(const TokenBatch& tokens, int order, int jobs) {
    check_order(order);
    check_sources(tokens);
    const auto orders = static_cast<std::size_t>(order);
    py::array_t<double> rows({tokens.size(), 9 * orders});
    double* const out = rows.mutable_data();
    std::fill(out, out + tokens.size() * 9 * orders, 0.0);
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        SegmentNgrams ngrams;
        SariCounter counts;
        for (std::size_t s = begin; s < end; ++s) {
            ngrams.begin(tokens, s);
            for (std::size_t n = 0; n < orders; ++n) {
                if (n > 0) ngrams.next();
                counts.count(ngrams);
                double* const add = out + s * 9 * orders + 3 * n;
                double* const keep = add + 3 * orders;
                double* const remove = keep + 3 * orders;
                for (std::size_t c = 0; c < counts.size(); ++c) {
                    const auto [here, there, given] = counts[c];
                    if (!there) {
                        add[0] += here > 0 && given > 0;
                        add[1] += here > 0;
                        add[2] += given > 0;
                    }
                    const std::int64_t gone = std::max<std::int64_t>(0, there - here);
                    const std::int64_t unwanted = std::max<std::int64_t>(0, there - given);
                    keep[0] += static_cast<double>(std::min({here, there, given}));
                    keep[1] += static_cast<double>(std::min(here, there));
                    keep[2] += static_cast<double>(std::min(there, given));
                    remove[0] += static_cast<double>(std::min(gone, unwanted));
                    remove[1] += static_cast<double>(gone);
                    remove[2] += static_cast<double>(unwanted);
                }
            }
        }
    });
    return rows;
}

}  // namespace

void bind_weighted(py::module_& module) {
    module.def("deltableu_rows", &deltableu_rows, py::arg("tokens"), py::arg("weights"), py::arg("order"),
               py::arg("reference_length"), py::arg("form"), py::arg("jobs"));
    module.def("gleu_rows", &gleu_rows, py::arg("tokens"), py::arg("shortest"), py::arg("order"), py::arg("jobs"));
    module.def("gleu_gec_rows", &gleu_gec_rows, py::arg("tokens"), py::arg("order"), py::arg("jobs"));
    module.def("sari_rows", &sari_rows, py::arg("tokens"), py::arg("order"), py::arg("form"), py::arg("jobs"));
    module.def("sari_counts", &sari_counts, py::arg("tokens"), py::arg("order"), py::arg("jobs"));
}

}  // namespace nlgauge
