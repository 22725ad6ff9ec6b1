// Words of a hypothesis beside words of each reference: RIBES, LEPOR, GTM. The twins are in kernels/python/alignment.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

using Index = std::uint32_t;

double as_double(std::size_t value) { return static_cast<double>(value); }

// The places of each word of a text: those of word w are places[start[w]] to places[start[w + 1] - 1].
class Places {
   public:
    void set(Span text, std::size_t vocabulary) {
        start_.assign(vocabulary + 2, 0);
        for (const Index id : text) ++start_[id + 2];
        for (std::size_t w = 2; w < start_.size(); ++w) start_[w] += start_[w - 1];
        places_.resize(text.size);
        for (std::size_t i = 0; i < text.size; ++i) places_[start_[text[i] + 1]++] = static_cast<Index>(i);
    }
    std::size_t count(Index word) const { return start_[word + 1] - start_[word]; }
    const Index* begin(Index word) const { return places_.data() + start_[word]; }
    const Index* end(Index word) const { return places_.data() + start_[word + 1]; }

   private:
    std::vector<std::size_t> start_;
    std::vector<Index> places_;
};

// A row of `width` numbers between segment and lengths for each reference; kernel(hypothesis, reference, vocabulary, row)
// fills it in.
template <class Kernel>
py::array_t<double> pairs(const TokenBatch& tokens, std::size_t width, int jobs, const Kernel& kernel) {
    const std::size_t count = tokens.segment_text.empty() ? 0 : tokens.segment_text.back() - tokens.size();
    py::array_t<double> rows({count, width + 3});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Kernel mine = kernel;
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            double* row = out + (width + 3) * (tokens.segment_text[s] - s);
            for (std::size_t j = 0; j < tokens.references(s); ++j, row += width + 3) {
                const Span reference = tokens.reference(s, j);
                row[0] = as_double(s);
                mine(hypothesis, reference, tokens.vocabulary(s), row + 1);
                row[width + 1] = as_double(hypothesis.size);
                row[width + 2] = as_double(reference.size);
            }
        }
    });
    return rows;
}

// Of each word of the hypothesis, by how many words (itself included) the text from it on, or up to it, agrees with other
// places: at most so many in the hypothesis itself, and the largest two such numbers in the reference. The
// shortest stretch that occurs once in both is one word longer than the first and the third, if the second reaches it.
class Stretches {
   public:
    struct Agreement {
        Index own = 0, best = 0, second = 0, place = 0;
    };

    void find(Span hypothesis, Span reference, bool forward, std::vector<Agreement>& found) {
        found.assign(hypothesis.size, Agreement{});
        row_.assign(std::max(hypothesis.size, reference.size) + 1, 0);
        const auto at = [forward](Span text, std::size_t i) { return text[forward ? text.size - 1 - i : i]; };
        const auto place = [forward](Span text, std::size_t i) { return forward ? text.size - 1 - i : i; };
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            Agreement& mine = found[place(hypothesis, i)];
            const Index word = at(hypothesis, i);
            for (std::size_t k = reference.size; k-- > 0;) {  // downwards: row_[k] is still that of the word before
                const Index length = at(reference, k) == word ? row_[k] + 1 : 0;
                row_[k + 1] = length;
                if (length > mine.best) {
                    mine.second = mine.best;
                    mine.best = length;
                    mine.place = static_cast<Index>(place(reference, k));
                } else if (length > mine.second) {
                    mine.second = length;
                }
            }
        }
        row_.assign(hypothesis.size + 1, 0);
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            const Index word = at(hypothesis, i);
            Index& own = found[place(hypothesis, i)].own;
            for (std::size_t k = i; k-- > 0;) {
                const Index length = at(hypothesis, k) == word ? row_[k] + 1 : 0;
                row_[k + 1] = length;
                own = std::max(own, length);
                Index& other = found[place(hypothesis, k)].own;
                other = std::max(other, length);
            }
        }
    }

   private:
    std::vector<Index> row_;
};

class RibesKernel {
   public:
    explicit RibesKernel(const std::string& form) : runs_(form == "nltk3.9"), left_first_(form == "ntt") {}

    void operator()(Span hypothesis, Span reference, std::size_t vocabulary, double* row) {
        place(hypothesis, reference, vocabulary);
        row[0] = as_double(placed_.size());
        row[1] = runs_ ? in_runs() : in_order(reference.size);
    }

