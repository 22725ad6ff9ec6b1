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

#include "ngram_table.hpp"
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

// In how many documents each n-gram occurs; a document is all references of a segment.
//
// An n-gram of one document weighs as much as one of none, and its extensions are of one document too: so the n-grams of
// n words are counted only where both their parts of n - 1 words are in two documents at least, which few are. To know,
// all shorter ones must have been counted: `add` only gathers the words, `finish` counts.
class DocumentFrequencies {
public:
    explicit DocumentFrequencies(int order) : order_(static_cast<unsigned>(order)), slots_(std::size_t{1} << kFirstBits) {
        if (order < 1) throw py::value_error("order must be at least 1");
    }

    unsigned order() const { return order_; }
    std::size_t documents() const { return documents_; }
    bool finished() const { return finished_; }
    bool sparse() const { return sparse_; }  // whether the n-grams of one document are missing

    void add(const TokenBatch& tokens) {
        py::gil_scoped_release unlocked;
        if (finished_) throw std::logic_error("these document frequencies are finished; nothing can be added");
        if (words_.capacity() < words_.size() + tokens.ids.size() + tokens.text_start.size())
            words_.reserve(2 * words_.size() + tokens.ids.size() + tokens.text_start.size());
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            const std::uint64_t* const hashes = tokens.vocabulary_hashes(s);
            for (std::size_t j = 0; j < tokens.references(s); ++j) {
                for (std::uint32_t id : tokens.reference(s, j)) words_.push_back(word(hashes[id]));
                words_.push_back(0);
            }
            ends_.push_back(words_.size());
        }
        documents_ = ends_.size();
        if (words_.size() >= UINT32_MAX) throw std::length_error("CIDEr can count at most 4 billion words of references");
    }

    void finish() {
        py::gil_scoped_release unlocked;
        if (finished_) return;
        std::vector<Occurrence> occurrences;
        occurrences.reserve(words_.size());
        for (std::size_t i = 0; i < words_.size(); ++i)
            if (words_[i]) occurrences.push_back({extended(kEmpty, words_[i]), static_cast<std::uint32_t>(i), 0});
        for (unsigned n = 1; n <= order_ && !occurrences.empty(); ++n) {
            count(occurrences);
            extend(occurrences, n);
        }
        keep_shared();
        for (auto* vector : {&counts_, &last_}) std::vector<std::uint32_t>().swap(*vector);
        std::vector<std::uint64_t>().swap(words_);
        std::vector<std::size_t>().swap(ends_);
        finished_ = true;
    }

    // Frequencies counted elsewhere: the first reference of each segment is one n-gram.
    void put(const TokenBatch& tokens, const std::vector<std::uint32_t>& counts, std::size_t documents) {
        if (counts.size() != tokens.size()) throw py::value_error("one count is needed for each n-gram");
        reserve(tokens.size());
        for (std::size_t s = 0; s < tokens.size(); ++s) {
            std::uint64_t ngram = kEmpty;
            for (std::uint32_t id : tokens.reference(s, 0))
                ngram = extended(ngram, word(tokens.vocabulary_hashes(s)[id]));
            Slot& slot = slots_[find(ngram)];
            used_ += slot.key == 0;
            slot = {ngram, counts[s]};
        }
        documents_ = documents;
        sparse_ = false;
        finished_ = true;
    }

    const void* address(std::uint64_t ngram) const { return &slots_[ngram >> shift_]; }
    std::uint32_t frequency(std::uint64_t ngram) const { return slots_[find(ngram)].value; }

    static std::uint64_t word(std::uint64_t hash) { return hash ? hash : 1; }  // 0 ends a text

    py::tuple state() const {
        if (!finished_) throw py::value_error("document frequencies can be saved once they are finished");
        const auto* bytes = reinterpret_cast<const char*>(slots_.data());
        return py::make_tuple(order_, documents_, used_, sparse_, py::bytes(bytes, slots_.size() * sizeof(Slot)));
    }

    static DocumentFrequencies from_state(const py::tuple& state) {
        const auto bytes = state[4].cast<std::string>();
        const std::size_t slots = bytes.size() / sizeof(Slot);
        DocumentFrequencies table(state[0].cast<int>());
        table.documents_ = state[1].cast<std::size_t>();
        table.used_ = state[2].cast<std::size_t>();
        table.sparse_ = state[3].cast<bool>();
        table.finished_ = true;
        if (bytes.size() % sizeof(Slot) || slots < 2 || (slots & (slots - 1)) || table.used_ >= slots)
            throw py::value_error("not a saved table of document frequencies");
        table.slots_.resize(slots);
        std::memcpy(static_cast<void*>(table.slots_.data()), bytes.data(), bytes.size());
        table.shift_ = 64;
        for (std::size_t size = slots; size > 1; size /= 2) --table.shift_;
        return table;
    }

