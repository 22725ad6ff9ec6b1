// BLEU's rows: lengths, clipped matches and totals of each order.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "ngram_trie.hpp"
#include "overlaps.hpp"
#include "reference_length.hpp"
#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

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
