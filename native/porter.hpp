// Porter's stemmer ("An algorithm for suffix stripping", Program 14.3, 1980) with the deviations that NLTK's
// PorterStemmer makes in its default mode, which rouge_score uses; equal to it on every word.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nlgauge {

// Stems a lower-case word in place and returns its new length, never more than `length`. Code points other than the
// five vowels and y count as consonants. Char is std::uint8_t (Latin-1) or char32_t.
template <class Char>
std::size_t porter(Char* word, std::size_t length);

extern template std::size_t porter(std::uint8_t* word, std::size_t length);
extern template std::size_t porter(char32_t* word, std::size_t length);

}  // namespace nlgauge
