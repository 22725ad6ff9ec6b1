// CharacTER (Wang et al. 2016) as the PyPI package `cer` computes it; the Python twin, kernels/python/edit.py,
// spells the search out.
//
// Distances come from bit vectors (Myers 1999; Hyyrö 2003); the columns of the
// words before a shift are kept, and a shift that cannot reach the best distance found so far is given up.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "scan.hpp"
#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::size_t WORD = 64;
constexpr std::uint64_t ALL = ~std::uint64_t{0};

struct Cell {
    std::uint64_t up = ALL, down = 0;
};

// Moves 64 rows on by one column; what enters at the top and leaves at bit `last` are horizontal differences.
inline void advance(Cell& cell, std::uint64_t match, std::uint64_t& up_in, std::uint64_t& down_in, unsigned last) {
    const std::uint64_t x = match | down_in;
    const std::uint64_t diagonal = (((x & cell.up) + cell.up) ^ cell.up) | x | cell.down;
    std::uint64_t up = cell.down | ~(diagonal | cell.up), down = diagonal & cell.up;
    const std::uint64_t up_out = (up >> last) & 1, down_out = (down >> last) & 1;
    up = (up << 1) | up_in;
    down = (down << 1) | down_in;
    cell.up = down | ~(diagonal | up);
    cell.down = up & diagonal;
    up_in = up_out;
    down_in = down_out;
}

// Where each of the letters (or words) 0 .. kinds - 1 stands in a pattern.
class Pattern {
public:
    void load(const std::uint32_t* pattern, std::size_t size, std::size_t kinds) {
        size_ = size;
        blocks_ = (size + WORD - 1) / WORD;
        match_.assign(kinds * blocks_, 0);
        for (std::size_t j = 0; j < size; ++j) match_[pattern[j] * blocks_ + j / WORD] |= std::uint64_t{1} << (j % WORD);
    }

    std::size_t blocks() const { return blocks_; }
    unsigned last_bit() const { return static_cast<unsigned>((size_ - 1) % WORD); }

    // The same where the pattern fits one block.
    void single(Cell& cell, std::uint32_t letter, std::ptrdiff_t& distance) const {
        std::uint64_t up = 1, down = 0;
        advance(cell, match_[letter], up, down, last_bit());
        distance += static_cast<std::ptrdiff_t>(up) - static_cast<std::ptrdiff_t>(down);
    }

    // One letter of the other text; `distance` follows the last row.
    void step(Cell* cells, std::uint32_t letter, std::ptrdiff_t& distance) const {
        const std::uint64_t* match = match_.data() + letter * blocks_;
        std::uint64_t up = 1, down = 0;
        for (std::size_t b = 0; b + 1 < blocks_; ++b) advance(cells[b], match[b], up, down, WORD - 1);
        advance(cells[blocks_ - 1], match[blocks_ - 1], up, down, last_bit());
        distance += static_cast<std::ptrdiff_t>(up) - static_cast<std::ptrdiff_t>(down);
    }

private:
    std::size_t size_ = 0, blocks_ = 0;
    std::vector<std::uint64_t> match_;
};

struct Word {
    std::size_t begin, size;  // in the text's letters
};

struct Text {
    std::vector<char32_t> points;
    std::vector<std::uint32_t> letters;  // the words joined by single blanks, as numbers
    std::vector<Word> words;
    std::vector<std::uint32_t> ids;
};

// The texts of one segment, with letters and words numbered from 0 in the order they are met; letter 0 is the blank.
class Numbering {
public:
    void read(const TextBatch& batch, std::size_t segment) {
        const std::size_t count = batch.references(segment) + 1;
        if (texts.size() < count) texts.resize(count);
        forget();
        letter(U' ');
        std::size_t length = 0;
        for (std::size_t t = 0; t < count; ++t) length += view(batch, segment, t).length;
        std::size_t slots = 64;
        while (slots < length + 1) slots *= 2;  // at least twice as many as words
        slots_.assign(slots, 0);
        for (std::size_t t = 0; t < count; ++t) split(view(batch, segment, t), texts[t]);
    }

    std::vector<Text> texts;
    static constexpr std::uint32_t BLANK = 0;
    std::size_t letters() const { return points_.size(); }
    std::size_t words() const { return entries_.size(); }

