// Draws for resampling, counted where they are made. The twin is nlgauge/kernels/python/resample.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace nlgauge {
namespace {

using Matrix = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Words = py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>;

// The public face of a numpy bit generator (numpy/random/bitgen.h); written out so that building needs no numpy.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);
};

// Uniform whole numbers below n: Lemire's multiplication with rejection, the method and hence the stream of
// numpy's Generator.choice and Generator.integers for ranges below 2**32.
class Below {
public:
    // `outstanding` numbers will be asked for; `buffered` says that the generator still holds half a word.
    Below(BitGenerator* source, std::uint32_t n, std::size_t outstanding, bool buffered)
        : source_(source), n_(n), threshold_((0U - n) % n), outstanding_(outstanding), has_spare_(buffered) {
        if (buffered && outstanding > 0) spare_ = source_->next_uint32(source_->state);
    }

    std::uint32_t next() {
        std::uint64_t product = half_word() * n_;
        while (static_cast<std::uint32_t>(product) < threshold_) product = half_word() * n_;
        --outstanding_;
        return static_cast<std::uint32_t>(product >> 32);
    }

private:
    // A PCG64 serves 32 bits by halving a word, low half first. Fetching whole words here halves the calls; the
    // last half is left to the generator, so that its next user finds it where numpy would have put it.
    std::uint64_t half_word() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        if (outstanding_ < 2) return source_->next_uint32(source_->state);
        const std::uint64_t word = source_->next_uint64(source_->state);
        spare_ = static_cast<std::uint32_t>(word >> 32);
        has_spare_ = true;
        return static_cast<std::uint32_t>(word);
    }

    BitGenerator* source_;
    std::uint32_t n_;
    std::uint32_t threshold_;
    std::size_t outstanding_;
    std::uint32_t spare_ = 0;
    bool has_spare_;
};

template <class Number>
void count_into(Number* row, Below& below, std::size_t n, std::size_t trials) {
    for (std::size_t trial = 0; trial < trials; ++trial, row += n) {
        std::fill_n(row, n, Number{0});
        for (std::size_t draw = 0; draw < n; ++draw) row[below.next()] += Number{1};
    }
}

// `single`: counts as float, for products whose sums a float holds exactly.
py::array count_draws(const py::object& generator, std::size_t n, std::size_t trials, bool single) {
    if (n < 2 || n >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("count_draws needs at least 2 and fewer than 2**32 - 1 segments");
    }
    const py::object bits = generator.attr("bit_generator");
    const py::dict state = bits.attr("state");
    if (state["bit_generator"].cast<std::string>() != "PCG64") throw std::invalid_argument("count_draws needs a PCG64");
    const bool buffered = state["has_uint32"].cast<int>() != 0;
    const py::capsule capsule = bits.attr("capsule");
    auto* source = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
    if (source == nullptr) throw py::error_already_set();

    py::array weights(single ? py::dtype::of<float>() : py::dtype::of<double>(), {trials, n});
    void* const data = weights.mutable_data();
    const py::gil_scoped_release unlocked;
    Below below(source, static_cast<std::uint32_t>(n), n * trials, buffered);
    if (single)
        count_into(static_cast<float*>(data), below, n, trials);
    else
        count_into(static_cast<double*>(data), below, n, trials);
    return weights;
}

// Sums of the rows that a bit string chooses, by the method of the four Russians: for every 6 segments the 64
// possible sums are tabled once, then each trial adds one table entry instead of up to 6 rows.
constexpr std::size_t kBits = 6;     // segments a table: 64 entries, so that all tables stay in the nearest cache
constexpr std::size_t kTables = 5;   // tables at a time: 30 segments, so that a trial's sums are fetched less often
constexpr std::size_t kEntries = std::size_t{1} << kBits;
constexpr std::size_t kBlock = 512;  // trials at a time: their sums and bits stay in the nearest cache too

// Whole numbers that a float sums exactly, whichever are chosen: twice as many columns then fit into a cache line.
bool sums_fit_float(const double* rows, std::size_t n, std::size_t width) {
    std::vector<double> total(width, 0.0);
    for (std::size_t i = 0; i < n * width; ++i) {
        if (rows[i] != std::nearbyint(rows[i])) return false;
        total[i % width] += std::abs(rows[i]);
    }
    return std::all_of(total.begin(), total.end(), [](double sum) { return sum < 16777216.0; });
}

// One cache line per table entry.
template <class Number>
using Sums = std::array<Number, 64 / sizeof(Number)>;
template <class Number>
using Table = std::array<Sums<Number>, kEntries>;

// The bits of up to 32 segments for each of `trials` trials, `stride` bits apart; past the last word come zeros.
struct Bits {
    const std::uint64_t* words;
    std::size_t count, at, stride;
    std::uint32_t mask;

    std::uint32_t operator[](std::size_t trial) const {
        const std::size_t position = at + trial * stride;
        const std::size_t word = position / 64;
        const std::size_t shift = position % 64;
        std::uint64_t value = words[word] >> shift;
        if (shift > 32 && word + 1 < count) value |= words[word + 1] << (64 - shift);
        return static_cast<std::uint32_t>(value) & mask;
    }
};

