// NIST's rows: n-gram counts of all references, and the information of the n-grams a hypothesis shares with its own.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "ngram_table.hpp"
#include "ngram_trie.hpp"
#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

void check_order(int order) {
    if (order < 1) throw py::value_error("order must be at least 1");
}

double mean_reference_length(const TokenBatch& tokens, std::size_t segment) {
    const std::size_t count = tokens.references(segment);
    std::size_t sum = 0;
    for (std::size_t j = 0; j < count; ++j) sum += tokens.reference(segment, j).size;
    return count ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

// Zeroed memory for large tables that are read at random: on huge pages, where the system has them, an access costs one
// cache miss instead of two and the memory is handed out, already zeroed, in a few large pieces.
template <class T>
class ZeroedTable {
   public:
    explicit ZeroedTable(std::size_t size) : size_(size), data_(allocate(size * sizeof(T)), Free{size * sizeof(T)}) {}
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
#if defined(MADV_HUGEPAGE)
    static constexpr std::size_t kPage = std::size_t{1} << 21;

    // Of a stretch that is one page longer, the part that begins where a huge page can.
    static T* mapped(std::size_t bytes) {
        void* const stretch = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stretch == MAP_FAILED) throw std::bad_alloc();
        char* const begin = static_cast<char*>(stretch);
        const std::size_t skipped = (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
        if (skipped) munmap(begin, skipped);
        if (skipped < kPage) munmap(begin + skipped + bytes, kPage - skipped);
        madvise(begin + skipped, bytes, MADV_HUGEPAGE);
        return reinterpret_cast<T*>(begin + skipped);
    }

    static bool is_mapped(std::size_t bytes) { return bytes >= kPage && bytes % kPage == 0; }
#else
    static T* mapped(std::size_t) { throw std::bad_alloc(); }
    static bool is_mapped(std::size_t) { return false; }
#endif

    struct Free {
        std::size_t bytes;
        void operator()(T* data) const {
#if defined(MADV_HUGEPAGE)
            if (is_mapped(bytes)) {
                munmap(data, bytes);
                return;
            }
#endif
            std::free(data);
        }
    };

    static T* allocate(std::size_t bytes) {
        if (is_mapped(bytes)) return mapped(bytes);
        void* const memory = std::calloc(bytes, 1);
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }

    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

// How often each n-gram occurs in all references. N-grams are known by a 64-bit hash: at a hundred million distinct
// ones the chance that any two share it is about 1 in 3,700.
//
// The extensions of an n-gram that occurs once occur once themselves, so they carry no information; as most long
// n-grams are of this kind they are not stored. An n-gram met for the first time only remembers where; when it comes
// again, the extension of its first occurrence is put in as well, and so on down.
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
        const std::size_t more = words_of(tokens);
        if (text_.size() + more > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("NIST can weigh n-grams by at most 4 billion words of references");
        text_.reserve(text_.size() + more);
        reserve(more + more / 2);  // n-grams: a fair guess, and the table grows where it is too low
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            const std::uint64_t* const hashes = tokens.vocabulary_hashes(s);
            for (std::size_t j = 0; j < tokens.references(s); ++j) {
                const Span reference = tokens.reference(s, j);
                const std::size_t begin = text_.size();
                words_ += reference.size;
                reserve(std::size_t{2} * order_ * reference.size);
                text_.resize(begin + reference.size + 1);
                if (frontier_.size() < reference.size) frontier_.resize(reference.size);
                waiting_ = reference.size;
                for (std::size_t i = 0; i < reference.size; ++i) {
                    const std::uint64_t token = word(hashes[reference[i]]);
                    const std::uint64_t ngram = extend(kEmpty, token);
                    prefetch(ngram);
                    text_[begin + i] = token;
                    frontier_[i].ngram = ngram;
                    frontier_[i].start = static_cast<std::uint32_t>(begin + i);
                }
                for (unsigned n = 1; n <= order_ && waiting_; ++n) count_frontier(n);
            }
        }
    }

    static std::uint64_t word(std::uint64_t hash) { return hash ? hash : 1; }  // 0 marks the end of a text

    void prefetch(std::uint64_t ngram) const { prefetch_address(&slots_[ngram >> shift_]); }

    // In all references; 0 stands for 1 where the n-gram's prefix occurs once.
    std::uint32_t occurrences(std::uint64_t ngram) const { return slots_[find(ngram)].count; }
    std::uint64_t words() const { return words_; }

    unsigned order() const { return order_; }
    std::size_t size() const { return used_; }

    py::tuple state() const {
        std::vector<Slot> used;
        used.reserve(used_);
        std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(used), [](const Slot& slot) { return slot.key; });
        return py::make_tuple(order_, words_, bytes_of(used), bytes_of(text_));
    }

    static NgramCounts from_state(const py::tuple& state) {
        NgramCounts table(state[0].cast<int>());
        table.words_ = state[1].cast<std::uint64_t>();
        const auto used = from_bytes<Slot>(state[2].cast<std::string>());
        table.text_ = from_bytes<std::uint64_t>(state[3].cast<std::string>());
        table.reserve(used.size());
        for (const Slot& slot : used) table.slots_[table.find(slot.key)] = slot;
        table.used_ = used.size();
        return table;
    }

   private:
    static constexpr unsigned kFirstBits = 10;

    struct Slot {  // all in one place: one cache miss
        std::uint64_t key;
        std::uint32_t count;
        std::uint32_t first;  // where in the text it was met first
    };

    template <class T>
    static py::bytes bytes_of(const std::vector<T>& values) {
        return py::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }

    template <class T>
    static std::vector<T> from_bytes(const std::string& bytes) {
        if (bytes.size() % sizeof(T)) throw py::value_error("not a saved table of n-gram counts");
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    // With one more per text, for the mark at its end.
    static std::size_t words_of(const TokenBatch& tokens) {
        std::size_t words = 0;
        for (std::size_t s = 0; s < tokens.size(); ++s)
            for (std::size_t j = 0; j < tokens.references(s); ++j) words += tokens.reference(s, j).size + 1;
        return words;
    }

    struct Occurrence {
        std::uint64_t ngram;
        std::uint32_t start;
    };

    // Counts the occurrences of n words that wait in `frontier_` and leaves there those of n + 1 words to be counted.
    // Text by text and length by length, not position by position: the table outgrows the caches, and so all slots of
    // a length are on their way before the first is needed. Room must have been reserved: two n-grams an occurrence.
    void count_frontier(unsigned n) {
        std::size_t kept = 0;
        repeated_.clear();
        for (std::size_t i = 0; i < waiting_; ++i) {
            const Occurrence at = frontier_[i];
            Slot& slot = slots_[find(at.ngram)];
            if (slot.key == 0) {
                slot = {at.ngram, 1, at.start};
                ++used_;
                continue;
            }
            ++slot.count;
            if (n == order_) continue;
            if (slot.count == 2) {
                repeated_.push_back({slot.key, slot.first});
                prefetch_address(&text_[slot.first + n]);
            }
            if (const std::uint64_t next = text_[at.start + n]) {
                const std::uint64_t ngram = extend(at.ngram, next);
                prefetch(ngram);
                frontier_[kept].ngram = ngram;
                frontier_[kept++].start = at.start;
            }
        }
        waiting_ = kept;
        extend_first_occurrences(n);
    }

    // The n-grams of n words that were just met a second time: their first occurrences need their extensions now.
    void extend_first_occurrences(unsigned n) {
        std::size_t kept = 0;
        for (const Occurrence first : repeated_) {
            if (const std::uint64_t next = text_[first.start + n]) {
                repeated_[kept] = {extend(first.ngram, next), first.start};
                prefetch(repeated_[kept++].ngram);
            }
        }
        for (std::size_t i = 0; i < kept; ++i) slots_[find(repeated_[i].ngram)] = {repeated_[i].ngram, 1, repeated_[i].start};
        used_ += kept;
    }

    static void prefetch_address(const void* address) {
#if defined(__GNUC__)
        __builtin_prefetch(address);
#else
        (void)address;
#endif
    }

    std::size_t find(std::uint64_t key) const { return find_slot(slots_, shift_, key); }

    // Room for so many more n-grams: the table is never more than four fifths full.
    void reserve(std::size_t more) {
        std::size_t slots = slots_.size();
        while ((used_ + more) * 5 > slots * 4) slots *= 2;
        if (slots != slots_.size()) rehash(slots_, shift_, slots);
    }

    unsigned order_;
    unsigned shift_ = 64 - kFirstBits;
    std::uint64_t words_ = 0;
    std::size_t used_ = 0, waiting_ = 0;
    ZeroedTable<Slot> slots_;
    std::vector<Occurrence> frontier_, repeated_;
    std::vector<std::uint64_t> text_;  // the words of all references, by their hashes; a 0 after each text
};

