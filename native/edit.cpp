// Edit distance: the counts of hits, substitutions, deletions and insertions (WER and its family) and weighted
// distances. Bit-parallel after Myers (1999) and Hyyrö (2003, 2004); among the optimal alignments the one of
// RapidFuzz is counted, so that MER, WIL and WIP equal jiwer's.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::size_t WORD = 64;
constexpr std::uint64_t ALL = ~std::uint64_t{0};

Span slice(Span text, std::size_t begin, std::size_t end) { return {text.data + begin, end - begin}; }

// Words at which both texts agree at either end belong to every alignment that is counted here.
std::size_t strip_common_ends(Span& a, Span& b) {
    const std::size_t shorter = std::min(a.size, b.size);
    std::size_t prefix = 0;
    while (prefix < shorter && a[prefix] == b[prefix]) ++prefix;
    std::size_t suffix = 0;
    while (suffix < shorter - prefix && a[a.size - 1 - suffix] == b[b.size - 1 - suffix]) ++suffix;
    a = slice(a, prefix, a.size - suffix);
    b = slice(b, prefix, b.size - suffix);
    return prefix + suffix;
}

// With both lengths known these two say everything: insertions - deletions is the difference in length.
struct Edits {
    std::size_t distance = 0;
    std::size_t deletions = 0;
    Edits& operator+=(const Edits& other) {
        distance += other.distance;
        deletions += other.deletions;
        return *this;
    }
};

// Differences down a column of the distance matrix: which cells are one more (`up`) or one less (`down`) than the
// cell above. The reference runs down the columns, the hypothesis along the rows.
struct Delta {
    std::uint64_t up = ALL;
    std::uint64_t down = 0;
};

// One hypothesis word: moves a block of 64 reference words on. `up_in`/`down_in` is the horizontal difference that
// enters at the top of the block and, after the call, the one at bit `last`.
inline void advance(Delta& cell, std::uint64_t match, std::uint64_t& up_in, std::uint64_t& down_in, unsigned last) {
    const std::uint64_t x = match | down_in;
    const std::uint64_t diagonal = (((x & cell.up) + cell.up) ^ cell.up) | x | cell.down;
    std::uint64_t up = cell.down | ~(diagonal | cell.up);
    std::uint64_t down = diagonal & cell.up;
    const std::uint64_t up_out = (up >> last) & 1, down_out = (down >> last) & 1;
    up = (up << 1) | up_in;
    down = (down << 1) | down_in;
    cell.up = down | ~(diagonal | up);
    cell.down = up & diagonal;
    up_in = up_out;
    down_in = down_out;
}

// Buffers that live for a whole batch. Between calls `match_` is all zero.
class Aligner {
public:
    Edits align(Span reference, Span hypothesis, std::size_t vocabulary) {
        vocabulary_ = vocabulary;
        return split(reference, hypothesis, std::max(reference.size, hypothesis.size), true);
    }

    std::size_t common_subsequence(Span a, Span b, std::size_t vocabulary) {
        vocabulary_ = vocabulary;
        const std::size_t ends = strip_common_ends(a, b);
        if (a.size == 0 || b.size == 0) return ends;
        const std::size_t words = load(a);
        std::size_t common = ends;
        std::vector<std::uint64_t>& state = column_;
        state.assign(words, ALL);
        for (const std::uint32_t id : b) {
            std::uint64_t carry = 0;
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t s = state[w], u = s & match_[id * words + w];
                const std::uint64_t sum = s + u, with_carry = sum + carry;
                carry = (sum < s) | (with_carry < sum);
                state[w] = with_carry | (s - u);
            }
        }
        for (std::size_t i = 0; i < a.size; ++i) common += !((state[i / WORD] >> (i % WORD)) & 1);
        unload(a, words);
        return common;
    }

