// PARENT (Dhingra et al. 2019): n-gram precision and recall against a reference and a table; see kernels/python/parent.py.
//
// The texts of a segment are its hypothesis, its references and the values of its table; how many of them are references
// is given beside. The n-grams of hypothesis and references are numbered together, length by length, in the order in
// which they first appear, so that sums run in the same order as the Python twin's.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <string>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr double kAlmostNothing = 1e-8;  // keeps F defined where precision and recall are 0

struct Options {
    std::size_t order;
    double weight;  // of the table's recall; below 0: by the heuristic, for each reference
    double smooth;
    bool highest;  // precision, recall and F each from the reference where it is highest
};

struct ParentScore {
    double precision = 0, recall = 0, f = 0;
};

double geometric_mean(const std::vector<double>& values) {
    double logarithms = 0;
    for (const double value : values) logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

// The n-grams of some texts, all of one length at a time: `extend` turns the classes of length n - 1 into those of
// length n. A class is a number shared by equal n-grams.
class Classes {
public:
    void begin(std::size_t texts, std::size_t tokens) {
        if (of_.size() < texts) of_.resize(texts);
        std::size_t size = 64;
        while (size < 2 * tokens + 2) size *= 2;
        keys_.resize(size);
        found_.resize(size);
    }
    // Class 0 for every position: the n-grams of length 0.
    void start(std::size_t text, std::size_t length) { of_[text].assign(length, 0); }

    void extend(std::size_t order, const std::vector<Span>& texts) {
        std::fill(found_.begin(), found_.end(), 0u);
        std::uint32_t next = 0;
        for (std::size_t t = 0; t < texts.size(); ++t) {
            std::vector<std::uint32_t>& mine = of_[t];
            mine.resize(texts[t].size >= order ? texts[t].size - order + 1 : 0);
            for (std::size_t i = 0; i < mine.size(); ++i)
                mine[i] = number(std::uint64_t{mine[i]} << 32 | texts[t][i + order - 1], next);
        }
        count_ = next;
    }
    const std::vector<std::uint32_t>& of(std::size_t text) const { return of_[text]; }
    std::size_t count() const { return count_; }

private:
    std::uint32_t number(std::uint64_t key, std::uint32_t& next) {
        const std::size_t mask = keys_.size() - 1;
        std::size_t slot = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 20) & mask;
        while (found_[slot] && keys_[slot] != key) slot = (slot + 1) & mask;
        if (!found_[slot]) {
            keys_[slot] = key;
            found_[slot] = ++next;
        }
        return found_[slot] - 1;
    }

    std::vector<std::vector<std::uint32_t>> of_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> found_;
    std::size_t count_ = 0;
};

// The length of the longest common subsequence of a value and a text.
class Subsequence {
public:
    void begin(std::size_t vocabulary) { positions_.assign(vocabulary, 0); }

    std::size_t operator()(Span value, Span text) { return value.size <= 64 ? narrow(value, text) : wide(value, text); }

private:
    // One bit for each token of the value (Hyyrö 2004); tokens it does not have leave the row as it is.
    std::size_t narrow(Span value, Span text) {
        for (std::size_t i = 0; i < value.size; ++i) positions_[value[i]] |= std::uint64_t{1} << i;
        std::uint64_t row = ~std::uint64_t{0};
        for (const std::uint32_t token : text) {
            const std::uint64_t hit = row & positions_[token];
            row = (row + hit) | (row - hit);
        }
        for (const std::uint32_t token : value) positions_[token] = 0;
        if (value.size < 64) row |= ~std::uint64_t{0} << value.size;
        return std::bitset<64>(~row).count();
    }

    // One row of the table at a time: memory grows with the value only.
    std::size_t wide(Span value, Span text) {
        row_.assign(value.size + 1, 0);
        for (const std::uint32_t token : text) {
            std::uint32_t diagonal = 0;
            for (std::size_t i = 0; i < value.size; ++i) {
                const std::uint32_t above = row_[i + 1];
                row_[i + 1] = value[i] == token ? diagonal + 1 : std::max(above, row_[i]);
                diagonal = above;
            }
        }
        return row_[value.size];
    }

    std::vector<std::uint64_t> positions_;
    std::vector<std::uint32_t> row_;
};

class Parent {
public:
    explicit Parent(const Options& options) : options_(options), precision_(options.order), recall_(options.order) {}