template <class Number>
inline __attribute__((always_inline)) void add_entries(const Table<Number>* tables, const Bits& bits, Sums<Number>* sums,
                                                       std::size_t trials) {
    for (std::size_t trial = 0; trial < trials; ++trial) {
        const std::uint32_t chosen = bits[trial];
        Sums<Number>& sum = sums[trial];
        constexpr std::uint32_t kMask = kEntries - 1;
        const Sums<Number>& one = tables[0][chosen & kMask];
        const Sums<Number>& two = tables[1][(chosen >> kBits) & kMask];
        const Sums<Number>& three = tables[2][(chosen >> 2 * kBits) & kMask];
        const Sums<Number>& four = tables[3][(chosen >> 3 * kBits) & kMask];
        const Sums<Number>& five = tables[4][(chosen >> 4 * kBits) & kMask];
        Sums<Number> part;  // of its own: where `sum` could overlap the tables, the compiler adds number by number
        for (std::size_t c = 0; c < part.size(); ++c) part[c] = (one[c] + two[c]) + (three[c] + four[c]) + five[c];
        for (std::size_t c = 0; c < part.size(); ++c) sum[c] += part[c];
    }
}

// Where the compiler can, the loop is compiled twice and the processor's wider registers are used if it has them; each
// column is added up in the same order either way.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define NLGAUGE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define NLGAUGE_CLONES
#endif
NLGAUGE_CLONES void add_all(const Table<float>* tables, const Bits& bits, Sums<float>* sums, std::size_t trials) {
    add_entries(tables, bits, sums, trials);
}
NLGAUGE_CLONES void add_all(const Table<double>* tables, const Bits& bits, Sums<double>* sums, std::size_t trials) {
    add_entries(tables, bits, sums, trials);
}

template <class Number>
class Chosen {
    static constexpr std::size_t kColumns = 64 / sizeof(Number);

public:
    Chosen(const std::uint64_t* words, std::size_t count, std::size_t first, const double* rows, std::size_t n,
           std::size_t width)
        : words_(words), count_(count), first_(first), rows_(rows), n_(n), width_(width), tables_(kTables) {}

    void write_to(double* totals, std::size_t trials) {
        for (std::size_t from = 0; from < trials; from += kBlock) {
            const std::size_t to = std::min(trials, from + kBlock);
            for (std::size_t column = 0; column < width_; column += kColumns) add_tile(totals, from, to, column);
        }
    }

private:
    void add_tile(double* totals, std::size_t from, std::size_t to, std::size_t column) {
        const std::size_t columns = std::min(kColumns, width_ - column);
        std::vector<Sums<Number>> sums(to - from, Sums<Number>{});
        for (std::size_t segment = 0; segment < n_; segment += kBits * kTables) {
            fill_tables(segment, column, columns);
            const auto mask = mask_of(std::min(n_ - segment, kBits * kTables));
            add_all(tables_.data(), Bits{words_, count_, first_ + from * n_ + segment, n_, mask}, sums.data(), to - from);
        }
        for (std::size_t trial = from; trial < to; ++trial) {
            const Sums<Number>& sum = sums[trial - from];
            for (std::size_t c = 0; c < columns; ++c) totals[trial * width_ + column + c] = static_cast<double>(sum[c]);
        }
    }

    void fill_tables(std::size_t segment, std::size_t column, std::size_t columns) {
        for (std::size_t t = 0; t < kTables; ++t, segment += kBits) {
            Table<Number>& table = tables_[t];
            table[0] = Sums<Number>{};
            for (std::size_t bit = 0; bit < kBits; ++bit) {
                Sums<Number> row{};
                const double* const given = rows_ + (segment + bit) * width_ + column;
                if (segment + bit < n_)
                    for (std::size_t c = 0; c < columns; ++c) row[c] = static_cast<Number>(given[c]);
                const std::size_t half = std::size_t{1} << bit;
                for (std::size_t entry = 0; entry < half; ++entry) {
                    Sums<Number> sum = table[entry];
                    for (std::size_t c = 0; c < kColumns; ++c) sum[c] += row[c];
                    table[half + entry] = sum;
                }
            }
        }
    }

    static std::uint32_t mask_of(std::size_t bits) {
        return bits >= 32 ? 0xFFFFFFFFU : (std::uint32_t{1} << bits) - 1U;
    }

    const std::uint64_t* words_;
    std::size_t count_;
    std::size_t first_;
    const double* rows_;
    std::size_t n_;
    std::size_t width_;
    std::vector<Table<Number>> tables_;
};

Matrix sum_chosen(const Words& words, std::size_t first, const Matrix& rows, std::size_t trials) {
    if (rows.ndim() != 2) throw std::invalid_argument("sum_chosen needs rows of two dimensions");
    const auto n = static_cast<std::size_t>(rows.shape(0));
    const auto width = static_cast<std::size_t>(rows.shape(1));
    const auto count = static_cast<std::size_t>(words.size());
    if (first > count * 64 || n * trials > count * 64 - first) throw std::invalid_argument("sum_chosen needs more words");

    Matrix totals({trials, width});
    double* out = totals.mutable_data();
    const py::gil_scoped_release unlocked;
    if (sums_fit_float(rows.data(), n, width))
        Chosen<float>(words.data(), count, first, rows.data(), n, width).write_to(out, trials);
    else
        Chosen<double>(words.data(), count, first, rows.data(), n, width).write_to(out, trials);
    return totals;
}

}  // namespace

void bind_resample(py::module_& module) {
    module.def("count_draws", &count_draws, py::arg("generator"), py::arg("n"), py::arg("trials"),
               py::arg("single"), "How often each of n segments is drawn in each trial of n draws with replacement.");
    module.def("sum_chosen", &sum_chosen, py::arg("words"), py::arg("first"), py::arg("rows"), py::arg("trials"),
               "Per trial the sum of the rows whose bit is set; bits run on from `first`, lowest first, n a trial.");
}

}  // namespace nlgauge