struct NistScratch {
    struct Own {  // an occurrence of an n-gram in the hypothesis
        std::uint32_t start, node;
    };
    struct Weighed {  // a distinct n-gram of the hypothesis, by its node
        std::uint64_t ngram;
        double before;  // log2 of the occurrences of its first n - 1 words, then of its own
    };
    struct Other {  // an n-gram of a reference
        const std::uint32_t *last, *end;
        std::uint32_t node, reading;
    };
    NgramTrie trie;
    Logarithms<std::log2> log2;
    std::vector<double> information;
    std::vector<std::size_t> length;
    std::vector<Own> own;
    std::vector<Weighed> weighed;
    std::vector<Other> other;
};

// Adds count x information of the n-grams matched by the references from `first` to `last`, for each order, in the order
// in which the hypothesis has them: the Python twin adds in the same order, so that the sums agree to the last bit.
// Doddington's information is log2 of how often the n-gram's first n - 1 words occur, less log2 of how often it does. Length
// by length, as in NgramCounts, and no further than information goes: what follows a single occurrence has none.
class NistInformation {
   public:
    NistInformation(NistScratch& scratch, const TokenBatch& tokens, std::size_t segment, const NgramCounts& counts,
                    unsigned order)
        : scratch_(scratch), trie_(scratch.trie), tokens_(tokens), segment_(segment),
          hypothesis_(tokens.hypothesis(segment)), hashes_(tokens.vocabulary_hashes(segment)), counts_(counts),
          order_(order) {}

