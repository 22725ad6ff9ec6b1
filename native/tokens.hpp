// A batch of tokenised segments: what every word-based kernel reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace nlgauge {

struct Span {
    const std::uint32_t* data;
    std::size_t size;
    std::uint32_t operator[](std::size_t i) const { return data[i]; }
    const std::uint32_t* begin() const { return data; }
    const std::uint32_t* end() const { return data + size; }
};

struct NgramOverlaps;

// Token ids are local to a segment (0 .. vocabulary(s) - 1, in order of first appearance: hypothesis first, then
// references), so kernels can count with small direct-address tables. `hashes` identifies a token across segments.
struct TokenBatch {
    std::vector<std::uint32_t> ids;           // the tokens of all texts, one text after another
    std::vector<std::size_t> text_start;      // texts + 1 offsets into `ids`
    std::vector<std::size_t> segment_text;    // n + 1 offsets: the hypothesis of segment s, then its references
    std::vector<std::size_t> segment_vocab;   // n + 1 offsets into `hashes`
    std::vector<std::uint64_t> hashes;        // 64-bit hash of each distinct token of each segment
    // With sentence splitting only (else empty): per text, the offsets into `ids` where its sentences start.
    std::vector<std::size_t> sentence_start;       // sentences + 1 offsets into `ids`
    std::vector<std::size_t> text_sentence;        // texts + 1 offsets into `sentence_start`
    mutable std::shared_ptr<const NgramOverlaps> overlaps;  // once a metric has asked for them; see overlaps.hpp

    std::size_t size() const { return segment_text.empty() ? 0 : segment_text.size() - 1; }
    Span text(std::size_t t) const { return {ids.data() + text_start[t], text_start[t + 1] - text_start[t]}; }
    Span hypothesis(std::size_t s) const { return text(segment_text[s]); }
    std::size_t references(std::size_t s) const { return segment_text[s + 1] - segment_text[s] - 1; }
    Span reference(std::size_t s, std::size_t j) const { return text(segment_text[s] + 1 + j); }
    std::size_t vocabulary(std::size_t s) const { return segment_vocab[s + 1] - segment_vocab[s]; }
    const std::uint64_t* vocabulary_hashes(std::size_t s) const { return hashes.data() + segment_vocab[s]; }
};

}  // namespace nlgauge