    // `chances`: how likely the table entails each token of the hypothesis and of the references; null: whether the
    // token stands in the table.
    ParentScore segment(const TokenBatch& batch, std::size_t s, std::size_t references, const double* chances) {
        read(batch, s, references, chances);
        const std::size_t order = options_.order;
        precisions_.assign(references * order, 0);
        recalls_.assign(references * order, 0);
        for (std::size_t n = 1; n <= order; ++n) {
            classes_.extend(n, texts_);
            counts_.assign(classes_.count() * texts_.size(), 0);
            for (std::size_t t = 0; t < texts_.size(); ++t)
                for (const std::uint32_t cls : classes_.of(t)) ++counts_[t * classes_.count() + cls];
            for (std::size_t j = 0; j < references; ++j) {
                precisions_[j * order + n - 1] = precision(j + 1, n);
                recalls_[j * order + n - 1] = recall(j + 1, n);
            }
        }
        const double from_table = mentioned(texts_[0]);
        ParentScore best;
        for (std::size_t j = 0; j < references; ++j) {
            const ParentScore one = joined(j, from_table);
            if (options_.highest) {
                best.precision = std::max(best.precision, one.precision);
                best.recall = std::max(best.recall, one.recall);
                best.f = std::max(best.f, one.f);
            } else if (j == 0 || one.f > best.f) {
                best = one;
            }
        }
        return best;
    }

private:
    void read(const TokenBatch& batch, std::size_t s, std::size_t references, const double* chances) {
        const std::size_t first = batch.segment_text[s], vocabulary = batch.vocabulary(s);
        texts_.clear();
        values_.clear();
        std::size_t tokens = 0;
        for (std::size_t t = first; t <= first + references; ++t) {
            texts_.push_back(batch.text(t));
            tokens += texts_.back().size;
        }
        for (std::size_t t = first + references + 1; t < batch.segment_text[s + 1]; ++t)
            if (batch.text(t).size) values_.push_back(batch.text(t));
        classes_.begin(texts_.size(), tokens);
        for (std::size_t t = 0; t < texts_.size(); ++t) classes_.start(t, texts_[t].size);
        common_.begin(vocabulary);
        overlap_ = chances == nullptr;
        if (chances_.size() < texts_.size()) chances_.resize(texts_.size());
        in_table_.assign(vocabulary, 0.0);
        if (overlap_)
            for (const Span& value : values_)
                for (const std::uint32_t token : value) in_table_[token] = 1.0;
        for (std::size_t t = 0; t < texts_.size(); ++t) {
            chances_[t].resize(texts_[t].size);
            for (std::size_t i = 0; i < texts_[t].size; ++i)
                chances_[t][i] = overlap_ ? in_table_[texts_[t][i]] : *chances++;
        }
    }

    // How likely the table entails the n-gram: the share of its tokens that stand there, or the geometric mean.
    double entailed(std::size_t text, std::size_t at, std::size_t n) const {
        const double* chance = chances_[text].data() + at;
        if (overlap_) {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += chance[k];
            return sum / static_cast<double>(n);
        }
        double product = 1;
        for (std::size_t k = 0; k < n; ++k) product *= chance[k];
        return std::pow(product, 1.0 / static_cast<double>(n));
    }

    double count(std::size_t text, std::uint32_t cls) const {
        return static_cast<double>(counts_[text * classes_.count() + cls]);
    }

    // Whether the n-gram stands here for the first time, seen from the start of its text.
    bool first(std::uint32_t cls) {
        const bool fresh = !seen_[cls];
        seen_[cls] = 1;
        return fresh;
    }

