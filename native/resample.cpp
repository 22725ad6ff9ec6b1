// Draws for resampling, counted where they are made. The twin is nlgauge/kernels/python/resample.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
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

Matrix count_draws(const py::object& generator, std::size_t n, std::size_t trials) {
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

    Matrix weights({trials, n});
    double* row = weights.mutable_data();
    const py::gil_scoped_release unlocked;
    Below below(source, static_cast<std::uint32_t>(n), n * trials, buffered);
    for (std::size_t trial = 0; trial < trials; ++trial, row += n) {
        std::fill_n(row, n, 0.0);
        for (std::size_t draw = 0; draw < n; ++draw) row[below.next()] += 1.0;
    }
    return weights;
}

// Sums of the rows that a bit string chooses, by the method of the four Russians: for every 8 segments the 256
// possible sums are tabled once, then each trial adds one table entry instead of up to 8 rows.
constexpr std::size_t kColumns = 8;   // columns at a time: one cache line per table entry
constexpr std::size_t kTables = 4;    // tables at a time: 32 segments, so that a trial's sums are fetched less often
constexpr std::size_t kBlock = 2048;  // trials at a time: their sums and bits stay in the cache

using Sums = std::array<double, kColumns>;
using Table = std::array<Sums, 256>;

class Chosen {
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
        std::vector<Sums> sums(to - from, Sums{});
        for (std::size_t segment = 0; segment < n_; segment += 8 * kTables) {
            fill_tables(segment, column, columns);
            const auto mask = mask_of(std::min(n_ - segment, 8 * kTables));
            for (std::size_t trial = from; trial < to; ++trial) {
                const std::uint32_t chosen = bits(first_ + trial * n_ + segment) & mask;
                Sums& sum = sums[trial - from];
                const Sums& one = tables_[0][chosen & 0xFFU];
                const Sums& two = tables_[1][(chosen >> 8) & 0xFFU];
                const Sums& three = tables_[2][(chosen >> 16) & 0xFFU];
                const Sums& four = tables_[3][chosen >> 24];
                for (std::size_t c = 0; c < kColumns; ++c) sum[c] += (one[c] + two[c]) + (three[c] + four[c]);
            }
        }
        for (std::size_t trial = from; trial < to; ++trial) {
            std::copy_n(sums[trial - from].begin(), columns, totals + trial * width_ + column);
        }
    }

    void fill_tables(std::size_t segment, std::size_t column, std::size_t columns) {
        for (std::size_t t = 0; t < kTables; ++t, segment += 8) {
            Table& table = tables_[t];
            table[0] = Sums{};
            for (std::size_t bit = 0; bit < 8; ++bit) {
                Sums row{};
                if (segment + bit < n_) std::copy_n(rows_ + (segment + bit) * width_ + column, columns, row.begin());
                const std::size_t half = std::size_t{1} << bit;
                for (std::size_t entry = 0; entry < half; ++entry) {
                    for (std::size_t c = 0; c < kColumns; ++c) table[half + entry][c] = table[entry][c] + row[c];
                }
            }
        }
    }

    static std::uint32_t mask_of(std::size_t bits) {
        return bits >= 32 ? 0xFFFFFFFFU : (std::uint32_t{1} << bits) - 1U;
    }

    // 32 bits from position `at` on; past the last word come zeros.
    std::uint32_t bits(std::size_t at) const {
        const std::size_t word = at / 64;
        const std::size_t shift = at % 64;
        std::uint64_t value = words_[word] >> shift;
        if (shift > 32 && word + 1 < count_) value |= words_[word + 1] << (64 - shift);
        return static_cast<std::uint32_t>(value);
    }

    const std::uint64_t* words_;
    std::size_t count_;
    std::size_t first_;
    const double* rows_;
    std::size_t n_;
    std::size_t width_;
    std::vector<Table> tables_;
};

Matrix sum_chosen(const Words& words, std::size_t first, const Matrix& rows, std::size_t trials) {
    if (rows.ndim() != 2) throw std::invalid_argument("sum_chosen needs rows of two dimensions");
    const auto n = static_cast<std::size_t>(rows.shape(0));
    const auto width = static_cast<std::size_t>(rows.shape(1));
    const auto count = static_cast<std::size_t>(words.size());
    if (first > count * 64 || n * trials > count * 64 - first) throw std::invalid_argument("sum_chosen needs more words");

    Matrix totals({trials, width});
    double* out = totals.mutable_data();
    Chosen chosen(words.data(), count, first, rows.data(), n, width);
    const py::gil_scoped_release unlocked;
    chosen.write_to(out, trials);
    return totals;
}

}  // namespace

void bind_resample(py::module_& module) {
    module.def("count_draws", &count_draws, py::arg("generator"), py::arg("n"), py::arg("trials"),
               "How often each of n segments is drawn in each trial of n draws with replacement.");
    module.def("sum_chosen", &sum_chosen, py::arg("words"), py::arg("first"), py::arg("rows"), py::arg("trials"),
               "Per trial the sum of the rows whose bit is set; bits run on from `first`, lowest first, n a trial.");
}

}  // namespace nlgauge
