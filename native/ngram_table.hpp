// Tables of n-grams that are known by a 64-bit hash, and logarithms of their counts.
//
// Open addressing: a slot has a `key`, which is 0 where it is free, and the upper bits of the hash choose where the
// search begins. The number of slots is a power of two; `shift` is 64 less its exponent.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlgauge {

// Where the key stands, or the free slot that it may have.
template <class Slots>
std::size_t find_slot(const Slots& slots, unsigned shift, std::uint64_t key) {
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = key >> shift;
    while (slots[slot].key != key && slots[slot].key != 0) slot = (slot + 1) & mask;
    return slot;
}

// Moves all n-grams into a table of `size` slots.
template <class Slots>
void rehash(Slots& slots, unsigned& shift, std::size_t size) {
    Slots old(size);
    old.swap(slots);
    for (std::size_t before = old.size(); before < size; before *= 2) --shift;
    for (const auto& slot : old)
        if (slot.key) slots[find_slot(slots, shift, slot.key)] = slot;
}

// Logarithms of counts, which come again and again; that of 0 is taken to be 0.
template <double (*kLog)(double)>
class Logarithms {
public:
    double operator()(std::uint32_t count) {
        if (count >= known_.size()) return kLog(static_cast<double>(count));
        double& log = known_[count];
        if (log < 0) log = kLog(static_cast<double>(std::max(count, 1u)));
        return log;
    }

private:
    std::vector<double> known_ = std::vector<double>(1 << 13, -1.0);  // negative: not asked for yet
};

}  // namespace nlgauge
