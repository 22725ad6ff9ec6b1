// CIDEr and CIDEr-D: document frequencies of the references' n-grams, and the similarity of tf-idf vectors.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "text_view.hpp"
#include "tokens.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// N-grams are known by a 64-bit hash, within a segment and across the corpus: at a hundred million distinct ones the
// chance that any two share it is about 1 in 3,700.
constexpr std::uint64_t kEmpty = 0x243F6A8885A308D3u;  // the n-gram of no words

std::uint64_t extended(std::uint64_t ngram, std::uint64_t token) {
    std::uint64_t mixed = ngram * 0x9E3779B97F4A7C15u + token;
    mixed = (mixed ^ (mixed >> 29)) * 0xD6E8FEB86659FD93u;
    return mixed ? mixed : 1;  // 0 marks a free slot
}

// The n-grams of a text, shorter ones first and each length in the order of the text. `lengths` receives their numbers.
void list_ngrams(Span text, const std::uint64_t* hashes, unsigned order, std::vector<std::uint64_t>& ngrams,
                 std::vector<std::size_t>& lengths) {
    for (unsigned n = 1; n <= order; ++n) {
        const std::size_t count = text.size >= n ? text.size - n + 1 : 0, shorter = ngrams.size() - (n > 1 ? count + 1 : 0);
        for (std::size_t i = 0; i < count; ++i)
            ngrams.push_back(extended(n == 1 ? kEmpty : ngrams[shorter + i], hashes[text[i + n - 1]]));
        lengths.push_back(count);
    }
}

// In how many documents each n-gram occurs; a document is all references of a segment.
class DocumentFrequencies {
public:
    explicit DocumentFrequencies(int order) : order_(static_cast<unsigned>(order)), slots_(std::size_t{1} << 12) {
        if (order < 1) throw py::value_error("order must be at least 1");
    }

    unsigned order() const { return order_; }
    std::size_t documents() const { return documents_; }
    std::size_t size() const { return used_; }

    void add(const TokenBatch& tokens) {
        py::gil_scoped_release unlocked;
        std::vector<std::uint64_t> ngrams;
        std::vector<std::size_t> lengths;
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            const std::uint32_t document = next_document();
            ngrams.clear();
            lengths.clear();
            for (std::size_t j = 0; j < tokens.references(s); ++j)
                list_ngrams(tokens.reference(s, j), tokens.vocabulary_hashes(s), order_, ngrams, lengths);
            reserve(ngrams.size());
            for (std::uint64_t ngram : ngrams) prefetch(&slots_[ngram >> shift_]);
            for (std::uint64_t ngram : ngrams) {
                Slot& slot = slots_[find(ngram)];
                used_ += slot.key == 0;
                slot.key = ngram;
                slot.count += slot.last != document;
                slot.last = document;
            }
        }
    }

    // Frequencies counted elsewhere: the first reference of each segment is one n-gram.
    void put(const TokenBatch& tokens, const std::vector<std::uint32_t>& counts, std::size_t documents) {
        if (counts.size() != tokens.size()) throw py::value_error("one count is needed for each n-gram");
        reserve(tokens.size());
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            std::uint64_t ngram = kEmpty;
            for (std::uint32_t id : tokens.reference(s, 0)) ngram = extended(ngram, tokens.vocabulary_hashes(s)[id]);
            Slot& slot = slots_[find(ngram)];
            used_ += slot.key == 0;
            slot = {ngram, counts[s], 0};
        }
        documents_ = documents;
    }

    const void* address(std::uint64_t ngram) const { return &slots_[ngram >> shift_]; }
    std::uint32_t frequency(std::uint64_t ngram) const { return slots_[find(ngram)].count; }

    py::tuple state() const {
        const auto* bytes = reinterpret_cast<const char*>(slots_.data());
        return py::make_tuple(order_, documents_, used_, py::bytes(bytes, slots_.size() * sizeof(Slot)));
    }

    static DocumentFrequencies from_state(const py::tuple& state) {
        const auto bytes = state[3].cast<std::string>();
        const std::size_t slots = bytes.size() / sizeof(Slot);
        if (bytes.size() % sizeof(Slot) || slots < 2 || (slots & (slots - 1)))
            throw py::value_error("not a saved table of document frequencies");
        DocumentFrequencies table(state[0].cast<int>());
        table.documents_ = state[1].cast<std::size_t>();
        table.used_ = state[2].cast<std::size_t>();
        if (table.used_ >= slots) throw py::value_error("not a saved table of document frequencies");
        table.slots_.resize(slots);
        std::memcpy(static_cast<void*>(table.slots_.data()), bytes.data(), bytes.size());
        table.shift_ = 64;
        for (std::size_t size = slots; size > 1; size /= 2) --table.shift_;
        return table;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t count = 0, last = 0;  // `last`: the document that counted it last, from 1 on
    };

    std::uint32_t next_document() {
        if (documents_ >= UINT32_MAX - 1) throw std::length_error("CIDEr can count at most 4 billion documents");
        return static_cast<std::uint32_t>(++documents_);
    }

    std::size_t find(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = key >> shift_;
        while (slots_[slot].key != key && slots_[slot].key != 0) slot = (slot + 1) & mask;
        return slot;
    }

    // Room for so many more n-grams: the table is at most three quarters full.
    void reserve(std::size_t more) {
        std::size_t slots = slots_.size();
        while ((used_ + more) * 4 > slots * 3) slots *= 2;
        if (slots == slots_.size()) return;
        std::vector<Slot> old(slots);
        old.swap(slots_);
        for (std::size_t size = old.size(); size < slots; size *= 2) --shift_;
        for (const Slot& slot : old)
            if (slot.key) slots_[find(slot.key)] = slot;
    }

    unsigned order_;
    unsigned shift_ = 64 - 12;
    std::size_t documents_ = 0, used_ = 0;
    std::vector<Slot> slots_;
};

