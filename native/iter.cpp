// ITER: tercom's shift search with costs of one's own and words that match by their stems; the Python twin,
// kernels/python/iter.py, spells it out. Additions are made in the twin's order, so that ties fall alike.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::size_t LONGEST_SHIFT = 10, FARTHEST_SHIFT = 50, BEAM = 25, CANDIDATES = 1000;
constexpr double INFINITE = std::numeric_limits<double>::infinity(), ROUNDING = 1e-9;

struct Costs {
    double stem, substitution, insertion, deletion, shift;
};

struct Word {
    std::uint32_t id, stem;
};

// The rows of the distance matrix, each within its band.
struct Matrix {
    struct Row {
        std::size_t low, high, start;  // columns low .. high - 1, stored from `start` on
    };
    std::vector<Row> rows;
    std::vector<double> cells;

    double at(std::size_t i, std::size_t j) const {
        const Row& row = rows[i];
        return j < row.low || j >= row.high ? INFINITE : cells[row.start + j - row.low];
    }
};

class Searcher {
public:
    explicit Searcher(const Costs& costs) : costs_(costs) {}

    struct Result {
        double cost;
        std::size_t steps;
    };

    Result search(const std::vector<Word>& hypothesis, const std::vector<Word>& reference) {
        words_ = hypothesis;
        reference_ = &reference;
        lay_out();
        fill(words_, matrix_, 0);
        trace();
        double spent = 0.0;
        std::size_t tried = 0;
        while (!reference.empty()) {
            Best best;
            if (!try_shifts(best, tried)) break;
            if (!best.found || best.gain <= ROUNDING || best.gain < costs_.shift - ROUNDING) break;
            words_ = moved(best.start, best.length, best.target);
            spent += costs_.shift;
            fill(words_, matrix_, 0);
            trace();
        }
        return {spent + distance(matrix_), steps_};
    }

private:
    struct Best {
        bool found = false;
        double gain = 0.0;
        std::size_t start = 0, length = 0, target = 0;
    };

    double cost(const Word& a, const Word& b) const {
        return a.id == b.id ? 0.0 : a.stem == b.stem ? costs_.stem : costs_.substitution;
    }

    double distance(const Matrix& matrix) const { return matrix.at(words_.size(), reference_->size()); }

    void lay_out() {
        const std::size_t n = words_.size(), m = reference_->size();
        const double ratio = n ? static_cast<double>(m) / static_cast<double>(n) : 1.0;
        const std::size_t width = ratio / 2 <= BEAM ? BEAM : static_cast<std::size_t>(std::ceil(ratio / 2 + BEAM));
        matrix_.rows.assign(1, {0, m + 1, 0});
        std::size_t used = m + 1;
        for (std::size_t i = 1; i <= n; ++i) {
            const auto centre = static_cast<std::size_t>(std::floor(static_cast<double>(i) * ratio));
            const std::size_t low = centre > width ? centre - width : 0;
            const std::size_t high = i == n ? m + 1 : std::min(m + 1, centre + width);
            matrix_.rows.push_back({low, high, used});
            used += high - low;
        }
        matrix_.cells.resize(used);
        trial_.rows = matrix_.rows;
        trial_.cells.resize(used);
    }

    // The rows after the first `from` words.
    void fill(const std::vector<Word>& words, Matrix& matrix, std::size_t from) const {
        if (from == 0) {
            for (std::size_t j = 0; j <= reference_->size(); ++j)
                matrix.cells[j] = static_cast<double>(j) * costs_.deletion;
        }
        for (std::size_t i = from + 1; i <= words.size(); ++i) {
            const Matrix::Row& row = matrix.rows[i];
            double left = INFINITE;
            for (std::size_t j = row.low; j < row.high; ++j) {
                double cell = matrix.at(i - 1, j) + costs_.insertion;
                if (j > 0) {
                    cell = std::min(cell, matrix.at(i - 1, j - 1) + cost(words[i - 1], (*reference_)[j - 1]));
                    cell = std::min(cell, left + costs_.deletion);
                }
                matrix.cells[row.start + j - row.low] = left = cell;
            }
        }
    }

    void trace() {
        const std::size_t n = words_.size(), m = reference_->size();
        position_.assign(m, 0);
        hypothesis_error_.assign(n, true);
        reference_error_.assign(m, true);
        steps_ = 0;
        std::size_t i = n, j = m;
        while (i || j) {
            ++steps_;
            const double alone = i ? matrix_.at(i - 1, j) + costs_.insertion : INFINITE;
            const double paired =
                i && j ? matrix_.at(i - 1, j - 1) + cost(words_[i - 1], (*reference_)[j - 1]) : INFINITE;
            if (j && (i == 0 || matrix_.at(i, j - 1) + costs_.deletion < std::min(alone, paired))) {
                --j;
                position_[j] = static_cast<std::ptrdiff_t>(i) - 1;
            } else if (j && paired <= alone) {
                --i;
                --j;
                position_[j] = static_cast<std::ptrdiff_t>(i);
                const bool error = words_[i].stem != (*reference_)[j].stem;
                hypothesis_error_[i] = reference_error_[j] = error;
            } else {
                --i;
            }
        }
    }