    void add(std::size_t first, std::size_t last, double* information) {
        trie_.begin(hypothesis_, order_);
        start_hypothesis();
        start_references(first, last);
        for (unsigned n = 1; own_; ++n) {
            for (std::size_t i = 0; i < other_; ++i) trie_.count(scratch_.other[i].node, scratch_.other[i].reading);
            keep_matched();
            information[n - 1] += weigh(n);
            follow_references();
        }
    }

   private:
    void start_hypothesis() {
        const double words = std::log2(static_cast<double>(counts_.words()));
        if (scratch_.own.size() < hypothesis_.size) scratch_.own.resize(hypothesis_.size);
        if (scratch_.weighed.size() < trie_.most()) scratch_.weighed.resize(trie_.most());
        own_ = hypothesis_.size;
        for (std::uint32_t start = 0; start < own_; ++start) scratch_.own[start] = {start, hypothesis_[start]};
        for (std::uint32_t token = 0; token < trie_.roots(); ++token)
            expect(token, NgramCounts::kEmpty, token, words);
    }

    void start_references(std::size_t first, std::size_t last) {
        other_ = 0;
        for (std::size_t j = first; j < last; ++j) {
            const Span reference = tokens_.reference(segment_, j);
            if (scratch_.other.size() <= other_ + reference.size) scratch_.other.resize(other_ + reference.size + 1);
            for (const std::uint32_t* token = reference.begin(); token != reference.end(); ++token)
                keep({token, reference.end(), *token, static_cast<std::uint32_t>(j + 1)}, *token < trie_.roots());
        }
    }