// Logarithms of numbers that come again and again.
class Logarithms {
public:
    double operator()(std::uint32_t count) {
        if (count >= known_.size()) return std::log(static_cast<double>(count));
        double& log = known_[count];
        if (log < 0) log = std::log(static_cast<double>(std::max(count, 1u)));
        return log;
    }

private:
    std::vector<double> known_ = std::vector<double>(1 << 12, -1.0);  // negative: not asked for yet
};

// One per thread. The texts of a segment become vectors over the distinct n-grams of the segment.
class Cider {
public:
    Cider(const DocumentFrequencies& frequencies, unsigned order, double sigma, bool clip)
        : frequencies_(&frequencies), order_(order), sigma_(sigma), clip_(clip),
          log_documents_(std::log(static_cast<double>(frequencies.documents()))) {}

    double segment(const TokenBatch& tokens, std::size_t s) {
        number_ngrams(tokens, s);
        weigh();
        const std::size_t count = tokens.references(s);
        read(0, hypothesis_);
        total_.assign(order_, 0);
        for (std::size_t j = 0; j < count; ++j) {
            read(j + 1, reference_);
            compare(bigrams(tokens.hypothesis(s)) - bigrams(tokens.reference(s, j)));
        }
        double mean = 0;
        for (double value : total_) mean += value;
        return count ? mean / order_ / static_cast<double>(count) * 10 : 0;
    }

private:
    struct Vector {
        std::vector<double> weight;            // tf-idf of each n-gram of the segment
        std::vector<std::uint32_t> distinct;   // those that are not absent, by length, in order of appearance
        std::vector<std::size_t> end;          // of each length, in `distinct`
        std::vector<double> norm;
    };

    static double bigrams(Span text) { return text.size ? static_cast<double>(text.size - 1) : 0; }

    // The n-grams of all texts of the segment, by the number of their first occurrence.
    void number_ngrams(const TokenBatch& tokens, std::size_t s) {
        ngrams_.clear();
        lengths_.clear();
        for (std::size_t t = tokens.segment_text[s]; t < tokens.segment_text[s + 1]; ++t)
            list_ngrams(tokens.text(t), tokens.vocabulary_hashes(s), order_, ngrams_, lengths_);
        if (ngrams_.size() >= UINT32_MAX) throw std::length_error("a segment is too long for CIDEr");
        std::size_t slots = 64;
        unsigned shift = 64 - 6;
        for (; slots < 2 * ngrams_.size(); slots *= 2) --shift;
        keys_.assign(slots, 0);
        if (numbers_.size() < slots) numbers_.resize(slots);
        if (number_of_.size() < ngrams_.size()) number_of_.resize(ngrams_.size());
        distinct_.clear();
        for (std::size_t i = 0; i < ngrams_.size(); ++i) {
            const std::uint64_t key = ngrams_[i];
            std::size_t slot = key >> shift;
            while (keys_[slot] != key && keys_[slot] != 0) slot = (slot + 1) & (slots - 1);
            if (keys_[slot] == 0) {
                keys_[slot] = key;
                numbers_[slot] = static_cast<std::uint32_t>(distinct_.size());
                distinct_.push_back(key);
                prefetch(frequencies_->address(key));
            }
            number_of_[i] = numbers_[slot];
        }
    }

