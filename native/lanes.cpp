// Counting in 64 choices of texts at once: one bit of a word for each choice. The twin is
// nlgauge/kernels/python/resample.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace py = pybind11;

namespace nlgauge {
namespace {

using Words = py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Counts = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;

constexpr std::size_t kLanes = 64;
constexpr std::size_t kPlanes = 31;

// 64 counters side by side: plane b holds bit b of each, so that adding a word costs a few operations for all.
class Counters {
public:
    void add(std::uint64_t word) {
        for (std::size_t plane = 0; word != 0; ++plane) {
            if (plane == used_) {
                planes_[used_++] = word;
                return;
            }
            const std::uint64_t carry = planes_[plane] & word;
            planes_[plane] ^= word;
            word = carry;
        }
    }

    void write_to(std::int32_t* out) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = 0;
        for (std::size_t plane = 0; plane < used_; ++plane) {
            const std::uint64_t bits = planes_[plane];
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                out[lane] |= static_cast<std::int32_t>(bits >> lane & 1U) << plane;
            }
        }
        used_ = 0;
    }

private:
    std::array<std::uint64_t, kPlanes> planes_{};
    std::size_t used_ = 0;
};

Counts lane_counts(const Words& words, const Ints& places, const Ints& starts) {
    const auto size = static_cast<std::size_t>(words.size());
    const auto total = static_cast<std::int64_t>(places.size());
    if (starts.size() < 1) throw std::invalid_argument("lane_counts needs the end of the last group");
    const auto groups = static_cast<std::size_t>(starts.size()) - 1;
    const std::int64_t* const start = starts.data();
    const std::int64_t* const place = places.data();
    const std::uint64_t* const word = words.data();
    std::int64_t before = 0;
    for (std::size_t group = 0; group <= groups; ++group) {
        if (start[group] < before || start[group] > total) throw std::invalid_argument("lane_counts needs rising starts");
        if (start[group] - before > INT32_MAX) throw std::invalid_argument("lane_counts: a group is too large");
        before = start[group];
    }
    for (std::int64_t at = start[0]; at < before; ++at) {
        if (place[at] < 0 || static_cast<std::size_t>(place[at]) >= size)
            throw std::invalid_argument("lane_counts: a place without a word");
    }
    Counts counts({groups, kLanes});
    std::int32_t* out = counts.mutable_data();
    const py::gil_scoped_release unlocked;
    Counters counters;
    for (std::size_t group = 0; group < groups; ++group) {
        for (std::int64_t at = start[group]; at < start[group + 1]; ++at) counters.add(word[place[at]]);
        counters.write_to(out + group * kLanes);
    }
    return counts;
}

}  // namespace

void bind_lanes(py::module_& module) {
    module.def("lane_counts", &lane_counts, py::arg("words"), py::arg("places"), py::arg("starts"),
               "In how many words of each group each of the 64 bits is set: (groups, 64).");
}

}  // namespace nlgauge