private:
    static constexpr unsigned kFirstBits = 12;
    static constexpr std::size_t kBlock = 1 << 12, kAhead = 16;

    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t value = 0;  // the number of the n-gram in `counts_`; once finished, its count
    };
    struct Occurrence {
        std::uint64_t ngram;
        std::uint32_t start, number;
    };

    // Numbers the n-grams and counts the documents of each.
    void count(std::vector<Occurrence>& occurrences) {
        std::size_t document = 0;
        for (std::size_t i = 0; i < occurrences.size(); ++i) {
            if (i % kBlock == 0) reserve(kBlock);
            if (i + kAhead < occurrences.size()) prefetch(address(occurrences[i + kAhead].ngram));
            Occurrence& now = occurrences[i];
            while (now.start >= ends_[document]) ++document;
            Slot& slot = slots_[find(now.ngram)];
            if (slot.key == 0) {
                slot = {now.ngram, counts_.size()};
                counts_.push_back(0);
                last_.push_back(UINT32_MAX);
                ++used_;
            }
            now.number = static_cast<std::uint32_t>(slot.value);
            counts_[now.number] += last_[now.number] != document;
            last_[now.number] = static_cast<std::uint32_t>(document);
        }
    }

    // From n-grams of n words to those of n + 1 of which both parts are in two documents.
    void extend(std::vector<Occurrence>& occurrences, unsigned n) const {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < occurrences.size(); ++i) {
            const Occurrence now = occurrences[i], next = occurrences[i + 1];
            if (next.start != now.start + 1 || counts_[now.number] < 2 || counts_[next.number] < 2) continue;
            if (const std::uint64_t last = words_[now.start + n])
                occurrences[kept++] = {extended(now.ngram, last), now.start, 0};
        }
        occurrences.resize(kept);
    }

    // A small table of the counts, without the n-grams of one document.
    void keep_shared() {
        std::vector<Slot> numbered(std::size_t{1} << kFirstBits);
        numbered.swap(slots_);
        shift_ = 64 - kFirstBits;
        used_ = 0;
        reserve(static_cast<std::size_t>(
            std::count_if(counts_.begin(), counts_.end(), [](std::uint32_t count) { return count > 1; })));
        for (const Slot& slot : numbered) {
            if (!slot.key || counts_[slot.value] < 2) continue;
            slots_[find(slot.key)] = {slot.key, counts_[slot.value]};
            ++used_;
        }
    }

    std::size_t find(std::uint64_t key) const { return find_slot(slots_, shift_, key); }

    // Room for so many more n-grams: the table is at most three quarters full.
    void reserve(std::size_t more) {
        std::size_t slots = slots_.size();
        while ((used_ + more) * 4 > slots * 3) slots *= 2;
        if (slots != slots_.size()) rehash(slots_, shift_, slots);
    }

    unsigned order_;
    unsigned shift_ = 64 - kFirstBits;
    bool finished_ = false, sparse_ = true;
    std::size_t documents_ = 0, used_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::uint64_t> words_;  // of all references, by their hashes; a 0 after each text
    std::vector<std::size_t> ends_;     // of each document in `words_`
    std::vector<std::uint32_t> counts_, last_;
};

// One per thread. The texts of a segment become vectors over the distinct n-grams of the segment.
class Cider {
public:
    Cider(const DocumentFrequencies& frequencies, unsigned order, double sigma, bool clip)
        : frequencies_(&frequencies), order_(order), sigma_(sigma), clip_(clip),
          log_documents_(std::log(static_cast<double>(frequencies.documents()))) {}

    double segment(const TokenBatch& tokens, std::size_t s) {
        number_ngrams(tokens, s);
        const std::size_t count = tokens.references(s);
        hypothesis_.reset(idf_.size());
        reference_.reset(idf_.size());
        read(0, count + 1, hypothesis_);
        total_.assign(order_, 0);
        for (std::size_t j = 0; j < count; ++j) {
            read(j + 1, count + 1, reference_);
            compare(bigrams(tokens.hypothesis(s)) - bigrams(tokens.reference(s, j)));
        }
        double mean = 0;
        for (double value : total_) mean += value;
        return count ? mean / order_ / static_cast<double>(count) * 10 : 0;
    }

private:
    struct Vector {
        std::vector<double> weight;           // tf-idf of each n-gram of the segment
        std::vector<std::uint32_t> distinct;  // those that are not absent, by length, in order of appearance
        std::vector<std::size_t> end;         // of each length, in `distinct`
        std::vector<double> norm;

        void reset(std::size_t size) {
            weight.assign(size, 0);
            distinct.clear();
        }
    };
    struct Distinct {  // an n-gram of the segment
        std::uint64_t ngram;
        std::uint32_t frequency;
    };
    struct Entry {
        std::uint64_t ngram;
        std::uint32_t number;
    };

    static double bigrams(Span text) { return text.size ? static_cast<double>(text.size - 1) : 0; }

