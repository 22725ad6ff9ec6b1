// N-gram matching for BLEU and NIST.
//
// The n-grams of a hypothesis form a trie: a node is one distinct n-gram, its children extend it by a token. Token
// ids are local to a segment and the hypothesis comes first in their numbering, so that node t < root count is the
// unigram t and identity is exact, without hashing words. References only walk the trie, from each position until the
// first n-gram the hypothesis does not have.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

struct Node {
    std::uint32_t available;  // occurrences in the hypothesis
    std::uint32_t matched;    // of these, found in a reference: the largest number over the references so far
    std::uint32_t current;    // occurrences in the reference being read
    std::uint32_t reading;    // which reference `current` belongs to
};

// One per thread, reused from segment to segment: nothing is allocated once the buffers have grown.
class NgramTrie {
   public:
    void build(Span hypothesis, unsigned order);

    // Reads one reference; adds to matched[n - 1] what it raises the clipped count of order n by. `reading` must
    // differ from one reference to the next and must not be 0.
    void match(Span reference, std::uint32_t reading, double* matched) {
        direct_ ? match_with<true>(reference, reading, matched) : match_with<false>(reference, reading, matched);
    }

    void forget_matches() {
        for (std::size_t node = 0; node < size_; ++node) nodes_[node].matched = nodes_[node].reading = 0;
    }

    // Calls visit(n, matched, position) once for each distinct n-gram, by first appearance in the hypothesis.
    template <class Visit>
    void each_ngram(Span hypothesis, unsigned order, Visit&& visit);

   private:
    template <bool direct>
    void build_with(Span hypothesis, unsigned order);
    template <bool direct>
    void match_with(Span reference, std::uint32_t reading, double* matched);
    template <bool direct>
    std::uint32_t* child(std::uint32_t node, std::uint32_t token);

    // Up to this many entries (64 KiB) a table indexed by [node][token] beats hashing: most segments are sentences.
    static constexpr std::size_t kDirectEntries = 1 << 14;

    unsigned order_ = 0;
    bool direct_ = true;
    std::uint32_t roots_ = 0;  // distinct tokens of the hypothesis
    std::size_t size_ = 0;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> table_;      // direct: child of [node][token], 0 for none (a child is never node 0)
    std::vector<std::size_t> touched_;      // direct: entries to clear before the next segment
    std::vector<std::uint64_t> keys_;       // hashed: node and token of each slot, 0 for an empty slot
    std::vector<std::uint32_t> children_;   // hashed: the child stored in each slot, 0 while new
    unsigned shift_ = 0;
    std::vector<std::uint32_t> visited_;
};

template <bool direct>
inline std::uint32_t* NgramTrie::child(std::uint32_t node, std::uint32_t token) {
    if constexpr (direct) return &table_[static_cast<std::size_t>(node) * roots_ + token];
    const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32 | token) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = (key * 0x9E3779B97F4A7C15u) >> shift_;
    while (keys_[slot] != key && keys_[slot] != 0) slot = (slot + 1) & mask;
    if (keys_[slot] == 0) children_[slot] = 0;
    return &children_[slot];
}

void NgramTrie::build(Span hypothesis, unsigned order) {
    for (const std::size_t entry : touched_) table_[entry] = 0;
    touched_.clear();
    order_ = order;
    roots_ = hypothesis.size ? *std::max_element(hypothesis.begin(), hypothesis.end()) + 1 : 0;
    const std::size_t most = roots_ + hypothesis.size * std::min<std::size_t>(order - 1, hypothesis.size);
    if (most >= UINT32_MAX) throw std::length_error("a text is too long for n-grams of this order");
    if (nodes_.size() < most) nodes_.resize(most);
    direct_ = most * roots_ <= kDirectEntries;
    if (direct_) {
        if (table_.size() < most * roots_) table_.resize(most * roots_);
        build_with<true>(hypothesis, order);
        return;
    }
    unsigned bits = 1;
    while ((std::size_t{1} << bits) < 2 * most) ++bits;
    shift_ = 64 - bits;
    keys_.assign(std::size_t{1} << bits, 0);
    children_.resize(keys_.size());
    build_with<false>(hypothesis, order);
}