    // False when the search has tried too many shifts in all: it then ends without this round.
    bool try_shifts(Best& best, std::size_t& tried) {
        const std::size_t n = words_.size(), m = reference_->size();
        for (std::size_t start = 0; start < n; ++start) {
            const std::size_t first = start > FARTHEST_SHIFT ? start - FARTHEST_SHIFT : 0;
            for (std::size_t place = first; place < std::min(m, start + FARTHEST_SHIFT + 1); ++place) {
                const std::size_t longest = std::min({LONGEST_SHIFT, n - start, m - place});
                bool mine = false, theirs = false;
                for (std::size_t length = 1; length <= longest; ++length) {
                    if (words_[start + length - 1].stem != (*reference_)[place + length - 1].stem) break;
                    mine = mine || hypothesis_error_[start + length - 1];
                    theirs = theirs || reference_error_[place + length - 1];
                    const std::ptrdiff_t aligned = position_[place] - static_cast<std::ptrdiff_t>(start);
                    if (!mine || !theirs || (aligned >= 0 && aligned < static_cast<std::ptrdiff_t>(length))) continue;
                    std::ptrdiff_t before = -1;
                    for (std::size_t k = place; k <= place + length; ++k) {
                        const std::ptrdiff_t target = k ? position_[k - 1] + 1 : 0;
                        if (target != before) {
                            if (++tried >= CANDIDATES) return false;
                            consider(start, length, static_cast<std::size_t>(target), best);
                        }
                        before = target;
                    }
                }
            }
        }
        return true;
    }

    void consider(std::size_t start, std::size_t length, std::size_t target, Best& best) {
        const std::vector<Word>& words = moved(start, length, target);
        const std::size_t same = std::min(start, target);
        std::copy_n(matrix_.cells.begin(), row_end(same), trial_.cells.begin());
        fill(words, trial_, same);
        const double gain = distance(matrix_) - distance(trial_);
        if (best.found && gain < best.gain) return;
        if (best.found && gain == best.gain) {
            if (length != best.length) {
                if (length < best.length) return;
            } else if (start != best.start) {
                if (start > best.start) return;
            } else if (target >= best.target) {
                return;
            }
        }
        best = {true, gain, start, length, target};
    }

    std::ptrdiff_t row_end(std::size_t i) const {
        return static_cast<std::ptrdiff_t>(matrix_.rows[i].start + matrix_.rows[i].high - matrix_.rows[i].low);
    }

    // The words with a run of them moved; a target inside the run moves it that many words to the right.
    const std::vector<Word>& moved(std::size_t start, std::size_t length, std::size_t target) {
        const auto first = words_.begin();
        const auto at = [](std::size_t k) { return static_cast<std::ptrdiff_t>(k); };
        rest_.assign(first, first + at(start));
        rest_.insert(rest_.end(), first + at(start + length), words_.end());
        const std::size_t cut = std::min(target > start + length ? target - length : target, rest_.size());
        moved_.assign(rest_.begin(), rest_.begin() + at(cut));
        moved_.insert(moved_.end(), first + at(start), first + at(start + length));
        moved_.insert(moved_.end(), rest_.begin() + at(cut), rest_.end());
        return moved_;
    }

    Costs costs_;
    const std::vector<Word>* reference_ = nullptr;
    std::vector<Word> words_, moved_, rest_;
    Matrix matrix_, trial_;
    std::vector<std::ptrdiff_t> position_;
    std::vector<char> hypothesis_error_, reference_error_;
    std::size_t steps_ = 0;
};

void pair_up(Span words, Span stems, std::vector<Word>& out) {
    if (words.size != stems.size) throw std::invalid_argument("words and stems differ in number");
    out.resize(words.size);
    for (std::size_t k = 0; k < words.size; ++k) out[k] = {words[k], stems[k]};
}

py::array_t<double> iter_rows(const TokenBatch& words, const TokenBatch& stems, double stem, double substitution,
                              double insertion, double deletion, double shift, const std::string& norm, int jobs) {
    py::array_t<double> result({words.size(), std::size_t{2}});
    double* out = result.mutable_data();
    const Costs costs{stem, substitution, insertion, deletion, shift};
    const bool longest = norm == "longest", by_reference = norm == "reference";
    if (words.size() != stems.size() || words.segment_text != stems.segment_text)
        throw std::invalid_argument("words and stems are not of the same texts");
    py::gil_scoped_release release;
    parallel_for(words.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Searcher searcher(costs);
        std::vector<Word> hypothesis, reference;
        for (std::size_t s = begin; s < end; ++s) {
            pair_up(words.hypothesis(s), stems.hypothesis(s), hypothesis);
            double lowest = INFINITE;
            for (std::size_t r = 0; r < words.references(s); ++r) {
                pair_up(words.reference(s, r), stems.reference(s, r), reference);
                const Searcher::Result found = searcher.search(hypothesis, reference);
                const std::size_t length = longest        ? std::max(hypothesis.size(), reference.size())
                                           : by_reference ? reference.size()
                                                          : found.steps;
                lowest = std::min(lowest, found.cost / static_cast<double>(std::max<std::size_t>(length, 1)));
            }
            out[2 * s] = lowest;
            out[2 * s + 1] = 1.0;
        }
    });
    return result;
}

}  // namespace

void bind_iter(py::module_& module) {
    module.def("iter_rows", &iter_rows, py::arg("words"), py::arg("stems"), py::arg("stem"), py::arg("substitution"),
               py::arg("insertion"), py::arg("deletion"), py::arg("shift"), py::arg("norm"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
