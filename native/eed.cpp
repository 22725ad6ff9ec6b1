// The extended edit distance (Stanchev, Wang and Ney 2019); the Python twin, kernels/python/edit.py, spells it out.
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

#include "scan.hpp"
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
        for (std::size_t i = 0; i < n_; ++i) letters_[n_ - 1 - i] = static_cast<double>(text[i]);
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
            if (n_ < LANES) {
                for (std::size_t k = 0; k < lanes; ++k) single(letters[k]);
            } else if (lanes == 1) {
                block<1>(letters);
            } else if (lanes == 2) {
                block<2>(letters);
            } else if (lanes == 3) {
                block<3>(letters);
            } else {
                block<4>(letters);
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

#ifdef NLGAUGE_SSE2
    // `Used` rows (the other lanes run idle); in step s lane k is at column s - k. `last` holds each lane's cell of the step before, `before` that of
    // two steps before: the cells above and diagonally above lane k are those of lane k - 1.
    template <std::size_t Used>
    void block(const std::array<std::int32_t, LANES>& letters) {
        std::array<double, LANES> last{}, before{}, least{}, at{};
        double diagonal = 0.0;
        double* const row = row_.data();
        const auto edge = [&](std::size_t s, std::size_t from, std::size_t to) {
            std::array<double, LANES> fresh = last;
            for (std::size_t k = from; k < to; ++k) {
                const std::size_t i = s - k;
                const double above = k == 0 ? row[i] : last[k - 1];
                if (i == 0) {
                    fresh[k] = least[k] = above + 1.0;
                    continue;
                }
                const double corner = k == 0 ? diagonal : before[k - 1];
                const double step = corner + (letters_[n_ - i] != letters[k] ? 1.0 : 0.0);
                fresh[k] = smaller(smaller(last[k] + costs_.deletion, step), above + costs_.insertion);
                if (fresh[k] < least[k]) {
                    least[k] = fresh[k];
                    at[k] = static_cast<double>(i);
                }
            }
            before = last;
            last = fresh;
        };
        for (std::size_t s = 0; s < LANES; ++s) {  // not all lanes have started yet
            edge(s, 0, s + 1);
            diagonal = row[s];
            if (s + 1 >= Used) row[s + 1 - Used] = last[Used - 1];
        }
        Pair low{last.data(), before.data(), least.data(), at.data(), letters.data(), LANES};
        Pair high{last.data() + 2, before.data() + 2, least.data() + 2, at.data() + 2, letters.data() + 2, LANES - 2};
        const __m128d deletion = _mm_set1_pd(costs_.deletion), insertion = _mm_set1_pd(costs_.insertion);
        __m128d corner = _mm_set1_pd(diagonal);
        const double* letter = letters_.data() + n_ - LANES;
        for (std::size_t s = LANES; s <= n_; ++s, --letter) {
            const __m128d top = _mm_set1_pd(row[s]);
            const __m128d above = _mm_shuffle_pd(low.last, high.last, 1);
            const __m128d corners = _mm_shuffle_pd(low.before, high.before, 1);
            low.step(letter, _mm_unpacklo_pd(top, low.last), _mm_unpacklo_pd(corner, low.before), deletion, insertion);
            high.step(letter + 2, above, corners, deletion, insertion);
            corner = top;
            double* const behind = row + s - Used + 1;  // of what lane 0 has read
            if constexpr (Used == 1) _mm_storel_pd(behind, low.last);
            if constexpr (Used == 2) _mm_storeh_pd(behind, low.last);
            if constexpr (Used == 3) _mm_storel_pd(behind, high.last);
            if constexpr (Used == 4) _mm_storeh_pd(behind, high.last);
        }
        low.store(last.data(), before.data(), least.data(), at.data());
        high.store(last.data() + 2, before.data() + 2, least.data() + 2, at.data() + 2);
        for (std::size_t s = n_ + 1; s < n_ + Used; ++s) {  // the first lanes have finished
            edge(s, s - n_, Used);
            row[s + 1 - Used] = last[Used - 1];
        }
        for (std::size_t k = 0; k < Used; ++k) ++visits_[static_cast<std::size_t>(at[k])];
        least_ = least[Used - 1];
    }

    // Two lanes in the registers of a 64-bit x86 processor.
    struct Pair {
        __m128d last, before, least, at, column, wanted;

        Pair(const double* last_, const double* before_, const double* least_, const double* at_,
             const std::int32_t* letters, std::size_t first)
            : last(_mm_loadu_pd(last_)),
              before(_mm_loadu_pd(before_)),
              least(_mm_loadu_pd(least_)),
              at(_mm_loadu_pd(at_)),
              column(_mm_set_pd(static_cast<double>(first - 1), static_cast<double>(first))),
              wanted(_mm_set_pd(letters[1], letters[0])) {}

        void step(const double* letter, __m128d above, __m128d corner, __m128d deletion, __m128d insertion) {
            const __m128d one = _mm_set1_pd(1.0);
            const __m128d differs = _mm_cmpneq_pd(_mm_loadu_pd(letter), wanted);
            __m128d fresh = _mm_min_pd(_mm_add_pd(corner, _mm_and_pd(differs, one)), _mm_add_pd(above, insertion));
            fresh = _mm_min_pd(fresh, _mm_add_pd(last, deletion));
            const __m128d less = _mm_cmplt_pd(fresh, least);
            at = _mm_or_pd(_mm_and_pd(less, column), _mm_andnot_pd(less, at));
            least = _mm_min_pd(fresh, least);
            column = _mm_add_pd(column, one);
            before = last;
            last = fresh;
        }

        void store(double* last_, double* before_, double* least_, double* at_) const {
            _mm_storeu_pd(last_, last);
            _mm_storeu_pd(before_, before);
            _mm_storeu_pd(least_, least);
            _mm_storeu_pd(at_, at);
        }
    };
#else
    template <std::size_t Used>
    void block(const std::array<std::int32_t, LANES>& letters) {
        for (std::size_t k = 0; k < Used; ++k) single(letters[k]);
    }
#endif

    Costs costs_;
    std::size_t n_ = 0;
    double least_ = 0;  // of the last row
    std::vector<double> letters_, row_;
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