private:
    // RapidFuzz aligns texts whose matrix would pass a mebibyte by Hirschberg's bisection, which may pick another
    // of the optimal alignments; `limit` is its bound on the distance, and `open` says that it is only the length.
    Edits split(Span reference, Span hypothesis, std::size_t limit, bool open) {
        strip_common_ends(reference, hypothesis);
        if (hypothesis.size == 0) return {reference.size, reference.size};
        if (reference.size == 0) return {hypothesis.size, 0};
        if (reference.size <= WORD) return align_short(reference, hypothesis);
        limit = std::min(limit, std::max(reference.size, hypothesis.size));
        const std::size_t band = std::min(reference.size, 2 * limit + 1);
        if (2 * band * hypothesis.size / 8 < 1024 * 1024 || hypothesis.size < 10)
            return align_long(reference, hypothesis, limit, open);
        const std::size_t half = hypothesis.size / 2;
        const std::vector<std::size_t> right = last_row(reference, slice(hypothesis, half, hypothesis.size), true);
        const std::vector<std::size_t> left = last_row(reference, slice(hypothesis, 0, half), false);
        std::size_t middle = 1;  // never 0: so does RapidFuzz
        for (std::size_t i = 2; i <= reference.size; ++i)
            if (left[i] + right[reference.size - i] < left[middle] + right[reference.size - middle]) middle = i;
        Edits edits = split(slice(reference, 0, middle), slice(hypothesis, 0, half), left[middle], false);
        edits += split(slice(reference, middle, reference.size), slice(hypothesis, half, hypothesis.size),
                       right[reference.size - middle], false);
        return edits;
    }

    Edits align_short(Span reference, Span hypothesis) {
        const std::size_t n = hypothesis.size;
        load(reference);
        if (rows_.size() < n + 1) rows_.resize(n + 1);
        Delta* rows = rows_.data();
        Delta cell;
        rows[0] = cell;
        for (std::size_t j = 0; j < n; ++j) {
            std::uint64_t up = 1, down = 0;
            advance(cell, match_[hypothesis[j]], up, down, 0);
            rows[j + 1] = cell;
        }
        unload(reference, 1);
        Edits edits;
        const std::uint64_t used = ALL >> (WORD - reference.size);
        edits.distance = n + popcount(cell.up & used) - popcount(cell.down & used);
        // From the end: a deletion wherever one is optimal, then an insertion where the cell to the left is smaller
        // than the one on the diagonal, else a match or substitution.
        std::size_t row = n, column = reference.size;
        while (row && column) {
            const std::uint64_t deletion = (rows[row].up >> (column - 1)) & 1;
            const std::uint64_t insertion = ~deletion & (rows[row - 1].down >> (column - 1)) & 1;
            edits.deletions += deletion;
            column -= 1 - insertion;
            row -= 1 - deletion;
        }
        edits.deletions += column;
        return edits;
    }

    // Several blocks, of which only those near the diagonal are computed (Ukkonen). Where the distance is not known
    // the band is widened until it holds.
    Edits align_long(Span reference, Span hypothesis, std::size_t limit, bool open) {
        const std::size_t longest = std::max(reference.size, hypothesis.size);
        const std::size_t difference = longest - std::min(reference.size, hypothesis.size);
        const std::size_t words = load(reference);
        std::size_t bound = open ? std::max<std::size_t>(difference, 2 * WORD) : limit;
        Edits edits;
        while (true) {
            bound = std::min(bound, longest);
            edits.distance = banded(reference, hypothesis, words, bound);
            if (edits.distance <= bound || bound == longest) break;
            bound *= 2;
        }
        unload(reference, words);
        std::size_t row = hypothesis.size, column = reference.size;
        while (row && column) {
            const bool deletion = stored(row, column - 1).up >> ((column - 1) % WORD) & 1;
            const bool insertion = !deletion && (stored(row - 1, column - 1).down >> ((column - 1) % WORD) & 1);
            edits.deletions += deletion;
            column -= !insertion;
            row -= !deletion;
        }
        edits.deletions += column;
        return edits;
    }

    std::size_t banded(Span reference, Span hypothesis, std::size_t words, std::size_t bound) {
        using Signed = std::ptrdiff_t;
        const auto m = static_cast<Signed>(reference.size), n = static_cast<Signed>(hypothesis.size);
        const Signed slack = (static_cast<Signed>(bound) - std::abs(m - n)) / 2 + 1;
        const Signed low = std::min<Signed>(0, m - n) - slack, high = std::max<Signed>(0, m - n) + slack;
        stride_ = std::min(words, static_cast<std::size_t>(high - low) / WORD + 2);
        computed_.resize(hypothesis.size + 1);
        computed_[0] = {1, 0};
        if (rows_.size() < stride_ * (hypothesis.size + 1)) rows_.resize(stride_ * (hypothesis.size + 1));
        cells_.assign(words, Delta{});
        scores_.resize(words);
        std::size_t entered = 0;  // blocks that have been computed at least once
        const unsigned final_bit = (reference.size - 1) % WORD;
        for (Signed j = 1; j <= n; ++j) {
            const auto row = static_cast<std::size_t>(j);
            const auto first = static_cast<std::size_t>(std::clamp<Signed>(j + low - 1, 0, m - 1)) / WORD;
            const auto last = static_cast<std::size_t>(std::clamp<Signed>(j + high - 1, 0, m - 1)) / WORD;
            const std::uint64_t* match = match_.data() + hypothesis[row - 1] * words;
            Delta* out = rows_.data() + row * stride_;
            computed_[row] = {first, last};
            std::uint64_t up = 1, down = 0;
            for (std::size_t w = first; w <= last; ++w) {
                const unsigned bit = w + 1 == words ? final_bit : WORD - 1;
                if (w >= entered) {
                    const Signed above = w == 0 ? j - 1 : scores_[w - 1] - static_cast<Signed>(up) + static_cast<Signed>(down);
                    scores_[w] = above + static_cast<Signed>(bit) + 1;
                    entered = w + 1;
                }
                advance(cells_[w], match[w], up, down, bit);
                scores_[w] += static_cast<Signed>(up) - static_cast<Signed>(down);
                out[w - first] = cells_[w];
            }
        }
        return static_cast<std::size_t>(scores_[words - 1]);
    }

    Delta stored(std::size_t row, std::size_t column) const {
        const std::size_t block = column / WORD;
        const auto [first, last] = computed_[row];
        if (block < first || block > last) return {};
        return rows_[row * stride_ + block - first];
    }

    // The distances of all of `hypothesis` to every prefix of `reference`; both backwards if `reversed`.
    std::vector<std::size_t> last_row(Span reference, Span hypothesis, bool reversed) {
        const std::size_t m = reference.size, n = hypothesis.size;
        const std::size_t words = load(reference, reversed);
        std::vector<Delta> cells(words);
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint64_t* match = match_.data() + hypothesis[reversed ? n - 1 - j : j] * words;
            std::uint64_t up = 1, down = 0;
            for (std::size_t w = 0; w < words; ++w) advance(cells[w], match[w], up, down, WORD - 1);
        }
        unload(reference, words);
        std::vector<std::size_t> distances(m + 1, n);
        for (std::size_t i = 0; i < m; ++i)
            distances[i + 1] = distances[i] + ((cells[i / WORD].up >> (i % WORD)) & 1) -
                               ((cells[i / WORD].down >> (i % WORD)) & 1);
        return distances;
    }

    // For each word id, at which places it stands in `text`.
    std::size_t load(Span text, bool reversed = false) {
        const std::size_t words = (text.size + WORD - 1) / WORD;
        if (match_.size() < vocabulary_ * words) match_.resize(vocabulary_ * words);
        for (std::size_t i = 0; i < text.size; ++i)
            match_[text[reversed ? text.size - 1 - i : i] * words + i / WORD] |= std::uint64_t{1} << (i % WORD);
        return words;
    }

    void unload(Span text, std::size_t words) {
        for (const std::uint32_t id : text) std::fill_n(match_.begin() + static_cast<std::ptrdiff_t>(id * words), words, 0);
    }

    static std::size_t popcount(std::uint64_t bits) {
        bits -= (bits >> 1) & 0x5555555555555555u;
        bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
        return (((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56;
    }

    std::size_t vocabulary_ = 0, stride_ = 0;
    std::vector<std::uint64_t> match_, column_;
    std::vector<std::pair<std::size_t, std::size_t>> computed_;  // for each row, its first and last block
    std::vector<std::ptrdiff_t> scores_;                         // the distance at the end of each block
    std::vector<Delta> rows_, cells_;
};

py::array_t<double> edit_rows(const TokenBatch& tokens, int jobs) {
    py::array_t<double> result({tokens.size(), std::size_t{4}});
    double* out = result.mutable_data();
    py::gil_scoped_release release;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Aligner aligner;
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            Edits best;
            std::size_t length = 0;  // of the best reference
            for (std::size_t r = 0; r < tokens.references(s); ++r) {
                const Span reference = tokens.reference(s, r);
                const Edits edits = aligner.align(reference, hypothesis, tokens.vocabulary(s));
                // An empty reference counts as one word long in the rate, as in jiwer.
                const std::size_t size = std::max<std::size_t>(reference.size, 1);
                if (r == 0 || edits.distance * std::max<std::size_t>(length, 1) < best.distance * size) {
                    best = edits;
                    length = reference.size;
                }
            }
            const std::size_t insertions = best.deletions + hypothesis.size - length;
            const std::size_t substitutions = best.distance - best.deletions - insertions;
            out[4 * s] = static_cast<double>(length - substitutions - best.deletions);
            out[4 * s + 1] = static_cast<double>(substitutions);
            out[4 * s + 2] = static_cast<double>(best.deletions);
            out[4 * s + 3] = static_cast<double>(insertions);
        }
    });
    return result;
}

