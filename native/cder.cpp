// CDER, the edit distance with long jumps (Leusch, Ueffing and Ney 2006), and PER, the position-independent error rate
// (Tillmann et al. 1997). The Python twin is kernels/python/edit.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

// The cheapest way from the first to the last corner of the grid, row by row over the reference.
std::uint32_t cder(Span hypothesis, Span reference, std::vector<std::uint32_t>& row) {
    const std::size_t n = hypothesis.size;
    row.assign(n + 1, 1);
    row[0] = 0;
    for (const std::uint32_t word : reference) {
        std::uint32_t diagonal = row[0], cell = row[0] + 1, least = cell;
        row[0] = cell;
        for (std::size_t i = 1; i <= n; ++i) {
            const std::uint32_t above = row[i];
            cell = std::min({cell + 1, diagonal + (hypothesis[i - 1] != word), above + 1});
            row[i] = cell;
            least = std::min(least, cell);
            diagonal = above;
        }
        for (std::uint32_t& any : row) any = std::min(any, least + 1);
    }
    return row[n];
}

// max(lengths) - words in common, whatever their order. `counts` is zero before and after.
std::uint32_t per(Span hypothesis, Span reference, std::vector<std::uint32_t>& counts) {
    for (const std::uint32_t id : reference) ++counts[id];
    std::size_t common = 0;
    for (const std::uint32_t id : hypothesis) {
        if (counts[id] > 0) {
            --counts[id];
            ++common;
        }
    }
    for (const std::uint32_t id : reference) counts[id] = 0;
    return static_cast<std::uint32_t>(std::max(hypothesis.size, reference.size) - common);
}

// Errors and reference length of the reference with the lowest rate; `errors(hypothesis, reference)` counts them.
template <class Make>
py::array_t<double> error_rows(const TokenBatch& tokens, int jobs, Make make) {
    py::array_t<double> result({tokens.size(), std::size_t{2}});
    double* out = result.mutable_data();
    py::gil_scoped_release release;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        auto errors = make();
        for (std::size_t s = begin; s < end; ++s) {
            std::uint64_t fewest = 0, length = 0;
            for (std::size_t r = 0; r < tokens.references(s); ++r) {
                const Span reference = tokens.reference(s, r);
                const std::uint64_t found = errors(tokens.hypothesis(s), reference, tokens.vocabulary(s));
                // An empty reference counts as one word long in the comparison, as for WER.
                const std::uint64_t size = std::max<std::uint64_t>(reference.size, 1);
                if (r == 0 || found * std::max<std::uint64_t>(length, 1) < fewest * size) {
                    fewest = found;
                    length = reference.size;
                }
            }
            out[2 * s] = static_cast<double>(fewest);
            out[2 * s + 1] = static_cast<double>(length);
        }
    });
    return result;
}

py::array_t<double> cder_rows(const TokenBatch& tokens, int jobs) {
    return error_rows(tokens, jobs, [] {
        return [row = std::vector<std::uint32_t>()](Span hypothesis, Span reference, std::size_t) mutable {
            return cder(hypothesis, reference, row);
        };
    });
}

py::array_t<double> per_rows(const TokenBatch& tokens, int jobs) {
    return error_rows(tokens, jobs, [] {
        return [counts = std::vector<std::uint32_t>()](Span hypothesis, Span reference, std::size_t words) mutable {
            if (counts.size() < words) counts.resize(words);
            return per(hypothesis, reference, counts);
        };
    });
}

}  // namespace

void bind_cder(py::module_& module) {
    module.def("cder_rows", &cder_rows, py::arg("tokens"), py::arg("jobs") = 1);
    module.def("per_rows", &per_rows, py::arg("tokens"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