    // As strings compare: by code points.
    bool comes_before(std::uint32_t a, std::uint32_t b) const {
        const Entry &x = entries_[a], &y = entries_[b];
        return std::lexicographical_compare(x.points, x.points + x.size, y.points, y.points + y.size);
    }

private:
    static constexpr std::size_t LOW = 0x3000;
    struct Entry {
        const char32_t* points;
        std::size_t size;
        std::uint64_t hash;
    };
    struct High {
        char32_t point;
        std::uint32_t number;
    };

    static const TextView& view(const TextBatch& batch, std::size_t segment, std::size_t t) {
        return t == 0 ? batch.hypothesis(segment) : batch.reference(segment, t - 1);
    }

    void forget() {
        for (const char32_t point : points_)
            if (point < LOW) low_[point] = 0;
        points_.clear();
        high_.clear();
        entries_.clear();
    }

    void split(const TextView& view, Text& text) {
        text.points.resize(view.length + 1);
        char32_t* const points = text.points.data();
        switch (view.kind) {
            case 1: std::copy_n(static_cast<const std::uint8_t*>(view.data), view.length, points); break;
            case 2: std::copy_n(static_cast<const std::uint16_t*>(view.data), view.length, points); break;
            default: std::copy_n(static_cast<const std::uint32_t*>(view.data), view.length, points);
        }
        points[view.length] = U' ';
        text.letters.resize(view.length);
        text.words.clear();
        text.ids.clear();
        std::uint32_t* const letters = text.letters.data();
        std::size_t begin = 0, used = 0;
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i <= view.length; ++i) {
            const char32_t point = points[i];
            if (!is_space(point)) {
                hash = hash * 0x100000001b3u + point;
                continue;
            }
            if (i > begin) {
                if (used) letters[used++] = BLANK;
                text.words.push_back({used, i - begin});
                for (std::size_t k = begin; k < i; ++k) letters[used++] = letter(points[k]);
                hash *= 0x9e3779b97f4a7c15u;
                text.ids.push_back(word({points + begin, i - begin, hash ^ (hash >> 32)}));
            }
            begin = i + 1;
            hash = 0;
        }
        text.letters.resize(used);
    }

    // White space as Python's str.split() sees it.
    static bool is_space(char32_t point) {
        if (point < 0x100) return is_latin1_space(static_cast<std::uint8_t>(point));
        return point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 ||
               point == 0x202f || point == 0x205f || point == 0x3000;
    }

    std::uint32_t letter(char32_t point) {
        std::uint32_t* place = nullptr;
        if (point < LOW) {
            place = &low_[point];
        } else {
            const auto found = std::lower_bound(high_.begin(), high_.end(), point,
                                                [](const High& entry, char32_t p) { return entry.point < p; });
            place = found != high_.end() && found->point == point ? &found->number
                                                                  : &high_.insert(found, High{point, 0})->number;
        }
        if (*place == 0) {  // not met yet
            points_.push_back(point);
            *place = static_cast<std::uint32_t>(points_.size());
        }
        return *place - 1;
    }

    std::uint32_t word(const Entry& entry) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = entry.hash & mask;; slot = (slot + 1) & mask) {
            if (slots_[slot] == 0) {
                entries_.push_back(entry);
                slots_[slot] = static_cast<std::uint32_t>(entries_.size());
                return slots_[slot] - 1;
            }
            const Entry& known = entries_[slots_[slot] - 1];
            if (known.hash == entry.hash && known.size == entry.size &&
                std::equal(known.points, known.points + known.size, entry.points))
                return slots_[slot] - 1;
        }
    }

    std::vector<std::uint32_t> low_ = std::vector<std::uint32_t>(LOW), slots_;
    std::vector<High> high_;
    std::vector<char32_t> points_;
    std::vector<Entry> entries_;
};

