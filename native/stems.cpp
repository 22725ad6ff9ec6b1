#include "stems.hpp"

#include <pybind11/pybind11.h>

#include "porter.hpp"
#include "scan.hpp"

namespace nlgauge {

namespace {

template <class Unit>
void decode_units(const std::uint8_t* bytes, std::vector<char32_t>& points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        Unit unit;
        std::memcpy(&unit, bytes + i * sizeof(Unit), sizeof(Unit));
        points[i] = unit;
    }
}

// ASCII words of up to 16 letters, without a detour over code points.
Token stem_short(const Token& token) {
    std::uint8_t word[16];
    std::memcpy(word, token.bytes(), 16);
    for (std::uint8_t& letter : word)
        if (is_upper_letter(letter)) letter |= 0x20;
    return narrow_token(word, porter(word, token.size()));
}

}  // namespace

// Full case mapping is Python's: asked for once a distinct word, so the cost of taking the lock does not matter.
void lower_points(std::vector<char32_t>& points) {
    char32_t seen = 0;
    for (const char32_t point : points) seen |= point;
    if (seen < 0x80) {
        for (char32_t& point : points)
            if (is_upper_letter(point)) point |= 0x20;
        return;
    }
    pybind11::gil_scoped_acquire locked;
    const auto word = pybind11::reinterpret_steal<pybind11::object>(PyUnicode_FromKindAndData(
        PyUnicode_4BYTE_KIND, points.data(), static_cast<Py_ssize_t>(points.size())));
    if (!word) throw pybind11::error_already_set();
    const pybind11::object lowered = word.attr("lower")();
    points.resize(static_cast<std::size_t>(PyUnicode_GET_LENGTH(lowered.ptr())));
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = PyUnicode_READ_CHAR(lowered.ptr(), static_cast<Py_ssize_t>(i));
}

void decode(const Token& token, std::vector<char32_t>& points) {
    points.resize(token.length());
    switch (token.width()) {
        case 1: return decode_units<std::uint8_t>(token.bytes(), points);
        case 2: return decode_units<std::uint16_t>(token.bytes(), points);
        default: return decode_units<std::uint32_t>(token.bytes(), points);
    }
}

Token Stems::stem_any(const Token& token, bool lowered, Arena& arena) {
    decode(token, points_);
    if (!lowered) lower_points(points_);
    points_.resize(porter(points_.data(), points_.size()));
    return wide_token(points_.data(), points_.size(), arena);
}

Token Stems::compute(Token token, bool lowered, Arena& arena) {
    constexpr std::uint64_t beyond_ascii = 0x8080808080808080u;
    const bool is_short = token.width() == 1 && !token.is_long();
    Token stem = token;
    if (token.length() > 3) {
        const bool ascii = is_short && ((token.low | token.high) & beyond_ascii) == 0;
        stem = ascii ? stem_short(token) : stem_any(token, lowered, arena);
    }
    // Lower-casing can lengthen a word, and the bytes of long tokens are not kept.
    if (is_short && !stem.is_long()) cache_[place(token)] = {token, stem};
    return stem;
}

}  // namespace nlgauge
