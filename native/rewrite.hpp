// Rewriting of texts before they are split: escapes, broken lines, and the options of tercom's normaliser.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nlgauge {

// The ASCII characters that mteval-v13a always sets off, but for the blank.
inline bool is_13a_punctuation(char32_t c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= '!' && c <= '&') || (c >= '(' && c <= '+') ||
           (c >= ':' && c <= '@') || c == '/';
}

// Asian and full-width punctuation as tercom's normaliser lists it.
inline bool is_asian_punctuation(char32_t c) {
    switch (c) {
        case 0x3001: case 0x3002: case 0x30fb: case 0xff0e: case 0xff0c: case 0xff1f: case 0xff1a: case 0xff1b:
        case 0xff01: case 0xff02: case 0xff08: case 0xff09: return true;
        default: return (c >= 0x3008 && c <= 0x3011) || (c >= 0x3014 && c <= 0x301f) || (c >= 0xff61 && c <= 0xff65);
    }
}

// str.replace() in place, for replacements that are no longer than what they replace. Returns the new size.
template <class Char>
std::size_t replace_all(Char* text, std::size_t size, std::string_view from, std::string_view to) {
    std::size_t written = 0;
    for (std::size_t i = 0; i < size;) {
        std::size_t matched = 0;
        while (matched < from.size() && i + matched < size && text[i + matched] == static_cast<Char>(from[matched]))
            ++matched;
        if (matched == from.size()) {
            for (const char c : to) text[written++] = static_cast<Char>(c);
            i += matched;
        } else {
            text[written++] = text[i++];
        }
    }
    return written;
}

// One after another, so that "&amp;lt;" ends as "<" but "&amp;quot;" as "&quot;".
template <class Char>
std::size_t unescape(Char* text, std::size_t size) {
    size = replace_all(text, size, "&quot;", "\"");
    size = replace_all(text, size, "&amp;", "&");
    size = replace_all(text, size, "&lt;", "<");
    return replace_all(text, size, "&gt;", ">");
}

// What mteval-v13a does to a text before it splits it. Returns the new size.
template <class Char>
std::size_t rewrite_13a(Char* text, std::size_t size) {
    size = replace_all(text, size, "<skipped>", "");
    size = replace_all(text, size, "-\n", "");
    size = replace_all(text, size, "\n", " ");
    return unescape(text, size);
}

// tercom's general and Western normalisation up to the point where it continues as mteval-v13a does: joined lines
// ("\n-", the other way round than 13a), escapes, and a blank before a possessive 's at the end of a word.
inline void normalize_tercom(std::vector<char32_t>& text) {
    std::size_t size = replace_all(text.data(), text.size(), "\n-", "");
    size = replace_all(text.data(), size, "\n", " ");
    text.resize(unescape(text.data(), size));
    std::vector<char32_t> result;
    result.reserve(text.size() + text.size() / 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool possessive = text[i] == '\'' && i + 1 < text.size() && text[i + 1] == 's' &&
                                (i + 2 == text.size() || text[i + 2] == ' ' || is_13a_punctuation(text[i + 2]));
        if (possessive) result.push_back(' ');
        result.push_back(text[i]);
    }
    text.swap(result);
}

inline void remove_tercom_punctuation(std::vector<char32_t>& text, bool asian) {
    constexpr std::u32string_view western = U".,?:;!\"()";
    std::size_t kept = 0;
    for (const char32_t c : text)
        if (western.find(c) == std::u32string_view::npos && !(asian && is_asian_punctuation(c))) text[kept++] = c;
    text.resize(kept);
}

}  // namespace nlgauge
