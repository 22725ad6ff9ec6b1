// Exact n-gram matching of one hypothesis with its references: per order, the sum over n-grams of the smaller count.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlgauge {

// A sequence of ids made ready for matching. Ids are small and local to a segment: 1 .. width-1 stand for the symbols
// of the hypothesis, 0 for a symbol the hypothesis lacks.
struct Symbols {
    std::vector<std::uint32_t> ids;
    std::size_t size = 0;

    std::uint32_t* reserve(std::size_t n) {
        if (ids.size() < n) ids.resize(n);
        return ids.data();
    }
    std::size_t total(std::size_t order) const { return size >= order ? size - order + 1 : 0; }
};

// n-grams are never hashed whole. The class of the n-gram at a position follows from the class of the (n-1)-gram there
// and one more symbol: class = table[previous class, symbol]. The table is filled by the hypothesis alone; references
// only look up, and a position whose n-gram is missing is dropped from all longer orders. All orders go through the
// table one after the other, so it stays small enough for the first-level cache.
class NgramMatcher {
public:
    // matches[j * max_order + n - 1] = matches of order n with reference j. Orders below `first` are left unset.
    void match(const Symbols& hypothesis, const Symbols* references, std::size_t count, std::size_t width,
               std::size_t first, std::size_t max_order, std::uint32_t* matches) {
        start(hypothesis, references, count, width, max_order, matches);
        for (std::size_t order = 1; order <= max_order; ++order) {
            if (order > hypothesis.size || !any_active(count)) break;
            if (order > 1) {
                const std::size_t cells = classes_ * width;
                if (cells <= kDirectCells)
                    extend(Direct{direct_, cells}, hypothesis, references, count, width, order);
                else
                    extend(Hashed{hashed_, alive_}, hypothesis, references, count, width, order);
            }
            if (order < first) continue;
            for (std::size_t j = 0; j < count; ++j) matches[j * max_order + order - 1] = overlap(active_[j]);
        }
    }

private:
    static constexpr std::size_t kDirectCells = std::size_t{1} << 16;  // 256 KB at most; more is left to hashing

    struct Active {  // positions of a reference whose n-gram the hypothesis has
        std::vector<std::uint32_t> position, cls;
        std::size_t size = 0;
    };
    struct Entry {
        std::uint64_t key;
        std::uint32_t cls;
    };

