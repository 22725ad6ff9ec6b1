// The distinct tokens of one segment: numbering, identity and hashes.
//
// A token is kept in its canonical form: its code points in the narrowest of 1, 2 or 4 bytes that holds them all, so
// that one word is one sequence of bytes whatever the width of the string it came from. Up to 16 bytes it lives in two
// machine words and is compared exactly; longer tokens are compared byte by byte. A hash only says where to look.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

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

// A token in canonical form. `low` and `high` are its first 16 bytes, zero beyond its end.
struct Token {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t tag = 0;                // bytes, and above bit 56 the bytes per code point: 1, 2 or 4
    const std::uint8_t* bytes = nullptr;  // valid only for long tokens, or where the maker says so

    std::size_t size() const { return tag & ((std::uint64_t{1} << 56) - 1); }  // bytes
    std::size_t width() const { return tag >> 56; }
    std::size_t length() const { return size() / width(); }  // code points
    bool is_long() const { return size() > 16; }
};

inline constexpr std::uint64_t kNarrow = std::uint64_t{1} << 56;

// One byte per code point; 16 bytes must be readable at `bytes` whatever the size.
inline Token narrow_token(const std::uint8_t* bytes, std::size_t size) {
    static constexpr std::uint64_t all = ~std::uint64_t{0};
    static constexpr std::uint64_t kept_low[17] = {
        0, all >> 56, all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all, all, all, all, all, all,
        all, all, all};
    static constexpr std::uint64_t kept_high[17] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, all >> 56, all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all};
    const std::size_t shown = size < 16 ? size : 16;
    return {load8(bytes) & kept_low[shown], load8(bytes + 8) & kept_high[shown], kNarrow | size, bytes};
}

// Any code points: the canonical form is written into `arena` unless it is short and narrow.
Token wide_token(const char32_t* points, std::size_t length, Arena& arena);

// Injective on tokens of up to 8 bytes and one size; every step is a bijection of the running value.
inline std::uint64_t hash(const Token& token) {
    std::uint64_t value = (token.low ^ (token.tag * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    value ^= value >> 32;
    value = (value + token.high) * 0x94d049bb133111ebu;
    value ^= value >> 29;
    if (token.is_long()) {
        const std::size_t size = token.size();
        for (std::size_t i = 16; i < size; i += 8) {
            std::uint64_t part = 0;
            std::memcpy(&part, token.bytes + i, size - i < 8 ? size - i : 8);
            value = (value + part) * 0xbf58476d1ce4e5b9u;
            value ^= value >> 32;
        }
    }
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

// Numbers the distinct tokens of a segment 0, 1, 2 … in order of first appearance and lists the numbers in text order.
class Vocabulary {
public:
    Vocabulary() : table_(kSmallTable), mask_(kSmallTable - 1) { grow_words(64); }

    void clear() {
        // After an unusually long segment the table is too sparse for the cache.
        if (mask_ >= kLargeTable && 32 * std::size_t{count_} < mask_) {
            table_.assign(kSmallTable, Slot{});
            mask_ = kSmallTable - 1;
        }
        count_ = 0;
        written_ = 0;
        if (++stamp_ == 0) {  // the stamps have been through all their values: forget the old ones
            std::fill(table_.begin(), table_.end(), Slot{});
            stamp_ = 1;
        }
    }

    // Makes room for `more` tokens, so that add() need not check.
    void reserve(std::size_t more) {
        if (written_ + more > ids_.size()) ids_.resize(2 * (written_ + more));
        if (count_ + more + 1 > words_.size()) grow_words(2 * (count_ + more + 1));
    }

    // Whether a token is new or not is hard to predict, so this has no branch on it: the word is always written
    // behind the last one, and kept only if the slot was free.
    void add(const Token& token, std::uint64_t hash) {
        std::size_t at = hash & mask_;
        Slot slot = table_[at];
        bool used = slot.stamp == stamp_;
        if (used & !same(words_[slot.id], token)) {
            do {
                at = (at + 1) & mask_;
                slot = table_[at];
                used = slot.stamp == stamp_;
            } while (used && !same(words_[slot.id], token));
        }
        const std::uint32_t fresh = count_;
        const std::uint32_t id = used ? slot.id : fresh;
        table_[at] = {stamp_, id};
        words_[fresh] = token;
        hashes_[fresh] = hash;
        count_ = fresh + !used;
        ids_[written_++] = id;
        if (2 * std::size_t{count_} > mask_) enlarge();
    }

    std::size_t written() const { return written_; }
    std::size_t size() const { return count_; }
    const std::uint32_t* ids() const { return ids_.data(); }
    const std::uint64_t* hashes() const { return hashes_.data(); }
    const Token& word(std::size_t id) const { return words_[id]; }

private:
    static constexpr std::size_t kSmallTable = 256;
    static constexpr std::size_t kLargeTable = 8192;

    struct Slot {
        std::uint32_t stamp = 0;  // the segment that wrote it; other stamps mean a free slot
        std::uint32_t id = 0;
    };

    static bool same(const Token& a, const Token& b) {
        const bool head = (a.low == b.low) & (a.high == b.high) & (a.tag == b.tag);
        return head && (!b.is_long() || std::memcmp(a.bytes + 16, b.bytes + 16, b.size() - 16) == 0);
    }

    void grow_words(std::size_t size) {
        words_.resize(size);
        hashes_.resize(size);
    }
    void enlarge();

    std::vector<Slot> table_;
    std::size_t mask_;
    std::uint32_t stamp_ = 1;
    std::uint32_t count_ = 0;
    std::size_t written_ = 0;
    std::vector<std::uint32_t> ids_;
    std::vector<Token> words_;
    std::vector<std::uint64_t> hashes_;
};

}  // namespace nlgauge