   private:
    void place(Span hypothesis, Span reference, std::size_t vocabulary) {
        placed_.clear();
        here_.set(hypothesis, vocabulary);
        there_.set(reference, vocabulary);
        bool sought = false;
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            const Index word = hypothesis[i];
            const std::size_t mine = here_.count(word), theirs = there_.count(word);
            if (theirs == 0) continue;
            if (mine == 1 && theirs == 1) {
                placed_.push_back(*there_.begin(word));
                continue;
            }
            if (!sought) {
                stretches_.find(hypothesis, reference, true, right_);
                stretches_.find(hypothesis, reference, false, left_);
                sought = true;
            }
            const std::size_t most = left_first_ ? hypothesis.size : std::max(i, hypothesis.size - i + 1) - 1;
            const std::size_t right = further(right_[i], most), left = further(left_[i], most);
            const bool take_left = left_first_ ? left <= right : left < right;
            if (std::min(left, right) == kNone) continue;
            placed_.push_back(take_left ? left_[i].place : right_[i].place);
        }
    }

    // How many further words make the stretch unique in both texts.
    static std::size_t further(const Stretches::Agreement& agreement, std::size_t most) {
        const std::size_t needed = std::max(agreement.own, agreement.second);  // one more word, less the word itself
        return agreement.best > needed && needed <= most ? needed : kNone;
    }

    double in_order(std::size_t size) {
        sums_.assign(size + 1, 0);  // a tree of partial sums over the places of the reference
        std::size_t count = 0;
        for (const Index place : placed_) {
            for (std::size_t k = place; k > 0; k -= k & (~k + 1)) count += sums_[k];
            for (std::size_t k = place + 1; k <= size; k += k & (~k + 1)) ++sums_[k];
        }
        return as_double(count);
    }

    double in_runs() const {
        std::size_t count = 0, run = 0;
        for (std::size_t i = 1; i < placed_.size(); ++i) {
            run = placed_[i] == placed_[i - 1] + 1 ? run + 1 : 0;
            count += run;
        }
        return as_double(count);
    }

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    bool runs_, left_first_;
    Places here_, there_;
    Stretches stretches_;
    std::vector<Stretches::Agreement> right_, left_;
    std::vector<Index> placed_;
    std::vector<std::size_t> sums_;
};

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

class LeporKernel {
   public:
    LeporKernel(const std::string& form, std::size_t window)
        : farthest_(form == "nltk"), slip_(form == "hlepor"), window_(window) {}

    void operator()(Span hypothesis, Span reference, std::size_t vocabulary, double* row) {
        pairs_.clear();
        row[0] = row[1] = 0;
        if (!hypothesis.size || !reference.size) return;
        if (slip_ && std::equal(hypothesis.begin(), hypothesis.end(), reference.begin(), reference.end())) {
            row[0] = as_double(hypothesis.size);
            return;
        }
        there_.set(reference, vocabulary);
        if (farthest_)
            align_farthest(hypothesis, reference);
        else
            align_nearest(hypothesis, reference, vocabulary);
        const double mine = as_double(hypothesis.size), theirs = as_double(reference.size);
        for (const auto& [i, k] : pairs_) row[1] += std::abs(as_double(i + 1) / mine - as_double(k + 1) / theirs);
        row[0] = as_double(pairs_.size());
    }

   private:
    void align_farthest(Span hypothesis, Span reference) {
        const auto equal = [&](std::size_t i, std::size_t k) {  // wrapping below 0 is caught by the upper bounds
            return i > 0 && k > 0 && i < hypothesis.size && k < reference.size && hypothesis[i] == reference[k];
        };
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            const Index* const first = there_.begin(hypothesis[i]);
            const Index* const last = there_.end(hypothesis[i]);
            if (first == last) continue;
            std::size_t taken = *first, far = 0;
            bool supported = false;
            for (const Index* at = first; at != last && last - first > 1; ++at) {
                const std::size_t k = *at;
                const bool support = equal(i - 1, k - 1) || equal(i + 1, k + 1);
                if (support < supported) continue;
                if (support > supported || at == first || distance(i, k) > far) {
                    taken = k;
                    far = distance(i, k);
                }
                supported = support;
            }
            pairs_.emplace_back(pairs_.size(), taken);
        }
    }

    void align_nearest(Span hypothesis, Span reference, std::size_t vocabulary) {
        here_.set(hypothesis, vocabulary);
        done_.assign(vocabulary, 0);
        mark_.assign(vocabulary, 0);
        for (const Index word : reference) {
            if (std::exchange(done_[word], 1) || here_.count(word) == 0) continue;
            left_.assign(there_.begin(word), there_.end(word));
            if (left_.size() == 1 && here_.count(word) == 1) {
                pairs_.emplace_back(*here_.begin(word), left_[0]);
                continue;
            }
            for (const Index* at = here_.begin(word); at != here_.end(word) && !left_.empty(); ++at)
                take_nearest(hypothesis, reference, *at);
        }
    }

    void take_nearest(Span hypothesis, Span reference, std::size_t i) {
        around(hypothesis, i, [&](Index word) { mark_[word] = 1; });
        std::size_t nearest = 0, near = 0, supported = 0;
        bool support = false;
        for (std::size_t n = 0; n < left_.size(); ++n) {
            bool common = false;
            around(reference, left_[n], [&](Index word) { common |= mark_[word] != 0; });
            if (common < support) continue;
            if (common > support || n == 0 || distance(i, left_[n]) < near) {
                if (common > support) supported = 0;
                near = distance(i, left_[n]);
                nearest = slip_ ? supported : n;
            }
            support = common;
            ++supported;
        }
        around(hypothesis, i, [&](Index word) { mark_[word] = 0; });
        pairs_.emplace_back(i, left_[nearest]);
        left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(nearest));
    }

    // The words within the window. The package takes a first place below 0 as one counted from the end, as Python does.
    template <class Visit>
    void around(Span text, std::size_t place, const Visit& visit) const {
        std::size_t first = place >= window_ ? place - window_ : 0;
        if (slip_ && place < window_) first = text.size + place >= window_ ? text.size + place - window_ : 0;
        for (std::size_t k = first; k < place; ++k) visit(text[k]);
        for (std::size_t k = place + 1; k < std::min(text.size, place + window_ + 1); ++k) visit(text[k]);
    }

    bool farthest_, slip_;
    std::size_t window_;
    Places here_, there_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
    std::vector<Index> left_;
    std::vector<char> done_, mark_;
};