template <bool direct>
void NgramTrie::build_with(Span hypothesis, unsigned order) {
    for (std::uint32_t token = 0; token < roots_; ++token) nodes_[token] = {0, 0, 0, 0};
    std::uint32_t next = roots_;
    const std::uint32_t* const end = hypothesis.end();
    for (const std::uint32_t* start = hypothesis.begin(); start != end; ++start) {
        std::uint32_t node = *start;
        ++nodes_[node].available;
        const std::uint32_t* const stop = start + std::min<std::ptrdiff_t>(order, end - start);
        for (const std::uint32_t* token = start + 1; token != stop; ++token) {
            std::uint32_t* const entry = child<direct>(node, *token);
            if (*entry == 0) {
                *entry = next;
                if constexpr (direct)
                    touched_.push_back(static_cast<std::size_t>(entry - table_.data()));
                else
                    keys_[static_cast<std::size_t>(entry - children_.data())] =
                        (static_cast<std::uint64_t>(node) << 32 | *token) + 1;
                nodes_[next++] = {0, 0, 0, 0};
            }
            node = *entry;
            ++nodes_[node].available;
        }
    }
    size_ = next;
}

template <bool direct>
void NgramTrie::match_with(Span reference, std::uint32_t reading, double* matched) {
    const std::uint32_t* const end = reference.end();
    for (const std::uint32_t* start = reference.begin(); start != end; ++start) {
        std::uint32_t node = *start;
        if (node >= roots_) continue;
        const std::uint32_t* const stop = start + std::min<std::ptrdiff_t>(order_, end - start);
        for (const std::uint32_t* token = start;;) {
            Node& seen = nodes_[node];
            if (seen.reading != reading) {
                seen.reading = reading;
                seen.current = 0;
            }
            if (++seen.current > seen.matched && seen.matched < seen.available) {
                ++seen.matched;
                matched[token - start] += 1;
            }
            if (++token == stop || *token >= roots_) break;
            node = *child<direct>(node, *token);
            if (node == 0) break;
        }
    }
}

template <class Visit>
void NgramTrie::each_ngram(Span hypothesis, unsigned order, Visit&& visit) {
    visited_.assign(size_, 0);
    for (std::size_t start = 0; start < hypothesis.size; ++start) {
        std::uint32_t node = hypothesis[start];
        for (unsigned n = 1;; ++n) {
            if (!visited_[node]) {
                visited_[node] = 1;
                visit(n, nodes_[node].matched, start);
            }
            if (n == order || start + n == hypothesis.size) break;
            node = direct_ ? *child<true>(node, hypothesis[start + n]) : *child<false>(node, hypothesis[start + n]);
        }
    }
}

double count_ngrams(std::size_t length, std::size_t n) { return length >= n ? static_cast<double>(length - n + 1) : 0; }

enum class ReferenceLength { closest, shortest, average };

ReferenceLength reference_length_rule(const std::string& name) {
    if (name == "closest") return ReferenceLength::closest;
    if (name == "shortest") return ReferenceLength::shortest;
    if (name == "average") return ReferenceLength::average;
    throw py::value_error("reference_length must be closest, shortest or average");
}

double reference_length(const TokenBatch& tokens, std::size_t segment, ReferenceLength rule) {
    const std::size_t count = tokens.references(segment);
    const auto hypothesis = static_cast<std::ptrdiff_t>(tokens.hypothesis(segment).size);
    std::ptrdiff_t best = 0, sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
        const auto length = static_cast<std::ptrdiff_t>(tokens.reference(segment, j).size);
        sum += length;
        const std::ptrdiff_t distance = std::abs(length - hypothesis), nearest = std::abs(best - hypothesis);
        const bool better = rule == ReferenceLength::closest
                                ? distance < nearest || (distance == nearest && length < best)
                                : length < best;
        if (j == 0 || better) best = length;
    }
    if (rule != ReferenceLength::average) return static_cast<double>(best);
    return count ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

void check_order(int order) {
    if (order < 1) throw py::value_error("order must be at least 1");
}

