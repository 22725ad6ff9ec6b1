// BLEU's rows: lengths, clipped matches and totals of each order.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>

#include "ngram_trie.hpp"
#include "overlaps.hpp"
#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

enum class ReferenceLength { closest, shortest, average };

ReferenceLength reference_length_rule(const std::string& name) {
    if (name == "closest") return ReferenceLength::closest;
    if (name == "shortest") return ReferenceLength::shortest;
    if (name == "average") return ReferenceLength::average;
    throw py::value_error("reference_length must be closest, shortest or average");
}

double reference_length(const TokenBatch& tokens, std::size_t segment, ReferenceLength rule) {
    const std::size_t count = tokens.references(segment);
    const auto hypothesis = static_cast<std::ptrdiff_t>(tokens.hypothesis(segment).size);
    std::ptrdiff_t best = 0, sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
        const auto length = static_cast<std::ptrdiff_t>(tokens.reference(segment, j).size);
        sum += length;
        const std::ptrdiff_t distance = std::abs(length - hypothesis), nearest = std::abs(best - hypothesis);
        const bool better = rule == ReferenceLength::closest
                                ? distance < nearest || (distance == nearest && length < best)
                                : length < best;
        if (j == 0 || better) best = length;
    }
    if (rule != ReferenceLength::average) return static_cast<double>(best);
    return count ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

void check_order(int order) {
    if (order < 1) throw py::value_error("order must be at least 1");
}

py::array_t<double> bleu_rows(const TokenBatch& tokens, int order, const std::string& length_rule, int jobs) {
    check_order(order);
    const ReferenceLength rule = reference_length_rule(length_rule);
    const auto width = static_cast<std::size_t>(2 + 2 * order);
    py::array_t<double> rows({tokens.size(), width});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    const auto overlaps = ngram_overlaps(tokens, static_cast<unsigned>(order), jobs);
    for (std::size_t s = 0; s < tokens.size(); ++s) {
        const std::size_t length = tokens.hypothesis(s).size;
        const std::uint32_t* const matched = overlaps->in_segment(s);
        double* const row = out + s * width;
        row[0] = static_cast<double>(length);
        row[1] = reference_length(tokens, s, rule);
        for (int n = 0; n < order; ++n) {
            row[2 + n] = matched[n];
            row[2 + order + n] = count_ngrams(length, static_cast<std::size_t>(n) + 1);
        }
    }
    return rows;
}

}  // namespace

void bind_bleu(py::module_& module) {
    module.def("bleu_rows", &bleu_rows, py::arg("tokens"), py::arg("order"), py::arg("reference_length"),
               py::arg("jobs"));
}

}  // namespace nlgauge
