// The extended edit distance (Stanchev, Wang and Ney 2019); the Python twin, kernels/python/eed.py, spells it out.
//
// The reference's characters are the rows of the grid, the hypothesis's the columns. A cell needs its left neighbour,
// so that one row is a chain of dependent additions; rows of one word are therefore computed LANES at a time, each one
// column behind the row above it. Additions are made in the order of the definition: the index of a row's smallest cell
// counts, and ties must fall as they do there.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

struct Costs {
    double alpha, rho, deletion, insertion;
};

inline double smaller(double a, double b) { return b < a ? b : a; }

class Grid {
public:
    explicit Grid(const Costs& costs) : costs_(costs) {}

    void hypothesis(const TextView& text) {
        n_ = text.length;
        // Backwards, so that the columns that a block of rows looks at in one step stand side by side.
        letters_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) letters_[n_ - 1 - i] = static_cast<std::int32_t>(text[i]);
    }

    double distance(const TextView& reference) {
        const std::size_t m = reference.length;
        row_.assign(n_ + 1, 1.0);
        row_[0] = 0.0;
        visits_.assign(n_ + 1, -1);
        std::size_t w = 0;
        while (w < m) {
            // A block ends with a blank, after which the row changes, at the latest after LANES rows.
            std::array<std::int32_t, LANES> letters{};
            std::size_t lanes = 0;
            while (lanes < LANES && w + lanes < m) {
                letters[lanes] = static_cast<std::int32_t>(reference[w + lanes]);
                ++lanes;
                if (letters[lanes - 1] == ' ') break;
            }
            if (lanes == LANES && n_ >= LANES) {
                block(letters);
            } else {
                for (std::size_t k = 0; k < lanes; ++k) single(letters[k]);
            }
            if (letters[lanes - 1] == ' ') {
                const double jump = costs_.alpha + least_;
                for (double& cell : row_) cell = smaller(cell, jump);
            }
            w += lanes;
        }
        std::int64_t repeated = 0;
        for (const std::int64_t visits : visits_) repeated += visits >= 0 ? visits : 1;
        const double coverage = costs_.rho * static_cast<double>(repeated);
        const double whole = static_cast<double>(m) + coverage;
        if (whole <= 0) return row_[n_] + coverage > 0 ? 1.0 : 0.0;
        return smaller(1.0, (row_[n_] + coverage) / whole);
    }