    // Without a branch, as elsewhere below: whether an n-gram is matched cannot be foreseen. What is not is overwritten.
    void keep_matched() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < own_; ++i) {
            const NistScratch::Own now = scratch_.own[i];
            scratch_.own[kept] = now;
            kept += trie_.matched(now.node) != 0;
        }
        own_ = kept;
    }

    // The information of the n-grams of n words; those of n + 1 words that may have some take their place.
    double weigh(unsigned n) {
        double information = 0;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < own_; ++i) {
            const NistScratch::Own now = scratch_.own[i];
            NistScratch::Weighed& weighed = scratch_.weighed[now.node];
            if (trie_.first_visit(now.node)) {
                const std::uint32_t occurrences = counts_.occurrences(weighed.ngram);
                const double log = scratch_.log2(occurrences);
                if (occurrences) information += trie_.matched(now.node) * (weighed.before - log);
                weighed.before = log;
            }
            const std::uint32_t at = now.start + n;
            if (n == order_ || weighed.before == 0 || at >= hypothesis_.size) continue;
            const std::uint32_t node = trie_.extend(now.node, hypothesis_[at]);
            scratch_.own[kept++] = {now.start, node};
            expect(node, weighed.ngram, hypothesis_[at], weighed.before);
        }
        own_ = kept;
        return information;
    }

    void follow_references() {
        const std::size_t size = other_;
        other_ = 0;
        for (std::size_t i = 0; i < size; ++i) {
            NistScratch::Other now = scratch_.other[i];
            if (++now.last == now.end) continue;
            const bool own = *now.last < trie_.roots();
            now.node = trie_.find(now.node, own ? *now.last : 0);
            keep(now, own & (now.node != 0));
        }
    }

    // The n-gram of a node: its slot is on its way long before it is needed.
    void expect(std::uint32_t node, std::uint64_t prefix, std::uint32_t token, double before) {
        const std::uint64_t ngram = NgramCounts::extend(prefix, NgramCounts::word(hashes_[token]));
        counts_.prefetch(ngram);
        scratch_.weighed[node] = {ngram, before};
    }

    void keep(const NistScratch::Other& now, bool kept) {
        NistScratch::Other& next = scratch_.other[other_];
        next.last = now.last;
        next.end = now.end;
        next.node = now.node;
        next.reading = now.reading;
        other_ += kept;
    }

    NistScratch& scratch_;
    NgramTrie& trie_;
    const TokenBatch& tokens_;
    std::size_t segment_;
    Span hypothesis_;
    const std::uint64_t* hashes_;
    const NgramCounts& counts_;
    unsigned order_;
    std::size_t own_ = 0, other_ = 0;  // how many of scratch's are in use
};

constexpr double kRounding = 1e-12;  // sums of information that differ by less, relatively, are equal

// For each order by itself the reference with most information, the longer of equals; the mean of their lengths.
void nist_best(const TokenBatch& tokens, std::size_t s, NistInformation& information, unsigned order,
               NistScratch& scratch, double* row) {
    scratch.length.assign(order, 0);
    for (std::size_t j = 0; j < tokens.references(s); ++j) {
        const std::size_t length = tokens.reference(s, j).size;
        scratch.information.assign(order, 0);
        if (tokens.hypothesis(s).size) information.add(j, j + 1, scratch.information.data());
        for (unsigned n = 0; n < order; ++n) {
            const double mine = scratch.information[n], best = row[2 + n];
            if (j == 0 || mine > best * (1 + kRounding)) {
                row[2 + n] = mine;
                scratch.length[n] = length;
            } else if (mine >= best * (1 - kRounding)) {
                row[2 + n] = std::max(best, mine);
                scratch.length[n] = std::max(scratch.length[n], length);
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
        for (std::size_t s = begin; s < end; ++s) {
            const Span hypothesis = tokens.hypothesis(s);
            double* const row = out + s * width;
            row[0] = static_cast<double>(hypothesis.size);
            row[1] = mean_reference_length(tokens, s);
            for (unsigned i = 0; i < n; ++i) {
                row[2 + i] = 0;
                row[2 + n + i] = count_ngrams(hypothesis.size, i + 1);
            }
            NistInformation information(scratch, tokens, s, counts, n);
            if (best)
                nist_best(tokens, s, information, n, scratch, row);
            else if (hypothesis.size)
                information.add(0, tokens.references(s), row + 2);
        }
    });
    return rows;
}

}  // namespace

void bind_nist(py::module_& module) {
    py::class_<NgramCounts>(module, "NgramCounts")
        .def("add", &NgramCounts::add, py::arg("tokens"))
        .def("__len__", &NgramCounts::size)
        .def(py::pickle([](const NgramCounts& table) { return table.state(); }, &NgramCounts::from_state));
    module.def("ngram_counts", [](int order) { return NgramCounts(order); }, py::arg("order"));
    module.def("nist_rows", &nist_rows, py::arg("tokens"), py::arg("counts"), py::arg("order"), py::arg("multi"),
               py::arg("jobs"));
}

}  // namespace nlgauge