    // Both tables map (class, symbol) to a class, 0 where there is none, and are all zero between uses.
    struct Direct {
        std::vector<std::uint32_t>& cells;
        Direct(std::vector<std::uint32_t>& storage, std::size_t n) : cells(storage) {
            if (cells.size() < n) cells.resize(n);
        }
        std::size_t slot(std::uint64_t key) const { return static_cast<std::size_t>(key); }
        std::uint32_t get(std::size_t slot) const { return cells[slot]; }
        void set(std::size_t slot, std::uint64_t, std::uint32_t cls) { cells[slot] = cls; }
        void clear(std::size_t slot) { cells[slot] = 0; }
    };
    struct Hashed {
        std::vector<Entry>& entries;
        std::size_t mask;
        Hashed(std::vector<Entry>& storage, std::size_t n) : entries(storage) {
            std::size_t capacity = 64;
            while (capacity < 2 * n + 2) capacity *= 2;
            if (entries.size() < capacity) entries.assign(capacity, Entry{0, 0});
            mask = entries.size() - 1;
        }
        std::size_t slot(std::uint64_t key) const {
            std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 29) & mask;
            while (entries[at].cls != 0 && entries[at].key != key) at = (at + 1) & mask;
            return at;
        }
        std::uint32_t get(std::size_t slot) const { return entries[slot].cls; }
        void set(std::size_t slot, std::uint64_t key, std::uint32_t cls) { entries[slot] = {key, cls}; }
        void clear(std::size_t slot) { entries[slot].cls = 0; }
    };

    static void grow(std::vector<std::uint32_t>& values, std::size_t n) {
        if (values.size() < n) values.resize(n);
    }

    bool any_active(std::size_t count) const {
        for (std::size_t j = 0; j < count; ++j)
            if (active_[j].size) return true;
        return false;
    }

    // Order 1: the class of a position is its symbol.
    void start(const Symbols& hypothesis, const Symbols* references, std::size_t count, std::size_t width,
               std::size_t max_order, std::uint32_t* matches) {
        std::fill(matches, matches + count * max_order, 0u);
        const std::size_t room = std::max(hypothesis.size + 1, width);
        grow(position_, hypothesis.size);
        grow(cls_, hypothesis.size);
        grow(count_, room);
        grow(seen_, room);
        grow(slot_, room);
        classes_ = width;
        std::fill(count_.begin(), count_.begin() + static_cast<std::ptrdiff_t>(width), 0u);
        for (std::size_t i = 0; i < hypothesis.size; ++i) {
            position_[i] = static_cast<std::uint32_t>(i);
            cls_[i] = hypothesis.ids[i];
            ++count_[hypothesis.ids[i]];
        }
        alive_ = hypothesis.size;
        if (active_.size() < count) active_.resize(count);
        for (std::size_t j = 0; j < count; ++j) {
            Active& active = active_[j];
            grow(active.position, references[j].size);
            grow(active.cls, references[j].size);
            std::size_t kept = 0;
            for (std::size_t i = 0; i < references[j].size; ++i) {
                const std::uint32_t id = references[j].ids[i];
                active.position[kept] = static_cast<std::uint32_t>(i);
                active.cls[kept] = id;
                kept += id != 0;
            }
            active.size = kept;
        }
    }

    // From order-1 to order. The loops have no branches that depend on the text: what is dropped is overwritten.
    template <class Table>
    void extend(Table table, const Symbols& hypothesis, const Symbols* references, std::size_t count,
                std::size_t width, std::size_t order) {
        const std::size_t last = hypothesis.size - order;
        const std::uint32_t* symbols = hypothesis.ids.data() + order - 1;
        std::uint32_t *position = position_.data(), *cls = cls_.data(), *counts = count_.data(), *slots = slot_.data();
        std::uint32_t next = 1;
        while (alive_ && position[alive_ - 1] > last) --alive_;
        std::fill(counts, counts + alive_ + 1, 0u);
        for (std::size_t k = 0; k < alive_; ++k) {
            const std::uint64_t key = std::uint64_t{cls[k]} * width + symbols[position[k]];
            const std::size_t slot = table.slot(key);
            const std::uint32_t found = table.get(slot);
            const std::uint32_t mine = found ? found : next;
            next += found == 0;
            table.set(slot, key, mine);
            slots[mine] = static_cast<std::uint32_t>(slot);
            cls[k] = mine;
            ++counts[mine];
        }
        classes_ = next;
        for (std::size_t j = 0; j < count; ++j) {
            Active& active = active_[j];
            const std::uint32_t* reference = references[j].ids.data() + order - 1;
            const std::size_t end = references[j].total(order);
            std::uint32_t *where = active.position.data(), *what = active.cls.data();
            while (active.size && where[active.size - 1] >= end) --active.size;
            std::size_t kept = 0;
            for (std::size_t k = 0; k < active.size; ++k) {
                const std::uint32_t i = where[k];
                const std::uint32_t symbol = reference[i];
                const std::uint32_t found = table.get(table.slot(std::uint64_t{what[k]} * width + symbol));
                where[kept] = i;
                what[kept] = found;
                kept += found != 0;
            }
            active.size = kept;
        }
        for (std::uint32_t c = 1; c < next; ++c) table.clear(slots[c]);
    }

    std::uint32_t overlap(const Active& active) {
        std::uint32_t *seen = seen_.data(), matched = 0;
        const std::uint32_t *counts = count_.data(), *cls = active.cls.data();
        std::fill(seen, seen + classes_, 0u);
        for (std::size_t k = 0; k < active.size; ++k) matched += seen[cls[k]]++ < counts[cls[k]];
        return matched;
    }

    std::size_t alive_ = 0, classes_ = 0;
    std::vector<std::uint32_t> position_, cls_, count_, seen_, slot_, direct_;
    std::vector<Entry> hashed_;
    std::vector<Active> active_;
};

}  // namespace nlgauge