// A greedy matching: the longest runs first, of equals the first in the hypothesis, then in the reference.
class GtmKernel {
   public:
    explicit GtmKernel(double exponent) : exponent_(exponent) {}

    void operator()(Span hypothesis, Span reference, std::size_t vocabulary, double* row) {
        mine_.assign(hypothesis.size, 1);
        theirs_.assign(reference.size, 1);
        row[0] = exponent_ == 1 ? in_common(hypothesis, reference, vocabulary) : runs(hypothesis, reference, vocabulary);
    }

   private:
    // How many of the free words both texts have.
    double in_common(Span hypothesis, Span reference, std::size_t vocabulary) {
        left_.assign(vocabulary, 0);
        for (std::size_t i = 0; i < hypothesis.size; ++i) left_[hypothesis[i]] += mine_[i] != 0;
        std::size_t matched = 0;
        for (std::size_t k = 0; k < reference.size; ++k) {
            const bool match = theirs_[k] && left_[reference[k]] > 0;
            left_[reference[k]] -= match;
            matched += match;
        }
        return as_double(matched);
    }

    // Each round finds the length of the longest run among what is free, and takes all runs of that length that are
    // still free when their turn comes. Single words that are left need no order.
    double runs(Span hypothesis, Span reference, std::size_t vocabulary) {
        double total = 0;
        for (;;) {
            std::size_t longest = 0;
            each_run(hypothesis, reference, [&](std::size_t, std::size_t, std::size_t length) {
                longest = std::max(longest, length);
            });
            if (longest < 2) return total + in_common(hypothesis, reference, vocabulary);
            each_run(hypothesis, reference, [&](std::size_t i, std::size_t k, std::size_t length) {
                if (length < longest || taken(mine_, i, longest) || taken(theirs_, k, longest)) return;
                std::fill_n(mine_.begin() + static_cast<std::ptrdiff_t>(i), longest, 0);
                std::fill_n(theirs_.begin() + static_cast<std::ptrdiff_t>(k), longest, 0);
                total += std::pow(as_double(longest), exponent_);
            });
        }
    }

    // visit(i, k, length) for each pair of equal free words, in order: the run that ends there, and where it begins. Words
    // that were taken in earlier rounds are passed over; their places in the rows stay 0.
    template <class Visit>
    void each_run(Span hypothesis, Span reference, const Visit& visit) {
        row_.assign(reference.size + 1, 0);
        next_.assign(reference.size + 1, 0);
        free_.clear();
        for (std::size_t k = 0; k < reference.size; ++k)
            if (theirs_[k]) free_.push_back(static_cast<Index>(k));
        bool blank = true;  // whether row_ is all 0
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            if (!mine_[i]) {
                if (!blank) std::fill(row_.begin(), row_.end(), 0);
                blank = true;
                continue;
            }
            const Index word = hypothesis[i];
            for (const std::size_t k : free_) {
                const bool same = word == reference[k] && mine_[i] && theirs_[k];
                const std::size_t length = next_[k + 1] = same ? row_[k] + 1 : 0;
                if (same) visit(i + 1 - length, k + 1 - length, length);
            }
            row_.swap(next_);
            blank = false;
        }
    }

    static bool taken(const std::vector<char>& free, std::size_t start, std::size_t length) {
        for (std::size_t i = start; i < start + length; ++i)
            if (!free[i]) return true;
        return false;
    }

    double exponent_;
    std::vector<std::uint32_t> left_;
    std::vector<char> mine_, theirs_;
    std::vector<std::size_t> row_, next_;
    std::vector<Index> free_;
};

}  // namespace

void bind_alignment(py::module_& module) {
    module.def(
        "ribes_rows",
        [](const TokenBatch& tokens, const std::string& form, int jobs) {
            return pairs(tokens, 2, jobs, RibesKernel(form));
        },
        py::arg("tokens"), py::arg("form"), py::arg("jobs"));
    module.def(
        "lepor_rows",
        [](const TokenBatch& tokens, const std::string& form, std::size_t window, int jobs) {
            return pairs(tokens, 2, jobs, LeporKernel(form, window));
        },
        py::arg("tokens"), py::arg("form"), py::arg("window"), py::arg("jobs"));
    module.def(
        "gtm_rows",
        [](const TokenBatch& tokens, double exponent, int jobs) {
            return pairs(tokens, 1, jobs, GtmKernel(exponent));
        },
        py::arg("tokens"), py::arg("exponent"), py::arg("jobs"));
}

}  // namespace nlgauge