private:
    static constexpr std::size_t LANES = 4;

    void single(std::int32_t letter) {
        double diagonal = row_[0], cell = row_[0] + 1.0, least = cell;
        std::size_t where = 0;
        row_[0] = cell;
        for (std::size_t i = 1; i <= n_; ++i) {
            const double above = row_[i];
            const double step = diagonal + (letters_[n_ - i] != letter ? 1.0 : 0.0);
            cell = smaller(smaller(cell + costs_.deletion, step), above + costs_.insertion);
            row_[i] = cell;
            if (cell < least) {
                least = cell;
                where = i;
            }
            diagonal = above;
        }
        least_ = least;
        ++visits_[where];
    }

    // One cell of lane k at column i: `fresh` is that lane's last cell, `left` what it was a step before, and so on.
    void block(const std::array<std::int32_t, LANES>& letters) {
        std::array<double, LANES> last{}, before{}, least{}, at{};
        // Columns that not all lanes have reached yet.
        for (std::size_t s = 0; s < LANES; ++s) {
            std::array<double, LANES> fresh = last;
            for (std::size_t k = 0; k <= s; ++k) {
                const std::size_t i = s - k;
                const double above = k == 0 ? row_[i] : last[k - 1];
                if (i == 0) {
                    fresh[k] = least[k] = above + 1.0;
                    at[k] = 0.0;
                } else {
                    fresh[k] = cell(last[k], k == 0 ? first_before_ : before[k - 1], above, letters_[n_ - i] != letters[k]);
                    note(fresh[k], i, least[k], at[k]);
                }
            }
            first_before_ = row_[s];
            before = last;
            last = fresh;
        }
        // All lanes. The top row is overwritten by the bottom one behind the reader.
        std::array<double, LANES> wanted{};
        for (std::size_t k = 0; k < LANES; ++k) wanted[k] = static_cast<double>(letters[k]);
        double diagonal = first_before_;
        double* const row = row_.data();
        const double deletion = costs_.deletion, insertion = costs_.insertion;
        row[0] = last[LANES - 1];
        for (std::size_t s = LANES; s <= n_; ++s) {
            const std::int32_t* const letter = letters_.data() + (n_ - s);
            std::array<double, LANES> above, corner, fresh;
            above[0] = row[s];
            corner[0] = diagonal;
            for (std::size_t k = 1; k < LANES; ++k) {
                above[k] = last[k - 1];
                corner[k] = before[k - 1];
            }
            for (std::size_t k = 0; k < LANES; ++k) {
                const double step = corner[k] + (letter[k] != letters[k] ? 1.0 : 0.0);
                fresh[k] = smaller(smaller(last[k] + deletion, step), above[k] + insertion);
            }
            for (std::size_t k = 0; k < LANES; ++k) {
                const bool less = fresh[k] < least[k];
                least[k] = less ? fresh[k] : least[k];
                at[k] = less ? static_cast<double>(s - k) : at[k];
            }
            diagonal = above[0];
            before = last;
            last = fresh;
            row[s - LANES + 1] = fresh[LANES - 1];
        }
        // Columns that the first lanes have passed.
        for (std::size_t s = n_ + 1; s < n_ + LANES; ++s) {
            std::array<double, LANES> fresh = last;
            for (std::size_t k = s - n_; k < LANES; ++k) {
                const std::size_t i = s - k;
                fresh[k] = cell(last[k], before[k - 1], last[k - 1], letters_[n_ - i] != letters[k]);
                note(fresh[k], i, least[k], at[k]);
            }
            before = last;
            last = fresh;
            row[s - LANES + 1] = fresh[LANES - 1];
        }
        for (std::size_t k = 0; k < LANES; ++k) ++visits_[static_cast<std::size_t>(at[k])];
        least_ = least[LANES - 1];
    }

    double cell(double left, double corner, double above, bool differs) const {
        const double step = corner + (differs ? 1.0 : 0.0);
        return smaller(smaller(left + costs_.deletion, step), above + costs_.insertion);
    }

    static void note(double value, std::size_t i, double& least, double& at) {
        if (value < least) {
            least = value;
            at = static_cast<double>(i);
        }
    }

    Costs costs_;
    std::size_t n_ = 0;
    double least_ = 0, first_before_ = 0;
    std::vector<std::int32_t> letters_;
    std::vector<double> row_;
    std::vector<std::int64_t> visits_;
};

py::array_t<double> eed_rows(py::handle hypotheses, py::handle references, double alpha, double rho, double deletion,
                             double insertion, int jobs) {
    const TextBatch texts = gather(hypotheses, references, false);
    py::array_t<double> result({texts.size(), std::size_t{2}});
    double* out = result.mutable_data();
    {
        py::gil_scoped_release release;
        parallel_for(texts.size(), jobs, [&](std::size_t begin, std::size_t end) {
            Grid grid({alpha, rho, deletion, insertion});
            for (std::size_t s = begin; s < end; ++s) {
                grid.hypothesis(texts.hypothesis(s));
                double best = 1.0;
                for (std::size_t r = 0; r < texts.references(s); ++r)
                    best = std::min(best, grid.distance(texts.reference(s, r)));
                out[2 * s] = best;
                out[2 * s + 1] = 1.0;
            }
        });
    }
    return result;
}

}  // namespace

void bind_eed(py::module_& module) {
    module.def("eed_rows", &eed_rows, py::arg("hypotheses"), py::arg("references"), py::arg("alpha"), py::arg("rho"),
               py::arg("deletion"), py::arg("insertion"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