py::array_t<double> bleu_rows(const TokenBatch& tokens, int order, const std::string& length_rule, int jobs) {
    check_order(order);
    const ReferenceLength rule = reference_length_rule(length_rule);
    const auto width = static_cast<std::size_t>(2 + 2 * order);
    py::array_t<double> rows({tokens.size(), width});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        NgramTrie trie;
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            double* const row = out + s * width;
            double* const correct = row + 2;
            row[0] = static_cast<double>(hypothesis.size);
            row[1] = reference_length(tokens, s, rule);
            for (int n = 0; n < order; ++n) {
                correct[n] = 0;
                correct[order + n] = count_ngrams(hypothesis.size, static_cast<std::size_t>(n) + 1);
            }
            if (hypothesis.size == 0) continue;
            trie.build(hypothesis, static_cast<unsigned>(order));
            for (std::size_t j = 0; j < tokens.references(s); ++j)
                trie.match(tokens.reference(s, j), static_cast<std::uint32_t>(j + 1), correct);
        }
    });
    return rows;
}

// Zeroed memory for large tables that are read at random: on huge pages, where the system has them, an access costs one
// cache miss instead of two.
template <class T>
class ZeroedTable {
   public:
    explicit ZeroedTable(std::size_t size) : size_(size), data_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
        if (!data_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
        const auto begin = (reinterpret_cast<std::uintptr_t>(data_.get()) + page - 1) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(data_.get() + size) / page * page;
        if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
    }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    const T* begin() const { return data_.get(); }
    const T* end() const { return data_.get() + size_; }
    void swap(ZeroedTable& other) {
        std::swap(size_, other.size_);
        std::swap(data_, other.data_);
    }

   private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

// How often each n-gram occurs in all references. N-grams are known by a 64-bit hash: at a hundred million distinct
// ones the chance that any two share it is about 1 in 3,700.
class NgramCounts {
   public:
    explicit NgramCounts(int order) : order_(static_cast<unsigned>(order)), slots_(std::size_t{1} << kFirstBits) {
        check_order(order);
    }

    static constexpr std::uint64_t kEmpty = 0x243F6A8885A308D3u;  // the n-gram of no words

    static std::uint64_t extend(std::uint64_t ngram, std::uint64_t token) {
        // One round suffices: the tokens' own hashes are well mixed, and slots are chosen by the upper bits.
        std::uint64_t mixed = ngram * 0x9E3779B97F4A7C15u + token;
        mixed = (mixed ^ (mixed >> 29)) * 0xD6E8FEB86659FD93u;
        return mixed ? mixed : 1;  // 0 marks a free slot
    }

    void add(const TokenBatch& tokens) {
        py::gil_scoped_release unlocked;
        reserve(most_ngrams(tokens));
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            const std::uint64_t* const hashes = tokens.vocabulary_hashes(s);
            for (std::size_t j = 0; j < tokens.references(s); ++j) {
                const Span reference = tokens.reference(s, j);
                words_ += reference.size;
                // The table outgrows the caches: all slots of a text are asked for before the first one is read.
                const std::size_t most = reference.size * std::min<std::size_t>(order_, reference.size);
                if (pending_.size() < most) pending_.resize(most);
                std::uint64_t* next = pending_.data();
                for (std::size_t start = 0; start < reference.size; ++start) {
                    std::uint64_t ngram = kEmpty;
                    const std::size_t stop = std::min<std::size_t>(start + order_, reference.size);
                    for (std::size_t i = start; i < stop; ++i) {
                        ngram = extend(ngram, hashes[reference[i]]);
                        prefetch(ngram);
                        *next++ = ngram;
                    }
                }
                for (const std::uint64_t* ngram = pending_.data(); ngram != next; ++ngram) increase(*ngram, 1);
            }
        }
    }

    void prefetch(std::uint64_t ngram) const {
#if defined(__GNUC__)
        __builtin_prefetch(&slots_[ngram >> shift_]);
#else
        (void)ngram;
#endif
    }

    // Occurrences of an n-gram in all references; of the one of no words, the number of words.
    double occurrences(std::uint64_t ngram) const {
        return ngram == kEmpty ? static_cast<double>(words_) : slots_[find(ngram)].count;
    }

    unsigned order() const { return order_; }
    std::size_t size() const { return used_; }

    py::tuple state() const {
        std::string keys, counts;
        for (const Slot& slot : slots_) {
            if (!slot.key) continue;
            keys.append(reinterpret_cast<const char*>(&slot.key), sizeof slot.key);
            counts.append(reinterpret_cast<const char*>(&slot.count), sizeof slot.count);
        }
        return py::make_tuple(order_, words_, py::bytes(keys), py::bytes(counts));
    }

