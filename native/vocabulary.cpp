#include "vocabulary.hpp"

namespace nlgauge {

namespace {

template <class Unit>
Token packed(const char32_t* points, std::size_t length, Arena& arena) {
    const std::size_t size = length * sizeof(Unit);
    std::uint8_t head[16] = {};
    std::uint8_t* bytes = size > 16 ? arena.take<std::uint8_t>(size) : head;
    for (std::size_t i = 0; i < length; ++i) {
        const auto unit = static_cast<Unit>(points[i]);
        std::memcpy(bytes + i * sizeof(Unit), &unit, sizeof(Unit));
    }
    if (size > 16) return long_token(bytes, size, sizeof(Unit));
    const std::uint64_t low = load8(head), high = load8(head + 8);
    const std::uint64_t tag = std::uint64_t{sizeof(Unit)} << 56 | size;
    return {low, high, tag, mix(low, high, tag)};
}

}  // namespace

Token long_token(const std::uint8_t* bytes, std::size_t size, std::size_t width) {
    const std::uint64_t tag = std::uint64_t{width} << 56 | size;
    std::uint64_t value = mix(load8(bytes), load8(bytes + 8), tag);
    std::uint64_t other = 0;
    for (std::size_t i = 16; i < size; i += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, bytes + i, std::min<std::size_t>(size - i, 8));
        value = mix(value, part, tag);
        other = (other ^ part) * 0xd6e8feb86659fd93u;
    }
    return {other, reinterpret_cast<std::uintptr_t>(bytes), tag, value};
}

Token wide_token(const char32_t* points, std::size_t length, Arena& arena) {
    char32_t seen = 0;
    for (std::size_t i = 0; i < length; ++i) seen |= points[i];
    if (seen < 0x100) return packed<std::uint8_t>(points, length, arena);
    if (seen < 0x10000) return packed<std::uint16_t>(points, length, arena);
    return packed<std::uint32_t>(points, length, arena);
}

void Vocabulary::clear() {
    size_ = 0;
    distinct_ = 0;
    if (++stamp_ == 0) {  // the stamps have been through all their values: forget the old ones
        std::fill(table_.begin(), table_.end(), Slot{});
        stamp_ = 1;
    }
}

// At least two slots a token, and not so many more that short segments miss the cache after a long one.
void Vocabulary::fit_table() {
    std::size_t wanted = kSmallTable;
    while (wanted < 2 * size_) wanted *= 2;
    if (wanted > table_.size() || (table_.size() > kLargeTable && 16 * wanted < table_.size())) {
        table_.assign(wanted, Slot{});
        mask_ = wanted - 1;
    }
    if (numbers_.size() < size_) {
        numbers_.resize(2 * size_);
        hashes_.resize(2 * size_ + 1);
    }
}

// The slot of a token that is not in its first place: behind, the next that holds it or is free.
std::size_t Vocabulary::probe(const Token& token, std::size_t at) const {
    for (;; at = (at + 1) & mask_) {
        const Slot slot = table_[at];
        if (slot.stamp != stamp_) return at;
        const Token& word = tokens_[slot.first];
        if (word.tag != token.tag || word.low != token.low) continue;
        if (token.is_long() ? std::memcmp(word.bytes(), token.bytes(), token.size()) == 0 : word.high == token.high)
            return at;
    }
}

// Whether a token is new or not is hard to predict, so nothing branches on it: `used` is all ones or zero and selects.
void Vocabulary::number() {
    if (size_ == 0) return;
    fit_table();
    Slot* const table = table_.data();
    const Token* const tokens = tokens_.data();
    std::uint32_t* const numbers = numbers_.data();
    std::uint64_t* const hashes = hashes_.data();
    const std::size_t mask = mask_;
    const std::uint32_t stamp = stamp_;
    const auto size = static_cast<std::uint32_t>(size_);
    std::uint32_t distinct = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const Token& token = tokens[i];
        std::size_t at = token.hash & mask;
        Slot slot = table[at];
        std::uint32_t used = 0u - (slot.stamp == stamp);
        const Token& word = tokens[slot.first];
        const std::uint64_t other = (word.low ^ token.low) | (word.high ^ token.high) | (word.tag ^ token.tag);
        if (used & ((other | (other >> 32)) & 0xffffffffu)) {
            at = probe(token, at);
            slot = table[at];
            used = 0u - (slot.stamp == stamp);
        }
        const std::uint32_t number = (numbers[slot.first] & used) | (distinct & ~used);
        table[at] = {stamp, (slot.first & used) | (i & ~used)};
        numbers[i] = number;
        hashes[distinct] = token.hash;
        distinct += 1 + used;
    }
    distinct_ = distinct;
}

}  // namespace nlgauge