class Searcher {
public:
    double score(const Numbering& numbering, std::size_t r) {
        const Text &hypothesis = numbering.texts[0], &reference = numbering.texts[r + 1];
        if (hypothesis.ids == reference.ids) return 0.0;
        if (hypothesis.ids.empty() || reference.ids.empty()) return 1.0;
        numbering_ = &numbering;
        reference_ = &reference.ids;
        pattern_.load(reference.ids.data(), reference.ids.size(), numbering.words());
        places_.assign(numbering.words(), -1);
        next_.resize(reference.ids.size());
        for (std::size_t j = reference.ids.size(); j-- > 0;) {
            next_[j] = places_[reference.ids[j]];
            places_[reference.ids[j]] = static_cast<std::int64_t>(j);
        }
        order_.resize(hypothesis.ids.size());
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
        words_ = hypothesis.ids;
        shift_while_better();
        const double cost = shift_cost(hypothesis) + static_cast<double>(letter_distance(numbering, r));
        const double length = static_cast<double>(hypothesis.letters.size());
        return std::min(1.0, cost / length);
    }

private:
    // The package keeps score in rates and subtracts, so that rounding may let a shift pass that gains nothing.
    void shift_while_better() {
        const double whole = static_cast<double>(reference_->size());
        std::ptrdiff_t distance = fill_columns();
        double before = static_cast<double>(distance) / whole;
        const std::ptrdiff_t lowest = lowest_distance();
        while (true) {
            const auto gains = [&](std::ptrdiff_t after) { return before - static_cast<double>(after) / whole > 0; };
            if (!gains(lowest)) return;
            std::ptrdiff_t most = distance;  // the largest distance that passes for a gain
            while (!gains(most)) --most;
            if (!best_shift(distance, most)) return;
            words_ = best_;
            order_ = best_order_;
            before = before - (before - static_cast<double>(most) / whole);
            distance = fill_columns();
        }
    }

    // Words that the texts do not share remain, whatever is shifted.
    std::ptrdiff_t lowest_distance() {
        counts_.assign(numbering_->words(), 0);
        for (const std::uint32_t id : *reference_) ++counts_[id];
        std::size_t shared = 0;
        for (const std::uint32_t id : words_) {
            if (counts_[id] > 0) {
                --counts_[id];
                ++shared;
            }
        }
        return offset(std::max(words_.size(), reference_->size()) - shared);
    }