    static NgramCounts from_state(const py::tuple& state) {
        NgramCounts table(state[0].cast<int>());
        table.words_ = state[1].cast<std::uint64_t>();
        const auto keys = state[2].cast<std::string>(), counts = state[3].cast<std::string>();
        const std::size_t size = keys.size() / sizeof(std::uint64_t);
        if (counts.size() != size * sizeof(std::uint32_t)) throw py::value_error("not a saved table of n-gram counts");
        table.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            std::uint64_t key;
            std::uint32_t count;
            std::memcpy(&key, keys.data() + i * sizeof key, sizeof key);
            std::memcpy(&count, counts.data() + i * sizeof count, sizeof count);
            table.increase(key, count);
        }
        return table;
    }

   private:
    static constexpr unsigned kFirstBits = 10;

    struct Slot {  // key and count in one place: one cache miss for both
        std::uint64_t key;
        std::uint32_t count;
    };

    std::size_t most_ngrams(const TokenBatch& tokens) const {
        std::size_t most = 0;
        for (std::size_t s = 0; s < tokens.size(); ++s)
            for (std::size_t j = 0; j < tokens.references(s); ++j)
                most += tokens.reference(s, j).size * std::min<std::size_t>(order_, tokens.reference(s, j).size);
        return most;
    }

    std::size_t find(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = key >> shift_;
        while (slots_[slot].key != key && slots_[slot].key != 0) slot = (slot + 1) & mask;
        return slot;
    }

    // Room must have been reserved.
    void increase(std::uint64_t key, std::uint32_t by) {
        Slot& slot = slots_[find(key)];
        used_ += slot.key == 0;
        slot.key = key;
        slot.count += by;
    }

    // Room for so many more n-grams: the table is never more than four fifths full.
    void reserve(std::size_t more) {
        std::size_t slots = slots_.size();
        while ((used_ + more) * 5 > slots * 4) slots *= 2;
        if (slots != slots_.size()) resize(slots);
    }

    void resize(std::size_t slots) {
        ZeroedTable<Slot> old(slots);
        old.swap(slots_);
        for (std::size_t size = old.size(); size < slots; size *= 2) --shift_;
        for (const Slot& slot : old)
            if (slot.key) slots_[find(slot.key)] = slot;
    }

    unsigned order_;
    unsigned shift_ = 64 - kFirstBits;
    std::uint64_t words_ = 0;
    std::size_t used_ = 0;
    ZeroedTable<Slot> slots_;
    std::vector<std::uint64_t> pending_;
};

struct NistScratch {
    struct Match {
        unsigned order;
        std::uint32_t count;
        std::uint64_t prefix, ngram;
    };
    NgramTrie trie;
    std::vector<double> matched, information;
    std::vector<std::size_t> length;
    std::vector<std::uint64_t> chain;  // the n-grams that start at one position, from no words on
    std::vector<Match> matches;
};

// Adds count x information of the matched n-grams of each order, in the order in which the hypothesis has them: the
// Python twin adds in the same order, so that the sums agree to the last bit.
void add_information(NistScratch& scratch, Span hypothesis, const std::uint64_t* hashes, const NgramCounts& counts,
                     unsigned order, double* information) {
    std::vector<std::uint64_t>& chain = scratch.chain;
    std::size_t chained = hypothesis.size;  // the position `chain` belongs to
    scratch.matches.clear();
    scratch.trie.each_ngram(hypothesis, order, [&](unsigned n, std::uint32_t matched, std::size_t start) {
        if (!matched) return;
        if (start != chained) {
            chain.assign(1, NgramCounts::kEmpty);
            chained = start;
        }
        while (chain.size() <= n)
            chain.push_back(NgramCounts::extend(chain.back(), hashes[hypothesis[start + chain.size() - 1]]));
        counts.prefetch(chain[n - 1]);
        counts.prefetch(chain[n]);
        scratch.matches.push_back({n, matched, chain[n - 1], chain[n]});
    });
    // Doddington's information: log2 of how often the n-gram's first n - 1 words occur for each occurrence of it. That
    // prefix is as a rule the n-gram met just before.
    std::uint64_t last = NgramCounts::kEmpty;
    double last_count = counts.occurrences(last);
    for (const NistScratch::Match& match : scratch.matches) {
        const double before = match.prefix == last ? last_count : counts.occurrences(match.prefix);
        last = match.ngram;
        last_count = counts.occurrences(last);
        if (before > 0 && last_count > 0 && before != last_count)
            information[match.order - 1] += match.count * std::log2(before / last_count);
    }
}

