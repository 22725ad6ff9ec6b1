// YiSi-0: n-gram precision and recall over words that are as similar as their longest common substring is long. The
// Python twin is kernels/python/yisi.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

using Ids = std::vector<std::uint32_t>;

class Similarity {
public:
    Similarity(const std::vector<std::string>& vocabulary, std::size_t width) : vocabulary_(vocabulary), width_(width) {}

    double operator()(std::uint32_t a, std::uint32_t b) {
        const std::string &x = vocabulary_[a], &y = vocabulary_[b];
        const std::size_t total = (x.size() + y.size()) / width_;
        if (total == 0) return 0.0;
        const std::size_t common = a == b ? x.size() / width_ : common_substring(x, y);
        return 2.0 * static_cast<double>(common) / static_cast<double>(total);
    }

private:
    std::size_t common_substring(const std::string& a, const std::string& b) {
        const std::size_t m = b.size() / width_;
        ends_.assign(m + 1, 0);
        std::size_t longest = 0;
        for (std::size_t i = 0; i + width_ <= a.size(); i += width_) {
            std::size_t before = 0;
            for (std::size_t j = 1; j <= m; ++j) {
                const bool same = std::memcmp(a.data() + i, b.data() + (j - 1) * width_, width_) == 0;
                const std::size_t here = ends_[j];
                ends_[j] = same ? before + 1 : 0;
                longest = std::max(longest, ends_[j]);
                before = here;
            }
        }
        return longest;
    }

    const std::vector<std::string>& vocabulary_;
    std::size_t width_;
    std::vector<std::size_t> ends_;
};

// The weighted mean, over the n-grams of one side, of the similarity to the most similar n-gram of the other. `at(i, j)`
// is the similarity of word i of this side and word j of the other.
template <class At>
double covered(const Ids& side, std::size_t others, const double* weights, std::size_t order, At at) {
    const std::size_t n = std::min({order, side.size(), others});
    if (n == 0) return 0.0;
    double whole = 0.0, sum = 0.0;
    for (std::size_t i = 0; i + n <= side.size(); ++i) {
        double weight = 0.0, best = 0.0;
        for (std::size_t k = 0; k < n; ++k) weight += weights[side[i + k]];
        for (std::size_t j = 0; j + n <= others; ++j) {
            double found = 0.0;
            for (std::size_t k = 0; k < n; ++k) found += weights[side[i + k]] * at(i + k, j + k);
            best = std::max(best, found / weight);
        }
        sum += weight * best;
        whole += weight;
    }
    return sum / whole;
}

py::array_t<double> yisi0_rows(const std::vector<std::string>& vocabulary, std::size_t width,
                               const py::array_t<double, py::array::c_style | py::array::forcecast>& weights,
                               const std::vector<Ids>& hypotheses, const std::vector<std::vector<Ids>>& references,
                               std::size_t order, int jobs) {
    if (hypotheses.size() != references.size() || static_cast<std::size_t>(weights.size()) != vocabulary.size() || !width)
        throw std::invalid_argument("hypotheses, references, vocabulary and weights do not fit together");
    const auto check = [&](const Ids& ids) {
        for (const std::uint32_t id : ids)
            if (id >= vocabulary.size()) throw std::invalid_argument("a word is not in the vocabulary");
    };
    for (const Ids& ids : hypotheses) check(ids);
    for (const auto& texts : references)
        for (const Ids& ids : texts) check(ids);
    py::array_t<double> result({hypotheses.size(), std::size_t{2}});
    double* out = result.mutable_data();
    const double* weight = weights.data();
    py::gil_scoped_release release;
    parallel_for(hypotheses.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Similarity similarity(vocabulary, width);
        std::vector<double> table;
        for (std::size_t s = begin; s < end; ++s) {
            const Ids& hypothesis = hypotheses[s];
            const std::size_t n = hypothesis.size();
            double precision = 0.0, recall = 0.0;
            for (const Ids& reference : references[s]) {
                table.resize(reference.size() * n);
                for (std::size_t i = 0; i < reference.size(); ++i)
                    for (std::size_t j = 0; j < n; ++j) table[i * n + j] = similarity(reference[i], hypothesis[j]);
                const auto row = [&](std::size_t i, std::size_t j) { return table[i * n + j]; };
                const auto column = [&](std::size_t i, std::size_t j) { return table[j * n + i]; };
                precision = std::max(precision, covered(hypothesis, reference.size(), weight, order, column));
                recall = std::max(recall, covered(reference, n, weight, order, row));
            }
            out[2 * s] = precision;
            out[2 * s + 1] = recall;
        }
    });
    return result;
}

}  // namespace

void bind_yisi(py::module_& module) {
    module.def("yisi0_rows", &yisi0_rows, py::arg("vocabulary"), py::arg("width"), py::arg("weights"),
               py::arg("hypotheses"), py::arg("references"), py::arg("order"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
