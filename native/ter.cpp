// Translation edit rate with tercom's shift search; the results are those of sacreBLEU 2.6 (see the Python twin,
// kernels/python/ter.py, which spells the search out).
//
// What makes it fast: distances come from bit vectors (Myers 1999) over the reference; the rows of the unshifted
// prefix are kept; a shift that moves k words cannot gain more than 2k edits, and none can gain more than the words the
// texts do not share allow, so that most candidates need no distance at all.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::size_t WORD = 64;
constexpr std::uint64_t ALL = ~std::uint64_t{0};
constexpr std::size_t LONGEST_SHIFT = 10, FARTHEST_SHIFT = 50, BEAM = 25, CANDIDATES = 1000;

inline int popcount(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    return static_cast<int>((((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
}

inline unsigned lowest_bit(std::uint64_t bits) { return static_cast<unsigned>(popcount((bits & -bits) - 1)); }

// 64 reference words in one row of the distance matrix (a row: one hypothesis word). Bit j says of the cell after
// reference word j: one more (`up`) or one less (`down`) than the cell before it; equal to the diagonal one.
struct Cell {
    std::uint64_t up = ALL, down = 0, diagonal = 0;
};

// What tercom's beam leaves of a row: columns low .. high - 1.
struct Band {
    std::size_t low, high;
};

// The same as masks. A cell outside takes the value of its neighbour inside plus one, which never changes a cell
// inside as long as no match is taken from a diagonal that lies outside (`matches`).
struct Mask {
    std::uint64_t matches, below, edge, above;
};

// The words [begin, middle) and [middle, end) change places.
struct Shift {
    std::uint32_t begin, middle, end, bound;
    std::uint64_t rank;  // of equal gains the largest wins: longest, then earliest start, then earliest target
};

class Searcher {
public:
    std::size_t edits(Span hypothesis, Span reference, std::size_t vocabulary) {
        if (reference.size == 0) return hypothesis.size;
        if (hypothesis.size == 0) return reference.size;
        reference_ = reference;
        words_.assign(hypothesis.begin(), hypothesis.end());
        blocks_ = (reference.size + WORD - 1) / WORD;
        if (match_.size() < vocabulary * blocks_) match_.resize(vocabulary * blocks_);
        for (std::size_t j = 0; j < reference.size; ++j)
            match_[reference[j] * blocks_ + j / WORD] |= std::uint64_t{1} << (j % WORD);
        lower_bound_ = std::max(hypothesis.size, reference.size) - shared_words(vocabulary);
        const std::size_t result = blocks_ == 1 ? search<1>() : search<0>();
        for (const std::uint32_t id : reference)
            std::fill_n(match_.begin() + static_cast<std::ptrdiff_t>(id * blocks_), blocks_, 0);
        return result;
    }

private:
    // `Blocks` is the number of 64-bit blocks where it is known when compiling, else 0.
    template <std::size_t Blocks>
    std::size_t blocks() const {
        return Blocks ? Blocks : blocks_;
    }

    template <std::size_t Blocks>
    std::size_t search() {
        const std::size_t n = words_.size(), m = reference_.size;
        const std::size_t difference = std::max(n, m) - std::min(n, m);
        rows_.resize((n + 1) * blocks<Blocks>());
        std::fill_n(rows_.begin(), blocks<Blocks>(), Cell{});
        std::size_t distance = extend<Blocks, false>(0);
        // Alignments this close to the diagonal lie within the beam, which then has no effect.
        if (m < BEAM || distance + difference <= 2 * BEAM - 4) return shift_while_better<Blocks, false>(distance);
        make_bands();
        bases_.resize(n + 1);
        bases_[0] = 0;
        distance = extend<Blocks, true>(0);
        return shift_while_better<Blocks, true>(distance);
    }

    template <std::size_t Blocks, bool Banded>
    std::size_t shift_while_better(std::size_t distance) {
        std::size_t shifts = 0, tried = 0;
        while (distance > lower_bound_) {
            trace<Blocks, Banded>();
            if (!collect<Blocks, Banded>(distance - lower_bound_, tried)) break;
            const Shift* best = nullptr;
            const std::size_t gain = best_shift<Blocks, Banded>(distance, best);
            if (gain == 0) break;
            const auto first = words_.begin();
            std::rotate(first + best->begin, first + best->middle, first + best->end);
            distance = extend<Blocks, Banded>(best->begin);
            ++shifts;
        }
        return shifts + distance;
    }

    std::size_t shared_words(std::size_t vocabulary) {
        if (counts_.size() < vocabulary) counts_.resize(vocabulary);
        for (const std::uint32_t id : reference_) ++counts_[id];
        std::size_t shared = 0;
        for (const std::uint32_t id : words_) {
            if (counts_[id] > 0) {
                --counts_[id];
                ++shared;
            }
        }
        for (const std::uint32_t id : reference_) counts_[id] = 0;
        return shared;
    }

    void make_bands() {
        const std::size_t n = words_.size(), m = reference_.size;
        const double ratio = static_cast<double>(m) / static_cast<double>(n);
        const auto width = ratio / 2 > BEAM ? static_cast<std::size_t>(std::ceil(ratio / 2 + BEAM)) : BEAM;
        bands_.assign(1, {0, m + 1});
        masks_.assign((n + 1) * blocks_, {ALL, 0, 0, 0});
        for (std::size_t i = 1; i <= n; ++i) {
            const auto centre = static_cast<std::size_t>(std::floor(static_cast<double>(i) * ratio));
            const std::size_t low = centre > width ? centre - width : 0;
            const std::size_t high = i == n ? m + 1 : std::min(m + 1, centre + width);
            const Band before = bands_.back();
            bands_.push_back({low, high});
            // Column j is bit j - 1; its diagonal is column j - 1 of the row before.
            for (std::size_t j = 1; j <= blocks_ * WORD; ++j) {
                Mask& mask = masks_[i * blocks_ + (j - 1) / WORD];
                const std::uint64_t bit = std::uint64_t{1} << ((j - 1) % WORD);
                if (j < low || j >= high || j - 1 < before.low || j - 1 >= before.high) mask.matches &= ~bit;
                if (j <= low) mask.below |= bit;
                if (j == low) mask.edge |= bit;
                if (j >= high) mask.above |= bit;
            }
        }
    }

    // One hypothesis word more. `base` follows the distance in the lowest column of the band (banded only).
    template <std::size_t Blocks, bool Banded>
    void step(Cell* state, std::uint32_t id, std::size_t row, std::size_t& base) const {
        std::uint64_t up_in = 1, down_in = 0;
        std::size_t low = 0;
        if constexpr (Banded) {
            low = bands_[row].low;
            for (std::size_t j = bands_[row - 1].low; j < low; ++j) {
                base += (state[j / WORD].up >> (j % WORD)) & 1;
                base -= (state[j / WORD].down >> (j % WORD)) & 1;
            }
            if (low == 0) ++base;
        }
        const std::uint64_t* match = match_.data() + id * blocks<Blocks>();
        for (std::size_t b = 0; b < blocks<Blocks>(); ++b) {
            Cell& cell = state[b];
            std::uint64_t x = match[b];
            if constexpr (Banded) x &= masks_[row * blocks<Blocks>() + b].matches;
            x |= down_in;
            const std::uint64_t diagonal = (((x & cell.up) + cell.up) ^ cell.up) | x | cell.down;
            const std::uint64_t up = cell.down | ~(diagonal | cell.up), down = diagonal & cell.up;
            const std::uint64_t up_shifted = (up << 1) | up_in;
            cell.up = (down << 1) | down_in | ~(diagonal | up_shifted);
            cell.down = up_shifted & diagonal;
            cell.diagonal = diagonal;
            up_in = up >> (WORD - 1);
            down_in = down >> (WORD - 1);
            if constexpr (Banded) {
                const Mask& mask = masks_[row * blocks<Blocks>() + b];
                cell.up = (cell.up & ~mask.below) | mask.above;
                cell.down = (cell.down & ~(mask.below | mask.above)) | mask.edge;
                if (mask.edge) {
                    base += (up & mask.edge) != 0;
                    base -= (down & mask.edge) != 0;
                }
            }
        }
    }

    // The distance at the end of the last row.
    template <std::size_t Blocks, bool Banded>
    std::size_t final_distance(const Cell* state, std::size_t base) const {
        const std::size_t m = reference_.size, low = Banded ? bands_.back().low : 0;
        std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(Banded ? base : words_.size());
        for (std::size_t b = 0; b < blocks<Blocks>(); ++b) {
            std::uint64_t used = b + 1 < blocks<Blocks>() ? ALL : ALL >> (blocks<Blocks>() * WORD - m);
            if (Banded && low > b * WORD) used &= low >= (b + 1) * WORD ? 0 : ALL << (low - b * WORD);
            distance += popcount(state[b].up & used) - popcount(state[b].down & used);
        }
        return static_cast<std::size_t>(distance);
    }

    // Recomputes the rows after the first `row` words; returns the distance.
    template <std::size_t Blocks, bool Banded>
    std::size_t extend(std::size_t row) {
        const std::size_t width = blocks<Blocks>();
        std::size_t base = Banded ? bases_[row] : 0;
        for (; row < words_.size(); ++row) {
            Cell* next = rows_.data() + (row + 1) * width;
            std::copy_n(next - width, width, next);
            step<Blocks, Banded>(next, words_[row], row + 1, base);
            if constexpr (Banded) bases_[row + 1] = base;
        }
        return final_distance<Blocks, Banded>(rows_.data() + row * width, base);
    }

    template <std::size_t Blocks, bool Banded>
    std::size_t distance_after(const Shift& shift) {
        const std::size_t width = blocks<Blocks>();
        std::array<Cell, Blocks ? Blocks : 1> fixed;
        if (!Blocks) scratch_.resize(width);
        Cell* state = Blocks ? fixed.data() : scratch_.data();
        std::copy_n(rows_.data() + shift.begin * width, width, state);
        std::size_t row = shift.begin, base = Banded ? bases_[row] : 0;
        for (std::size_t k = shift.middle; k < shift.end; ++k) step<Blocks, Banded>(state, words_[k], ++row, base);
        for (std::size_t k = shift.begin; k < shift.middle; ++k) step<Blocks, Banded>(state, words_[k], ++row, base);
        for (std::size_t k = shift.end; k < words_.size(); ++k) step<Blocks, Banded>(state, words_[k], ++row, base);
        return final_distance<Blocks, Banded>(state, base);
    }

    // Follows the alignment back: where each reference word stands in the hypothesis, and the next word in error at
    // or after each place. Match or substitution goes first, then skipping a hypothesis word, then a reference word.
    template <std::size_t Blocks, bool Banded>
    void trace() {
        const std::size_t n = words_.size(), m = reference_.size, width = blocks<Blocks>();
        position_.resize(m);
        hypothesis_error_.resize(n + 1);
        reference_error_.resize(m + 1);
        auto next_hypothesis = static_cast<std::uint32_t>(n), next_reference = static_cast<std::uint32_t>(m);
        hypothesis_error_[n] = next_hypothesis;
        reference_error_[m] = next_reference;
        std::size_t i = n, j = m;
        while (i || j) {
            bool keep = false, skip_hypothesis = j == 0, error = true;
            if (i && j) {
                const std::size_t block = (j - 1) / WORD, bit = (j - 1) % WORD;
                const bool inside = !Banded || (j - 1 >= bands_[i - 1].low && j - 1 < bands_[i - 1].high);
                error = words_[i - 1] != reference_[j - 1];
                keep = inside && (!error || !((rows_[i * width + block].diagonal >> bit) & 1));
                skip_hypothesis = !keep && ((rows_[(i - 1) * width + block].down >> bit) & 1);
            }
            if (!skip_hypothesis) {
                --j;
                position_[j] = static_cast<std::int32_t>(i) - 1;
                if (error || !keep) next_reference = static_cast<std::uint32_t>(j);
                reference_error_[j] = next_reference;
            }
            if (keep || skip_hypothesis) {
                --i;
                if (error || !keep) next_hypothesis = static_cast<std::uint32_t>(i);
                hypothesis_error_[i] = next_hypothesis;
            }
        }
    }

    // The shifts worth trying. False when the search has tried too many in all: it then ends without this round.
    template <std::size_t Blocks, bool Banded>
    bool collect(std::size_t most, std::size_t& tried) {
        const std::size_t n = words_.size(), m = reference_.size, width = blocks<Blocks>();
        shifts_.clear();
        for (std::size_t start = 0; start < n; ++start) {
            const std::size_t error = hypothesis_error_[start];
            if (error == n || error - start >= LONGEST_SHIFT) continue;
            for (std::size_t block = 0; block < width; ++block) {
                for (std::uint64_t places = match_[words_[start] * width + block]; places; places &= places - 1) {
                    const std::size_t place = block * WORD + lowest_bit(places);
                    if (place + FARTHEST_SHIFT < start || start + FARTHEST_SHIFT < place) continue;
                    if (reference_error_[place] == m) continue;
                    const std::size_t shortest = 1 + std::max(error - start, reference_error_[place] - place);
                    std::size_t longest = std::min({LONGEST_SHIFT, n - start, m - place});
                    // Not into itself.
                    const std::ptrdiff_t aligned = position_[place] - static_cast<std::ptrdiff_t>(start);
                    if (aligned >= 0) longest = std::min(longest, static_cast<std::size_t>(aligned));
                    if (shortest > longest) continue;
                    std::size_t length = 1;
                    for (; length <= longest; ++length) {
                        if (words_[start + length - 1] != reference_[place + length - 1]) break;
                        if (length < shortest) continue;
                        tried += add_targets(start, place, length, Banded ? 0 : most);
                        if (tried >= CANDIDATES) return false;
                    }
                }
            }
        }
        if constexpr (Banded)
            for (Shift& shift : shifts_) shift.bound = static_cast<std::uint32_t>(most);
        return true;
    }

    // The places a run of words can go to: before each of the words aligned to its reference words, and after the
    // last. `most` caps the bound on the gain.
    std::size_t add_targets(std::size_t start, std::size_t place, std::size_t length, std::size_t most) {
        const auto n = static_cast<std::uint32_t>(words_.size());
        const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(start + length);
        std::size_t targets = 0;
        std::int32_t before = -1;
        for (std::size_t k = place; k <= place + length; ++k) {
            const std::int32_t target = k == 0 ? 0 : position_[k - 1] + 1;
            if (target == before) continue;
            before = target;
            ++targets;
            const auto at = static_cast<std::uint32_t>(target);
            Shift shift{from, to, at, 0, 0};
            if (at < from) {
                shift = {at, from, to, 0, 0};
            } else if (at <= to) {
                // Inside itself: as many words to the right (tercom's quirk).
                shift.end = std::min(n, at + static_cast<std::uint32_t>(length));
            }
            if (shift.middle == shift.end) continue;
            const std::size_t moved = std::min(shift.middle - shift.begin, shift.end - shift.middle);
            shift.bound = static_cast<std::uint32_t>(std::min(2 * moved, most));
            shift.rank = (static_cast<std::uint64_t>(length) << 56) | ((ALL >> 36) - start) << 28 | ((ALL >> 36) - at);
            shifts_.push_back(shift);
        }
        return targets;
    }

    // The gain of the best shift, 0 if none helps. Those that may gain most go first.
    template <std::size_t Blocks, bool Banded>
    std::size_t best_shift(std::size_t distance, const Shift*& best) {
        std::size_t gain = 0, level = 0;
        for (const Shift& shift : shifts_) level = std::max<std::size_t>(level, shift.bound);
        for (; level > 0 && level >= gain; --level) {
            for (const Shift& shift : shifts_) {
                if (shift.bound != level || (level == gain && shift.rank <= best->rank)) continue;
                const std::size_t after = distance_after<Blocks, Banded>(shift);
                if (after >= distance) continue;
                const std::size_t gained = distance - after;
                if (gained > gain || (gained == gain && shift.rank > best->rank)) {
                    gain = gained;
                    best = &shift;
                }
            }
        }
        return gain;
    }

    Span reference_{nullptr, 0};
    std::size_t blocks_ = 0, lower_bound_ = 0;
    std::vector<std::uint32_t> words_, counts_;
    std::vector<std::uint64_t> match_;  // for each word id, where it stands in the reference; zero between calls
    std::vector<Cell> rows_, scratch_;
    std::vector<Band> bands_;
    std::vector<Mask> masks_;
    std::vector<std::size_t> bases_;
    std::vector<std::int32_t> position_;
    std::vector<std::uint32_t> hypothesis_error_, reference_error_;
    std::vector<Shift> shifts_;
};

py::array_t<double> ter_rows(const TokenBatch& tokens, int jobs) {
    py::array_t<double> result({tokens.size(), std::size_t{2}});
    double* out = result.mutable_data();
    py::gil_scoped_release release;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Searcher searcher;
        for (std::size_t s = begin; s < end; ++s) {
            const std::size_t references = tokens.references(s);
            std::size_t fewest = 0, length = 0;
            for (std::size_t r = 0; r < references; ++r) {
                const Span reference = tokens.reference(s, r);
                const std::size_t edits = searcher.edits(tokens.hypothesis(s), reference, tokens.vocabulary(s));
                if (r == 0 || edits < fewest) fewest = edits;
                length += reference.size;
            }
            out[2 * s] = static_cast<double>(fewest);
            out[2 * s + 1] = static_cast<double>(length) / static_cast<double>(references);
        }
    });
    return result;
}

}  // namespace

void bind_ter(py::module_& module) {
    module.def("ter_rows", &ter_rows, py::arg("tokens"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
