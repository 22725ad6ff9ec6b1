// Byte scans of whole texts: copying with lower-casing, and lists of the positions where something happens.
//
// Texts are scanned in blocks of 64 bytes into one bit per byte: with SSE2, which every x86-64 has, else in plain C++
// (NLGAUGE_NO_SIMD forces that). Buffers are padded with blanks to kPadding bytes beyond the text, so that scans and
// 16-byte loads of the last token stay inside them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(NLGAUGE_NO_SIMD)
#define NLGAUGE_SSE2 1
#include <emmintrin.h>
#endif

namespace nlgauge {

inline constexpr std::size_t kPadding = 80;  // up to 63 bytes to the end of the block, and 16 for a load behind it

// Stands for a code point beyond Latin-1 that is part of a word; as a byte it is the letter U+00FF.
inline constexpr std::uint8_t kWordByte = 0xff;

inline bool is_latin1_space(std::uint8_t c) {
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xa0;
}
inline bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
inline bool is_lower_letter(char32_t c) { return c >= 'a' && c <= 'z'; }
inline bool is_upper_letter(char32_t c) { return c >= 'A' && c <= 'Z'; }

inline unsigned trailing_zeros(std::uint64_t bits) {
#if defined(__GNUC__)
    return static_cast<unsigned>(__builtin_ctzll(bits));
#else
    unsigned count = 0;
    for (; !(bits & 1); bits >>= 1) ++count;
    return count;
#endif
}

#ifdef NLGAUGE_SSE2
inline __m128i in_range(__m128i bytes, char first, char last) {
    const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    const __m128i size = _mm_set1_epi8(static_cast<char>(last - first));
    return _mm_cmpeq_epi8(_mm_min_epu8(offset, size), offset);
}
inline __m128i equals(__m128i bytes, std::uint8_t value) {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(value)));
}
#endif

// What to look for: `test` for one byte and, with SSE2, `test16` for sixteen (all bits of a byte set where true).
// `alarm` marks bytes that call for a closer look at the whole text.
struct FindSpace {  // white space as Python's str.split() sees it
    static bool test(std::uint8_t c) { return is_latin1_space(c); }
    static bool alarm(std::uint8_t) { return false; }
#ifdef NLGAUGE_SSE2
    static __m128i test16(__m128i c) {
        return _mm_or_si128(_mm_or_si128(in_range(c, 9, 13), in_range(c, 28, 32)),
                            _mm_or_si128(equals(c, 0x85), equals(c, 0xa0)));
    }
    static __m128i alarm16(__m128i) { return _mm_setzero_si128(); }
#endif
};

struct FindBlank : FindSpace {  // the blank; alarmed by other white space
    static bool test(std::uint8_t c) { return c == ' '; }
    static bool alarm(std::uint8_t c) { return c != ' ' && is_latin1_space(c); }
#ifdef NLGAUGE_SSE2
    static __m128i test16(__m128i c) { return equals(c, ' '); }
    static __m128i alarm16(__m128i c) { return _mm_andnot_si128(equals(c, ' '), FindSpace::test16(c)); }
#endif
};

struct FindNotRouge : FindSpace {  // whatever is no token character of ROUGE, in lower-cased text
    static bool test(std::uint8_t c) { return !is_lower_letter(c) && !is_digit(c); }
#ifdef NLGAUGE_SSE2
    static __m128i test16(__m128i c) {
        const __m128i word = _mm_or_si128(in_range(c, 'a', 'z'), in_range(c, '0', '9'));
        return _mm_xor_si128(word, _mm_set1_epi8(-1));
    }
#endif
};

struct FindNotPlain : FindSpace {  // all but ASCII letters and digits and kWordByte
    static bool test(std::uint8_t c) {
        return !is_lower_letter(c | 0x20) && !is_digit(c) && c != kWordByte;
    }
#ifdef NLGAUGE_SSE2
    static __m128i test16(__m128i c) {
        const __m128i letter = in_range(_mm_or_si128(c, _mm_set1_epi8(0x20)), 'a', 'z');
        const __m128i plain = _mm_or_si128(letter, _mm_or_si128(in_range(c, '0', '9'), equals(c, kWordByte)));
        return _mm_xor_si128(plain, _mm_set1_epi8(-1));
    }
#endif
};