    // Numbers the n-grams of all texts of the segment, length by length and text by text, and weighs them.
    void number_ngrams(const TokenBatch& tokens, std::size_t s) {
        const std::size_t first = tokens.segment_text[s], texts = tokens.segment_text[s + 1] - first;
        const std::size_t words = tokens.text_start[first + texts] - tokens.text_start[first];
        if (words >= UINT32_MAX / 2 / order_) throw std::length_error("a segment is too long for CIDEr");
        prepare(words * order_);
        for (unsigned n = 1; n <= order_; ++n) {
            const std::size_t known = distinct_.size();
            for (std::size_t t = 0; t < texts; ++t) {
                const std::size_t size = tokens.text(first + t).size, count = size >= n ? size - n + 1 : 0;
                const std::size_t shorter = n > 1 ? begin_[(n - 2) * texts + t] : 0;
                begin_.push_back(used_);
                for (std::size_t i = 0; i < count; ++i)
                    number_of_[used_++] = n == 1 ? number_word(tokens, s, tokens.text(first + t)[i])
                                                 : number_longer(tokens, s, shorter + i, tokens.text(first + t)[i + n - 1]);
            }
            for (std::size_t k = known; k < distinct_.size(); ++k) {
                if (distinct_[k].frequency) distinct_[k].frequency = frequencies_->frequency(distinct_[k].ngram);
                idf_.push_back(log_documents_ - log_(distinct_[k].frequency));
            }
        }
        begin_.push_back(used_);
    }

    void prepare(std::size_t most) {
        std::size_t slots = 64;
        shift_ = 64 - 6;
        for (; slots < 2 * most; slots *= 2) --shift_;
        table_.assign(slots, {0, 0});
        if (number_of_.size() < most) number_of_.resize(most);
        distinct_.clear();
        idf_.clear();
        begin_.clear();
        used_ = 0;
    }

    std::uint32_t number_word(const TokenBatch& tokens, std::size_t s, std::uint32_t id) {
        const std::uint64_t ngram =
            extended(kEmpty, DocumentFrequencies::word(tokens.vocabulary_hashes(s)[id]));
        return number(ngram, true);
    }

    // The n-gram at a place, of the shorter ones there (its first part) and one further (its second).
    std::uint32_t number_longer(const TokenBatch& tokens, std::size_t s, std::size_t shorter, std::uint32_t id) {
        const Distinct& part = distinct_[number_of_[shorter]];
        const bool shared = part.frequency > 1 && distinct_[number_of_[shorter + 1]].frequency > 1;
        return number(extended(part.ngram, DocumentFrequencies::word(tokens.vocabulary_hashes(s)[id])),
                      shared || !frequencies_->sparse());
    }

    // A frequency of 1 stands for one that has to be looked up, 0 for one that is known to be at most 1.
    std::uint32_t number(std::uint64_t ngram, bool look_up) {
        const std::size_t mask = table_.size() - 1;
        std::size_t slot = ngram >> shift_;
        while (table_[slot].ngram != ngram && table_[slot].ngram != 0) slot = (slot + 1) & mask;
        if (table_[slot].ngram == 0) {
            table_[slot] = {ngram, static_cast<std::uint32_t>(distinct_.size())};
            distinct_.push_back({ngram, look_up});
            if (look_up) prefetch(frequencies_->address(ngram));
        }
        return table_[slot].number;
    }

    // The vector of text `t` of so many.
    void read(std::size_t t, std::size_t texts, Vector& vector) {
        for (std::uint32_t number : vector.distinct) vector.weight[number] = 0;
        vector.distinct.clear();
        vector.end.clear();
        vector.norm.assign(order_, 0);
        for (unsigned n = 0; n < order_; ++n) {
            const std::size_t begin = vector.distinct.size();
            for (std::size_t i = begin_[n * texts + t]; i < begin_[n * texts + t + 1]; ++i) {
                const std::uint32_t number = number_of_[i];
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
    Logarithms<std::log> log_;
    std::vector<Entry> table_;               // from an n-gram to its number in `distinct_`
    unsigned shift_ = 0;
    std::vector<Distinct> distinct_;
    std::vector<std::uint32_t> number_of_;   // each occurrence's n-gram: by length, text and place
    std::vector<std::size_t> begin_;         // of each length and text in `number_of_`
    std::size_t used_ = 0;
    std::vector<double> idf_, total_;
    Vector hypothesis_, reference_;
};

py::array_t<double> cider_rows(const TokenBatch& tokens, const DocumentFrequencies& frequencies, int order,
                               double sigma, bool clip, int jobs) {
    if (order < 1 || static_cast<unsigned>(order) > frequencies.order())
        throw py::value_error("the n-grams were counted to a lower order");
    if (!frequencies.finished()) throw py::value_error("the document frequencies are not finished");
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
        .def("finish", &DocumentFrequencies::finish)
        .def("put", &DocumentFrequencies::put, py::arg("tokens"), py::arg("counts"), py::arg("documents"))
        .def_property_readonly("documents", &DocumentFrequencies::documents)
        .def(py::pickle([](const DocumentFrequencies& table) { return table.state(); },
                        &DocumentFrequencies::from_state));
    module.def(
        "document_frequencies", [](int order) { return DocumentFrequencies(order); }, py::arg("order"));
    module.def("cider_rows", &cider_rows, py::arg("tokens"), py::arg("frequencies"), py::arg("order"),
               py::arg("sigma"), py::arg("clip"), py::arg("jobs"));
}

}  // namespace nlgauge