struct Weights {
    double substitution, insertion, deletion;
};

constexpr std::size_t MOST_CELLS = std::size_t{1} << 27;  // of a full matrix: one gibibyte

// Two rows suffice where nothing reaches further back.
double weighted_distance(Span a, Span b, const Weights& weights, std::vector<double>& row) {
    row.resize(b.size + 1);
    for (std::size_t j = 0; j <= b.size; ++j) row[j] = static_cast<double>(j) * weights.insertion;
    for (std::size_t i = 1; i <= a.size; ++i) {
        double diagonal = row[0];
        row[0] = static_cast<double>(i) * weights.deletion;
        for (std::size_t j = 1; j <= b.size; ++j) {
            const double above = row[j];
            const double step = diagonal + (a[i - 1] == b[j - 1] ? 0 : weights.substitution);
            row[j] = std::min({step, above + weights.deletion, row[j - 1] + weights.insertion});
            diagonal = above;
        }
    }
    return row[b.size];
}

// The full matrix. A transposition may enclose other edits (Damerau's distance as in NLTK); it costs 1.
double weighted_distance(Span a, Span b, std::size_t vocabulary, const Weights& weights, std::vector<double>& matrix,
                         std::vector<std::size_t>& last_row_of) {
    const std::size_t width = b.size + 1;
    if ((a.size + 1) > MOST_CELLS / width)
        throw std::length_error("texts of " + std::to_string(a.size) + " and " + std::to_string(b.size) +
                                " tokens are too long for an edit distance with transpositions");
    matrix.resize((a.size + 1) * width);
    last_row_of.assign(vocabulary, 0);
    for (std::size_t j = 0; j < width; ++j) matrix[j] = static_cast<double>(j) * weights.insertion;
    for (std::size_t i = 1; i <= a.size; ++i) {
        double* row = matrix.data() + i * width;
        const double* above = row - width;
        row[0] = static_cast<double>(i) * weights.deletion;
        std::size_t last_match = 0;
        for (std::size_t j = 1; j < width; ++j) {
            const bool same = a[i - 1] == b[j - 1];
            double cost = above[j - 1] + (same ? 0 : weights.substitution);
            cost = std::min({cost, above[j] + weights.deletion, row[j - 1] + weights.insertion});
            const std::size_t k = last_row_of[b[j - 1]];
            if (k > 0 && last_match > 0) {
                const double between = static_cast<double>(i - k - 1) * weights.deletion +
                                       static_cast<double>(j - last_match - 1) * weights.insertion;
                cost = std::min(cost, matrix[(k - 1) * width + last_match - 1] + between + 1);
            }
            if (same) last_match = j;
            row[j] = cost;
        }
        last_row_of[a[i - 1]] = i;
    }
    return matrix[a.size * width + b.size];
}