    // The columns after 0, 1, … words, kept for the shifts; returns the distance.
    std::ptrdiff_t fill_columns() {
        const std::size_t blocks = pattern_.blocks();
        columns_.resize((words_.size() + 1) * blocks);
        distances_.resize(words_.size() + 1);
        std::fill_n(columns_.begin(), blocks, Cell{});
        std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(reference_->size());
        distances_[0] = distance;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            Cell* next = columns_.data() + (i + 1) * blocks;
            std::copy_n(next - blocks, blocks, next);
            pattern_.step(next, words_[i], distance);
            distances_[i + 1] = distance;
        }
        return distance;
    }

    // Of all shifts that leave a distance of at most `best` the one with the lowest, which `best` then is; of equal ones
    // the last in the order of word lists. False: none.
    bool best_shift(std::ptrdiff_t now, std::ptrdiff_t& best) {
        bool found = false;
        const std::size_t n = words_.size(), m = reference_->size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::int64_t place = places_[words_[i]]; place >= 0; place = next_[static_cast<std::size_t>(place)]) {
                const auto j = static_cast<std::size_t>(place);
                if (i == j) continue;
                std::size_t length = 1;
                while (i + length < n && j + length < m && words_[i + length] == (*reference_)[j + length]) ++length;
                // Without the run, n - length words are left; a place past them is their end.
                const std::size_t target = std::min(j, n - length);
                const Shift shift = target < i ? Shift{target, i, i + length} : Shift{i, i + length, target + length};
                // Moving k words away and back in changes the distance by 2k at most.
                const std::size_t moved = std::min(shift.middle - shift.begin, shift.end - shift.middle);
                if (now - 2 * offset(moved) <= best) consider(shift, best, found);
            }
        }
        return found;
    }

    // The words [begin, middle) and [middle, end) change places.
    struct Shift {
        std::size_t begin, middle, end;
    };

    void consider(const Shift& shift, std::ptrdiff_t& best, bool& found) {
        const std::size_t n = words_.size(), blocks = pattern_.blocks();
        Cell only = columns_[shift.begin * blocks];
        if (blocks > 1) {
            scratch_.resize(blocks);
            std::copy_n(columns_.data() + shift.begin * blocks, blocks, scratch_.data());
        }
        std::ptrdiff_t distance = distances_[shift.begin], left = offset(n - shift.begin);
        const auto pass = [&](std::size_t from, std::size_t to) {
            for (std::size_t k = from; k < to; ++k) {
                if (blocks == 1)
                    pattern_.single(only, words_[k], distance);
                else
                    pattern_.step(scratch_.data(), words_[k], distance);
                // Each word that is left can lower the distance by one.
                if (distance - --left > best) return false;
            }
            return true;
        };
        if (!pass(shift.middle, shift.end) || !pass(shift.begin, shift.middle) || !pass(shift.end, n)) return;
        shifted_ = words_;
        rotate(shifted_, shift);
        if (found && distance == best && !comes_after(shifted_, best_)) return;
        found = true;
        best = distance;
        best_ = shifted_;
        best_order_ = order_;
        rotate(best_order_, shift);
    }

    static void rotate(std::vector<std::uint32_t>& list, const Shift& shift) {
        const auto at = list.begin();
        std::rotate(at + offset(shift.begin), at + offset(shift.middle), at + offset(shift.end));
    }

    bool comes_after(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) const {
        const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
        return x != a.end() && numbering_->comes_before(*y, *x);
    }

    static std::ptrdiff_t offset(std::size_t value) { return static_cast<std::ptrdiff_t>(value); }

    // For each run of words that stands elsewhere after the shifts, its mean word length. The walk, with its way of
    // skipping what it has matched, is the package's.
    double shift_cost(const Text& hypothesis) const {
        const std::vector<std::uint32_t>&original = hypothesis.ids, &shifted = words_;
        const std::size_t n = shifted.size();
        double cost = 0.0;
        for (std::size_t start = 0; start < n; ++start) {
            if (original[start] == shifted[start]) continue;
            const std::size_t from = start;
            double mean = 0.0;
            for (std::size_t place = start + 1; place < n; ++place) {
                if (original[from] != shifted[place]) continue;
                std::size_t length = 1;
                while (from + length < n && place + length < n && original[from + length] == shifted[place + length]) {
                    ++length;
                    if (start + 1 < n) ++start;
                }
                std::size_t letters = 0;
                for (std::size_t k = 0; k < length; ++k) letters += hypothesis.words[from + k].size;
                mean = static_cast<double>(letters) / static_cast<double>(length);
                break;
            }
            cost += mean;
        }
        return cost;
    }

    std::size_t letter_distance(const Numbering& numbering, std::size_t r) {
        const Text &hypothesis = numbering.texts[0], &reference = numbering.texts[r + 1];
        letters_.clear();
        for (std::size_t k = 0; k < order_.size(); ++k) {
            if (k) letters_.push_back(Numbering::BLANK);
            const Word& word = hypothesis.words[order_[k]];
            const auto first = hypothesis.letters.begin() + offset(word.begin);
            letters_.insert(letters_.end(), first, first + offset(word.size));
        }
        // What both texts begin and end with costs nothing.
        const std::uint32_t *a = letters_.data(), *b = reference.letters.data();
        std::size_t n = letters_.size(), m = reference.letters.size();
        for (; n && m && *a == *b; ++a, ++b, --n, --m) {
        }
        for (; n && m && a[n - 1] == b[m - 1]; --n, --m) {
        }
        if (n == 0 || m == 0) return n + m;
        letter_pattern_.load(b, m, numbering.letters());
        cells_.assign(letter_pattern_.blocks(), Cell{});
        std::ptrdiff_t distance = offset(m);
        for (std::size_t i = 0; i < n; ++i) letter_pattern_.step(cells_.data(), a[i], distance);
        return static_cast<std::size_t>(distance);
    }

    const Numbering* numbering_ = nullptr;
    const std::vector<std::uint32_t>* reference_ = nullptr;
    Pattern pattern_, letter_pattern_;
    std::vector<std::int64_t> places_;  // for each word id, its first place in the reference
    std::vector<std::int64_t> next_;    // the next place of the same word, or -1
    std::vector<std::uint32_t> words_, order_, shifted_, best_, best_order_, letters_, counts_;
    std::vector<Cell> columns_, scratch_, cells_;
    std::vector<std::ptrdiff_t> distances_;
};

py::array_t<double> character_rows(py::handle hypotheses, py::handle references, int jobs) {
    const TextBatch texts = gather(hypotheses, references, false);
    py::array_t<double> result({texts.size(), std::size_t{2}});
    double* out = result.mutable_data();
    {
        py::gil_scoped_release release;
        parallel_for(texts.size(), jobs, [&](std::size_t begin, std::size_t end) {
            Numbering numbering;
            Searcher searcher;
            for (std::size_t s = begin; s < end; ++s) {
                numbering.read(texts, s);
                double best = 1.0;
                for (std::size_t r = 0; r < texts.references(s); ++r) best = std::min(best, searcher.score(numbering, r));
                out[2 * s] = best;
                out[2 * s + 1] = 1.0;
            }
        });
    }
    return result;
}

}  // namespace

void bind_character(py::module_& module) {
    module.def("character_rows", &character_rows, py::arg("hypotheses"), py::arg("references"), py::arg("jobs") = 1);
}

}  // namespace nlgauge
