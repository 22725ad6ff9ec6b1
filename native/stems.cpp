#include "stems.hpp"

#include <pybind11/pybind11.h>

#include "porter.hpp"
#include "scan.hpp"

namespace nlgauge {

namespace {

bool is_ascii(const std::vector<char32_t>& points) {
    char32_t seen = 0;
    for (const char32_t point : points) seen |= point;
    return seen < 0x80;
}

// Full Unicode lower-casing is Python's: rare here (non-ASCII words that were not lower-cased with their text), so the
// cost of taking the interpreter's lock does not matter.
void lower_by_python(std::vector<char32_t>& points) {
    pybind11::gil_scoped_acquire locked;
    const auto word = pybind11::reinterpret_steal<pybind11::object>(PyUnicode_FromKindAndData(
        PyUnicode_4BYTE_KIND, points.data(), static_cast<Py_ssize_t>(points.size())));
    if (!word) throw pybind11::error_already_set();
    const pybind11::object lowered = word.attr("lower")();
    points.resize(static_cast<std::size_t>(PyUnicode_GET_LENGTH(lowered.ptr())));
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = PyUnicode_READ_CHAR(lowered.ptr(), static_cast<Py_ssize_t>(i));
}

template <class Unit>
void decode_units(const std::uint8_t* bytes, std::vector<char32_t>& points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        Unit unit;
        std::memcpy(&unit, bytes + i * sizeof(Unit), sizeof(Unit));
        points[i] = unit;
    }
}

}  // namespace

void decode(const Token& token, std::vector<char32_t>& points) {
    std::uint8_t head[16];
    std::memcpy(head, &token.low, 8);
    std::memcpy(head + 8, &token.high, 8);
    const std::uint8_t* bytes = token.is_long() ? token.bytes : head;
    points.resize(token.length());
    switch (token.width()) {
        case 1: return decode_units<std::uint8_t>(bytes, points);
        case 2: return decode_units<std::uint16_t>(bytes, points);
        default: return decode_units<std::uint32_t>(bytes, points);
    }
}

void Stems::compute(Token& token, std::uint64_t& hash, bool lowered, Arena& arena) {
    if (token.length() <= 3) return;
    decode(token, points_);
    if (!lowered) {
        if (is_ascii(points_)) {
            for (char32_t& point : points_)
                if (is_upper_letter(point)) point |= 0x20;
        } else {
            lower_by_python(points_);
        }
    }
    points_.resize(porter(points_.data(), points_.size()));
    token = wide_token(points_.data(), points_.size(), arena);
    hash = nlgauge::hash(token);
}

}  // namespace nlgauge