// Counts clipped by the largest over the references; their mean length.
void nist_pooled(const TokenBatch& tokens, std::size_t s, const NgramCounts& counts, unsigned order,
                 NistScratch& scratch, double* row) {
    const Span hypothesis = tokens.hypothesis(s);
    for (std::size_t j = 0; j < tokens.references(s); ++j)
        scratch.trie.match(tokens.reference(s, j), static_cast<std::uint32_t>(j + 1), scratch.matched.data());
    add_information(scratch, hypothesis, tokens.vocabulary_hashes(s), counts, order, row + 2);
}

// For each order by itself the reference with most information, the longer of equals; the mean of their lengths.
void nist_best(const TokenBatch& tokens, std::size_t s, const NgramCounts& counts, unsigned order,
               NistScratch& scratch, double* row) {
    const Span hypothesis = tokens.hypothesis(s);
    scratch.length.assign(order, 0);
    for (std::size_t j = 0; j < tokens.references(s); ++j) {
        const Span reference = tokens.reference(s, j);
        if (hypothesis.size) {
            scratch.trie.forget_matches();
            scratch.trie.match(reference, 1, scratch.matched.data());
        }
        scratch.information.assign(order, 0);
        if (hypothesis.size)
            add_information(scratch, hypothesis, tokens.vocabulary_hashes(s), counts, order,
                            scratch.information.data());
        for (unsigned n = 0; n < order; ++n) {
            const double mine = scratch.information[n], best = row[2 + n];
            if (j == 0 || mine > best || (mine == best && reference.size > scratch.length[n])) {
                row[2 + n] = mine;
                scratch.length[n] = reference.size;
            }
        }
    }
    std::size_t sum = 0;
    for (const std::size_t length : scratch.length) sum += length;
    row[1] = static_cast<double>(sum) / order;
}

py::array_t<double> nist_rows(const TokenBatch& tokens, const NgramCounts& counts, int order, const std::string& multi,
                              int jobs) {
    check_order(order);
    if (static_cast<unsigned>(order) > counts.order()) throw py::value_error("the n-grams were counted to a lower order");
    if (multi != "pooled" && multi != "best") throw py::value_error("multi must be pooled or best");
    const bool best = multi == "best";
    const auto n = static_cast<unsigned>(order);
    const auto width = static_cast<std::size_t>(2 + 2 * order);
    py::array_t<double> rows({tokens.size(), width});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        NistScratch scratch;
        scratch.matched.resize(n);
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            double* const row = out + s * width;
            row[0] = static_cast<double>(hypothesis.size);
            row[1] = reference_length(tokens, s, ReferenceLength::average);
            for (unsigned i = 0; i < n; ++i) {
                row[2 + i] = 0;
                row[2 + n + i] = count_ngrams(hypothesis.size, i + 1);
            }
            if (hypothesis.size) scratch.trie.build(hypothesis, n);
            if (best)
                nist_best(tokens, s, counts, n, scratch, row);
            else if (hypothesis.size)
                nist_pooled(tokens, s, counts, n, scratch, row);
        }
    });
    return rows;
}

}  // namespace

void bind_ngram(py::module_& module) {
    module.def("bleu_rows", &bleu_rows, py::arg("tokens"), py::arg("order"), py::arg("reference_length"),
               py::arg("jobs"));
    py::class_<NgramCounts>(module, "NgramCounts")
        .def("add", &NgramCounts::add, py::arg("tokens"))
        .def("__len__", &NgramCounts::size)
        .def(py::pickle([](const NgramCounts& table) { return table.state(); }, &NgramCounts::from_state));
    module.def("ngram_counts", [](int order) { return NgramCounts(order); }, py::arg("order"));
    module.def("nist_rows", &nist_rows, py::arg("tokens"), py::arg("counts"), py::arg("order"), py::arg("multi"),
               py::arg("jobs"));
}

}  // namespace nlgauge
