// The English stemmer of Snowball 3.1, also called Porter2 (Porter 2001, revised since): what the package
// snowballstemmer computes, equal to it on every word.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nlgauge {

// Stems a word in place and returns its new length, never more than `length`. Words are taken as they are: capitals
// count as consonants, so texts are lower-cased before. Char is std::uint8_t (Latin-1) or char32_t.
template <class Char>
std::size_t snowball_english(Char* word, std::size_t length);

extern template std::size_t snowball_english(std::uint8_t* word, std::size_t length);
extern template std::size_t snowball_english(char32_t* word, std::size_t length);

}  // namespace nlgauge
