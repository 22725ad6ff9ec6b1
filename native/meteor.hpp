// Texts as numbers of one table of words: what the aligners of the METEOR family read.
#pragma once
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace nlgauge {

template <class T>
struct View {
    const T* data = nullptr;
    std::size_t size = 0;
    const T& operator[](std::size_t i) const { return data[i]; }
    const T* begin() const { return data; }
    const T* end() const { return data + size; }
};
using Words = View<std::int32_t>;
using Ints32 = View<std::int32_t>;
using Ints64 = View<std::int64_t>;

// A one-dimensional buffer of Python (numpy array, array.array, memory map), held while it is read.
template <class T>
struct BufferView {
    explicit BufferView(const pybind11::buffer& source) : info(source.request()) {
        const bool fits = info.ndim == 1 && info.itemsize == sizeof(T) && (info.size < 2 || info.strides[0] == sizeof(T));
        if (!fits) throw std::invalid_argument("a one-dimensional array of another type of number was expected");
        span = {static_cast<const T*>(info.ptr), static_cast<std::size_t>(info.size)};
    }
    pybind11::buffer_info info;
    View<T> span;
};

struct NumberedTexts {
    NumberedTexts(const pybind11::buffer& words, const pybind11::buffer& text_start, const pybind11::buffer& segment_text)
        : words_(words), text_start_(text_start), segment_text_(segment_text) {}

    std::size_t size() const { return segment_text_.span.size ? segment_text_.span.size - 1 : 0; }
    Words hypothesis(std::size_t s) const { return text(static_cast<std::size_t>(segment_text_.span[s])); }
    std::size_t references(std::size_t s) const {
        return static_cast<std::size_t>(segment_text_.span[s + 1] - segment_text_.span[s] - 1);
    }
    Words reference(std::size_t s, std::size_t j) const {
        return text(static_cast<std::size_t>(segment_text_.span[s]) + 1 + j);
    }

    // Every word has an entry in the tables, and the offsets lie inside the arrays.
    void check(std::size_t forms) const {
        for (const std::int32_t word : words_.span)
            if (word < 0 || static_cast<std::size_t>(word) >= forms) throw std::invalid_argument("a word without entry");
        check_offsets(text_start_.span, words_.span.size);
        check_offsets(segment_text_.span, text_start_.span.size ? text_start_.span.size - 1 : 0);
    }

private:
    static void check_offsets(Ints64 offsets, std::size_t end) {
        std::int64_t last = 0;
        for (const std::int64_t offset : offsets) {
            if (offset < last || static_cast<std::size_t>(offset) > end) throw std::invalid_argument("offsets out of order");
            last = offset;
        }
    }
    Words text(std::size_t t) const {
        const Ints64 start = text_start_.span;
        return {words_.span.data + start[t], static_cast<std::size_t>(start[t + 1] - start[t])};
    }

    BufferView<std::int32_t> words_;
    BufferView<std::int64_t> text_start_;
    BufferView<std::int64_t> segment_text_;
};

}  // namespace nlgauge
