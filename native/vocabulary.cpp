#include "vocabulary.hpp"

namespace nlgauge {

namespace {

template <class Unit>
Token packed(const char32_t* points, std::size_t length, Arena& arena) {
    const std::size_t size = length * sizeof(Unit);
    auto* bytes = arena.take<std::uint8_t>(size + 16);
    for (std::size_t i = 0; i < length; ++i) {
        const auto unit = static_cast<Unit>(points[i]);
        std::memcpy(bytes + i * sizeof(Unit), &unit, sizeof(Unit));
    }
    std::memset(bytes + size, 0, 16);
    Token token = narrow_token(bytes, size);
    token.tag = std::uint64_t{sizeof(Unit)} << 56 | size;
    return token;
}

}  // namespace

Token wide_token(const char32_t* points, std::size_t length, Arena& arena) {
    char32_t seen = 0;
    for (std::size_t i = 0; i < length; ++i) seen |= points[i];
    if (seen < 0x100) return packed<std::uint8_t>(points, length, arena);
    if (seen < 0x10000) return packed<std::uint16_t>(points, length, arena);
    return packed<std::uint32_t>(points, length, arena);
}

void Vocabulary::enlarge() {
    table_.assign(4 * table_.size(), Slot{});
    mask_ = table_.size() - 1;
    for (std::uint32_t id = 0; id < count_; ++id) {
        std::size_t at = hashes_[id] & mask_;
        while (table_[at].stamp == stamp_) at = (at + 1) & mask_;
        table_[at] = {stamp_, id};
    }
}

}  // namespace nlgauge