    void weigh() {
        idf_.clear();
        for (std::uint64_t ngram : distinct_) idf_.push_back(log_documents_ - log_(frequencies_->frequency(ngram)));
        hypothesis_.weight.assign(distinct_.size(), 0);
        reference_.weight.assign(distinct_.size(), 0);
        hypothesis_.distinct.clear();
        reference_.distinct.clear();
        next_ = 0;
    }

    // The vector of text `t`; the texts are read one after the other.
    void read(std::size_t t, Vector& vector) {
        for (std::uint32_t number : vector.distinct) vector.weight[number] = 0;
        vector.distinct.clear();
        vector.end.clear();
        vector.norm.assign(order_, 0);
        for (unsigned n = 0; n < order_; ++n) {
            const std::size_t end = next_ + lengths_[t * order_ + n], begin = vector.distinct.size();
            for (; next_ < end; ++next_) {
                const std::uint32_t number = number_of_[next_];
                if (vector.weight[number] == 0) vector.distinct.push_back(number);
                vector.weight[number] += 1;
            }
            for (std::size_t i = begin; i < vector.distinct.size(); ++i) {
                double& weight = vector.weight[vector.distinct[i]];
                weight *= idf_[vector.distinct[i]];
                vector.norm[n] += weight * weight;
            }
            vector.norm[n] = std::sqrt(vector.norm[n]);
            vector.end.push_back(vector.distinct.size());
        }
    }

    // Adds, for each length, the cosine of the two vectors; CIDEr-D gives an n-gram no more weight than the reference
    // has of it and lowers the similarity of texts of different length.
    void compare(double longer) {
        const double penalty = sigma_ > 0 ? std::pow(kE, -(longer * longer) / (2 * sigma_ * sigma_)) : 1;
        std::size_t i = 0;
        for (unsigned n = 0; n < order_; ++n) {
            double value = 0;
            for (; i < hypothesis_.end[n]; ++i) {
                const std::uint32_t number = hypothesis_.distinct[i];
                const double mine = hypothesis_.weight[number], theirs = reference_.weight[number];
                value += (clip_ ? std::min(mine, theirs) : mine) * theirs;
            }
            const double norm = hypothesis_.norm[n] * reference_.norm[n];
            if (norm != 0) value /= norm;
            total_[n] += value * penalty;
        }
    }

    static constexpr double kE = 2.718281828459045;

    const DocumentFrequencies* frequencies_;
    unsigned order_;
    double sigma_;
    bool clip_;
    double log_documents_;
    Logarithms log_;
    std::vector<std::uint64_t> ngrams_, keys_, distinct_;
    std::vector<std::size_t> lengths_;
    std::vector<std::uint32_t> numbers_, number_of_;
    std::vector<double> idf_, total_;
    Vector hypothesis_, reference_;
    std::size_t next_ = 0;
};

py::array_t<double> cider_rows(const TokenBatch& tokens, const DocumentFrequencies& frequencies, int order,
                               double sigma, bool clip, int jobs) {
    if (order < 1 || static_cast<unsigned>(order) > frequencies.order())
        throw py::value_error("the n-grams were counted to a lower order");
    if (!frequencies.documents()) throw py::value_error("document frequencies need at least one document");
    py::array_t<double> rows({tokens.size(), std::size_t{2}});
    double* const out = rows.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(tokens.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Cider cider(frequencies, static_cast<unsigned>(order), sigma, clip);
        for (std::size_t s = begin; s < end; ++s) {
            out[2 * s] = cider.segment(tokens, s);
            out[2 * s + 1] = 1;
        }
    });
    return rows;
}

}  // namespace

void bind_cider(py::module_& module) {
    py::class_<DocumentFrequencies>(module, "DocumentFrequencies")
        .def("add", &DocumentFrequencies::add, py::arg("tokens"))
        .def("put", &DocumentFrequencies::put, py::arg("tokens"), py::arg("counts"), py::arg("documents"))
        .def_property_readonly("documents", &DocumentFrequencies::documents)
        .def("__len__", &DocumentFrequencies::size)
        .def(py::pickle([](const DocumentFrequencies& table) { return table.state(); },
                        &DocumentFrequencies::from_state));
    module.def(
        "document_frequencies", [](int order) { return DocumentFrequencies(order); }, py::arg("order"));
    module.def("cider_rows", &cider_rows, py::arg("tokens"), py::arg("frequencies"), py::arg("order"),
               py::arg("sigma"), py::arg("clip"), py::arg("jobs"));
}

}  // namespace nlgauge