struct FindNotPlain13a : FindNotPlain {  // alarmed by what 13a may have to rewrite before it splits
    static bool alarm(std::uint8_t c) { return c == '&' || c == '<' || c == '\n'; }
#ifdef NLGAUGE_SSE2
    static __m128i alarm16(__m128i c) {
        return _mm_or_si128(_mm_or_si128(equals(c, '&'), equals(c, '<')), equals(c, '\n'));
    }
#endif
};

// One bit per byte of a block of 64.
template <class Find>
std::uint64_t block_bits(const std::uint8_t* block, bool& alarm) {
    std::uint64_t bits = 0;
#ifdef NLGAUGE_SSE2
    __m128i alarms = _mm_setzero_si128();
    for (unsigned i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
        const auto part = static_cast<unsigned>(_mm_movemask_epi8(Find::test16(bytes)));
        bits |= std::uint64_t{part} << (16 * i);
        alarms = _mm_or_si128(alarms, Find::alarm16(bytes));
    }
    alarm |= _mm_movemask_epi8(alarms) != 0;
#else
    for (unsigned i = 0; i < 64; ++i) {
        bits |= std::uint64_t{Find::test(block[i])} << i;
        alarm |= Find::alarm(block[i]);
    }
#endif
    return bits;
}

// The positions below `size` of the bytes looked for; room for size + 64 positions is needed. Returns their number.
template <class Find>
std::size_t find_positions(const std::uint8_t* text, std::size_t size, std::uint32_t* positions, bool& alarm) {
    std::uint32_t* out = positions;
    for (std::size_t base = 0; base < size; base += 64) {
        std::uint64_t bits = block_bits<Find>(text + base, alarm);
        if (size - base < 64) bits &= (std::uint64_t{1} << (size - base)) - 1;
        for (; bits; bits &= bits - 1) *out++ = static_cast<std::uint32_t>(base + trailing_zeros(bits));
    }
    return static_cast<std::size_t>(out - positions);
}

// Starts and ends, alternating, of the runs of bytes not looked for. The blanks behind the text must be looked for.
template <class Find>
std::size_t find_runs(const std::uint8_t* text, std::size_t size, std::uint32_t* positions, bool& alarm) {
    std::uint32_t* out = positions;
    std::uint64_t before = 0;  // whether the byte before the block was in a run
    for (std::size_t base = 0; base <= size; base += 64) {
        const std::uint64_t inside = ~block_bits<Find>(text + base, alarm);
        std::uint64_t changes = inside ^ (inside << 1 | before);
        before = inside >> 63;
        for (; changes; changes &= changes - 1) *out++ = static_cast<std::uint32_t>(base + trailing_zeros(changes));
    }
    return static_cast<std::size_t>(out - positions);
}

#ifdef NLGAUGE_SSE2
template <bool Lower>
inline void copy16(std::uint8_t* target, const std::uint8_t* source) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
    if (Lower) bytes = _mm_or_si128(bytes, _mm_and_si128(in_range(bytes, 'A', 'Z'), _mm_set1_epi8(0x20)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), bytes);
}
#endif

// Copies `size` bytes, lower-casing A-Z if asked, and pads with blanks. `target` needs size + kPadding bytes.
template <bool Lower>
void copy_text(std::uint8_t* target, const std::uint8_t* source, std::size_t size) {
    std::memset(target + size, ' ', kPadding);
#ifdef NLGAUGE_SSE2
    if (size >= 16) {  // the last sixteen may overlap those before
        for (std::size_t i = 0; i < size - 16; i += 16) copy16<Lower>(target + i, source + i);
        return copy16<Lower>(target + size - 16, source + size - 16);
    }
#endif
    for (std::size_t i = 0; i < size; ++i)
        target[i] = static_cast<std::uint8_t>(Lower && is_upper_letter(source[i]) ? source[i] | 0x20 : source[i]);
}

}  // namespace nlgauge