py::array_t<double> distance_rows(const TokenBatch& tokens, double substitution, double insertion, double deletion,
                                  bool transposition, int jobs) {
    const std::size_t pairs = tokens.segment_text.empty() ? 0 : tokens.segment_text.back() - tokens.size();
    py::array_t<double> result({pairs, std::size_t{4}});
    double* out = result.mutable_data();
    // A substitution that saves nothing over a deletion and an insertion leaves only what the texts have in common.
    const bool subsequence = !transposition && substitution >= insertion + deletion && insertion >= 0 && deletion >= 0;
    const bool unit = !transposition && substitution == 1 && insertion == 1 && deletion == 1;
    const Weights weights{substitution, insertion, deletion};
    py::gil_scoped_release release;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Aligner aligner;
        std::vector<double> matrix;
        std::vector<std::size_t> last_row_of;
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            double* row = out + 4 * (tokens.segment_text[s] - s);
            for (std::size_t r = 0; r < tokens.references(s); ++r, row += 4) {
                const Span reference = tokens.reference(s, r);
                row[0] = static_cast<double>(s);
                row[2] = static_cast<double>(hypothesis.size);
                row[3] = static_cast<double>(reference.size);
                if (subsequence) {
                    const auto common =
                        static_cast<double>(aligner.common_subsequence(reference, hypothesis, tokens.vocabulary(s)));
                    row[1] = (row[3] - common) * deletion + (row[2] - common) * insertion;
                } else if (unit) {
                    row[1] = static_cast<double>(aligner.align(reference, hypothesis, tokens.vocabulary(s)).distance);
                } else if (!transposition) {
                    row[1] = weighted_distance(reference, hypothesis, weights, matrix);
                } else {
                    row[1] = weighted_distance(reference, hypothesis, tokens.vocabulary(s), weights, matrix, last_row_of);
                }
            }
        }
    });
    return result;
}

}  // namespace

void bind_edit(py::module_& module) {
    module.def("edit_rows", &edit_rows, py::arg("tokens"), py::arg("jobs") = 1);
    module.def("distance_rows", &distance_rows, py::arg("tokens"), py::arg("substitution"), py::arg("insertion"),
               py::arg("deletion"), py::arg("transposition"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
