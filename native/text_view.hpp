// Read-only views of Python strings, gathered under the GIL and read without it.
#pragma once
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace nlgauge {

// One Python str, in place: CPython stores 1, 2 or 4 bytes a code point, chosen per string.
struct TextView {
    const void* data;
    std::size_t length;  // code points
    std::uint8_t kind;   // bytes per code point: 1, 2 or 4
    bool ascii;

    char32_t operator[](std::size_t i) const {
        switch (kind) {
            case 1: return static_cast<const std::uint8_t*>(data)[i];
            case 2: return static_cast<const std::uint16_t*>(data)[i];
            default: return static_cast<const std::uint32_t*>(data)[i];
        }
    }
};

// The texts of a batch: for each segment its hypothesis, then its references.
// Keeps alive what it points into, so it must be destroyed with the GIL held.
struct TextBatch {
    std::vector<TextView> texts;
    std::vector<std::size_t> segment_text;  // n + 1 offsets into `texts`
    std::vector<pybind11::object> owned;

    std::size_t size() const { return segment_text.empty() ? 0 : segment_text.size() - 1; }
    const TextView& hypothesis(std::size_t s) const { return texts[segment_text[s]]; }
    std::size_t references(std::size_t s) const { return segment_text[s + 1] - segment_text[s] - 1; }
    const TextView& reference(std::size_t s, std::size_t j) const { return texts[segment_text[s] + 1 + j]; }
};

// `lower` only has an effect on non-ASCII strings, which are replaced by Python's own str.lower() (full case
// mapping); ASCII strings are left as they are, and the reader lower-cases A-Z itself as it scans.
TextBatch gather(pybind11::handle hypotheses, pybind11::handle references, bool lower);

// Texts that are lists of words: `words.texts` are the words, and `words.segment_text` offsets into `text_start`.
struct WordBatch {
    TextBatch words;
    std::vector<std::size_t> text_start;  // texts + 1 offsets into `words.texts`
};
WordBatch gather_words(pybind11::handle hypotheses, pybind11::handle references);

// Calls work(begin, end) on `jobs` threads over [0, n); exceptions of a worker are rethrown here.
template <class Work>
void parallel_for(std::size_t n, int jobs, Work&& work) {
    const std::size_t threads = std::min<std::size_t>(std::max(jobs, 1), std::max<std::size_t>(n / 64, 1));
    if (threads <= 1) {
        work(std::size_t{0}, n);
        return;
    }
    std::vector<std::thread> pool;
    std::vector<std::exception_ptr> errors(threads);
    for (std::size_t t = 0; t < threads; ++t) {
        pool.emplace_back([&, t] {
            try {
                work(n * t / threads, n * (t + 1) / threads);
            } catch (...) {
                errors[t] = std::current_exception();
            }
        });
    }
    for (auto& thread : pool) thread.join();
    for (auto& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace nlgauge
