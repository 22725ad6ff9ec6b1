// The tokens of one segment: identity, hashes and numbers.
//
// A token is kept in its canonical form: its code points in the narrowest of 1, 2 or 4 bytes that holds them all, so
// that one word is one sequence of bytes whatever the width of the string it came from. Up to 16 bytes it lives in two
// machine words and is compared exactly; longer tokens are compared byte by byte. A hash only says where to look.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

// The few functions of the inner loop, which the compiler would otherwise leave as calls.
#if defined(__GNUC__)
#define NLGAUGE_INLINE inline __attribute__((always_inline))
#else
#define NLGAUGE_INLINE inline
#endif

namespace nlgauge {

// Memory for the texts of one segment: pointers stay valid until clear(), which keeps the memory for the next.
class Arena {
public:
    template <class T>
    T* take(std::size_t count) {
        const std::size_t bytes = (count * sizeof(T) + 15) & ~std::size_t{15};
        if (bytes > left_) next_chunk(bytes);
        T* result = reinterpret_cast<T*>(at_);
        at_ += bytes;
        left_ -= bytes;
        return result;
    }

    void clear() {
        if (chunks_.empty()) return;
        // One chunk that holds it all is kept; the rest of an unusually long segment is given back.
        chunks_.resize(1);
        at_ = chunks_[0].get();
        left_ = kChunk;
    }

private:
    static constexpr std::size_t kChunk = std::size_t{1} << 16;

    void next_chunk(std::size_t bytes) {
        left_ = chunks_.empty() ? kChunk : std::max(bytes, kChunk);
        chunks_.push_back(std::make_unique<std::uint8_t[]>(left_));
        at_ = chunks_.back().get();
        if (bytes > left_) next_chunk(bytes);
    }

    std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
    std::uint8_t* at_ = nullptr;
    std::size_t left_ = 0;
};

inline std::uint64_t load8(const std::uint8_t* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, 8);
    return value;
}

// A token in canonical form. Up to 16 bytes, `low` and `high` are its bytes, zero beyond its end; of longer ones they are
// a second hash and the address.
struct Token {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t tag = 0;  // bytes, and above bit 56 the bytes per code point: 1, 2 or 4
    std::uint64_t hash = 0;

    std::size_t size() const { return tag & ((std::uint64_t{1} << 56) - 1); }  // bytes
    std::size_t width() const { return tag >> 56; }
    std::size_t length() const { return size() / width(); }  // code points
    bool is_long() const { return size() > 16; }
    const std::uint8_t* bytes() const {
        return is_long() ? reinterpret_cast<const std::uint8_t*>(static_cast<std::uintptr_t>(high))
                         : reinterpret_cast<const std::uint8_t*>(this);
    }
};
static_assert(offsetof(Token, low) == 0 && offsetof(Token, high) == 8, "bytes() reads the two words as one array");

inline constexpr std::uint64_t kNarrow = std::uint64_t{1} << 56;

// Injective on tokens of up to 8 bytes and one size; every step is a bijection of the running value.
NLGAUGE_INLINE std::uint64_t mix(std::uint64_t low, std::uint64_t high, std::uint64_t tag) {
    std::uint64_t value = (low ^ (tag * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    value ^= value >> 32;
    value = (value + high) * 0x94d049bb133111ebu;
    return value ^ (value >> 29);
}

// A token of more than 16 bytes, which must stay where they are as long as the token is used.
Token long_token(const std::uint8_t* bytes, std::size_t size, std::size_t width);

// One byte per code point; 16 bytes must be readable at `bytes` whatever the size.
NLGAUGE_INLINE Token narrow_token(const std::uint8_t* bytes, std::size_t size) {
    static constexpr std::uint64_t all = ~std::uint64_t{0};
    static constexpr std::uint64_t kept_low[17] = {
        0, all >> 56, all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all, all, all, all, all, all,
        all, all, all};
    static constexpr std::uint64_t kept_high[17] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, all >> 56, all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all};
    if (size > 16) return long_token(bytes, size, 1);
    const std::uint64_t low = load8(bytes) & kept_low[size];
    const std::uint64_t high = load8(bytes + 8) & kept_high[size];
    const std::uint64_t tag = kNarrow | size;
    return {low, high, tag, mix(low, high, tag)};
}

// Any code points; the bytes of a long token are written into `arena`.
Token wide_token(const char32_t* points, std::size_t length, Arena& arena);

// The tokens of the texts of a segment in order and, after number(), their numbers: the distinct ones are 0, 1, 2 … in
// order of first appearance.
class Vocabulary {
public:
    Vocabulary() : table_(kSmallTable), mask_(kSmallTable - 1) {}

    void clear();

    // Room for `more` tokens, to be written there; commit() says up to where that was done.
    Token* room(std::size_t more) {
        if (size_ + more > tokens_.size()) tokens_.resize(2 * (size_ + more));
        return tokens_.data() + size_;
    }
    void commit(const Token* end) { size_ = static_cast<std::size_t>(end - tokens_.data()); }

    void number();

    std::size_t size() const { return size_; }
    const Token& operator[](std::size_t i) const { return tokens_[i]; }
    const std::uint32_t* numbers() const { return numbers_.data(); }
    std::size_t distinct() const { return distinct_; }
    const std::uint64_t* hashes() const { return hashes_.data(); }  // of the distinct tokens

private:
    static constexpr std::size_t kSmallTable = 512;
    static constexpr std::size_t kLargeTable = 8192;

    struct Slot {
        std::uint32_t stamp = 0;  // the segment that wrote it; other stamps mean a free slot
        std::uint32_t first = 0;  // where the token stands first
    };

    void fit_table();
    std::size_t probe(const Token& token, std::size_t at) const;

    std::vector<Slot> table_;
    std::size_t mask_;
    std::uint32_t stamp_ = 1;
    std::size_t size_ = 0;
    std::size_t distinct_ = 0;
    std::vector<Token> tokens_;
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> hashes_;
};

}  // namespace nlgauge