    double precision(std::size_t reference, std::size_t n) {
        const std::vector<std::uint32_t>& mine = classes_.of(0);
        if (mine.empty()) return 0;
        seen_.assign(classes_.count(), 0);
        double supported = 0;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            if (!first(mine[i])) continue;
            const double here = count(0, mine[i]), shared = std::min(1.0, count(reference, mine[i]) / here);
            supported += here * (shared + (1 - shared) * entailed(0, i, n));
        }
        return supported / static_cast<double>(mine.size());
    }

    double recall(std::size_t reference, std::size_t n) {
        const std::vector<std::uint32_t>& theirs = classes_.of(reference);
        seen_.assign(classes_.count(), 0);
        double wanted = 0, met = 0;
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            if (!first(theirs[i])) continue;
            const double here = count(reference, theirs[i]), shared = std::min(1.0, count(0, theirs[i]) / here);
            const double weight = here * entailed(reference, i, n);
            wanted += weight;
            met += weight * shared;
        }
        return wanted == 0 ? 1 : met / wanted;
    }

    // The mean share of the values' tokens that a text has in the same order.
    double mentioned(Span text) {
        double sum = 0;
        for (const Span& value : values_)
            sum += static_cast<double>(common_(value, text)) / static_cast<double>(value.size);
        return values_.empty() ? 0 : sum / static_cast<double>(values_.size());
    }

    ParentScore joined(std::size_t reference, double from_table) {
        const std::size_t order = options_.order;
        for (std::size_t n = 0; n < order; ++n) {
            precision_[n] = smoothed(precisions_[reference * order + n], n);
            recall_[n] = smoothed(recalls_[reference * order + n], n);
        }
        ParentScore score;
        score.precision = any_zero(precision_) ? 0 : geometric_mean(precision_);
        const double from_reference = any_zero(recall_) ? options_.smooth : geometric_mean(recall_);
        if (from_table == 0) from_table = options_.smooth;
        double weight = options_.weight;
        if (values_.empty())
            weight = 0;
        else if (weight < 0)
            weight = 1 - mentioned(texts_[reference + 1]);
        if (from_reference != 0 && from_table != 0)
            score.recall = std::exp((1 - weight) * std::log(from_reference) + weight * std::log(from_table));
        score.f = 2 * score.precision * score.recall / (score.precision + score.recall + kAlmostNothing);
        return score;
    }

    // Single tokens are not smoothed: a text that shares none with reference and table has no precision.
    double smoothed(double value, std::size_t n) const { return n > 0 && value == 0 ? options_.smooth : value; }

    static bool any_zero(const std::vector<double>& values) {
        return std::find(values.begin(), values.end(), 0.0) != values.end();
    }

    Options options_;
    bool overlap_ = true;
    std::vector<Span> texts_, values_;  // hypothesis and references; the values of the table
    Classes classes_;
    Subsequence common_;
    std::vector<std::uint32_t> counts_;  // [text][class]
    std::vector<char> seen_;
    std::vector<std::vector<double>> chances_;
    std::vector<double> in_table_, precisions_, recalls_, precision_, recall_;
};

using Counts = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Chances = py::array_t<double, py::array::c_style | py::array::forcecast>;

py::array_t<double> parent_rows(const TokenBatch& tokens, const Counts& references, const py::object& given,
                                std::size_t order, double weight, double smooth, const std::string& multi, int jobs) {
    const std::size_t n = tokens.size();
    if (order == 0) throw py::value_error("the order of PARENT must be at least 1");
    if (multi != "best" && multi != "highest") throw py::value_error("multi must be best or highest; got " + multi);
    if (static_cast<std::size_t>(references.size()) != n) throw py::value_error("a number of references is needed for each segment");
    const std::int64_t* counts = references.data();
    std::vector<std::size_t> start(n + 1, 0);  // where the chances of each segment begin
    for (std::size_t s = 0; s < n; ++s) {
        if (counts[s] < 1 || static_cast<std::size_t>(counts[s]) > tokens.references(s))
            throw py::value_error("a segment has fewer texts than references, or none");
        start[s + 1] = start[s] + tokens.hypothesis(s).size;
        for (std::int64_t j = 0; j < counts[s]; ++j)
            start[s + 1] += tokens.reference(s, static_cast<std::size_t>(j)).size;
    }
    Chances held;
    const double* chances = nullptr;
    static const double nothing = 0;
    if (!given.is_none()) {
        held = given.cast<Chances>();
        if (static_cast<std::size_t>(held.size()) != start[n])
            throw py::value_error("a chance is needed for each token of hypotheses and references");
        chances = held.size() ? held.data() : &nothing;
    }
    const Options options{order, weight, smooth, multi == "highest"};
    py::array_t<double> rows({n, std::size_t{4}});
    double* out = rows.mutable_data();
    {
        py::gil_scoped_release release;
        parallel_for(n, jobs, [&](std::size_t begin, std::size_t end) {
            Parent parent(options);
            for (std::size_t s = begin; s < end; ++s) {
                const ParentScore score = parent.segment(tokens, s, static_cast<std::size_t>(counts[s]),
                                                         chances ? chances + start[s] : nullptr);
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

}  // namespace

void bind_parent(py::module_& module) {
    module.def("parent_rows", &parent_rows, py::arg("tokens"), py::arg("references"), py::arg("chances"),
               py::arg("order"), py::arg("weight"), py::arg("smooth"), py::arg("multi"), py::arg("jobs"));
}

}  // namespace nlgauge
