// chrF statistics, equal to sacreBLEU 2.6's: character n-grams of orders 1..char_order, word n-grams of 1..word_order.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "ngram_match.hpp"
#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

struct Options {
    std::size_t char_order, word_order;
    double beta;
    bool lower, whitespace, eps;
};

// What str.split() splits at.
bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    if (c < 0x1680) return c == 0x85 || c == 0xa0;
    return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

bool is_punctuation(char32_t c) {  // ASCII punctuation, as string.punctuation
    return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) || (c >= 0x7b && c <= 0x7e);
}

// Facts about the code points below 256, so that scanning needs one look-up each.
struct Latin {
    std::uint8_t lower[256];
    bool space[256];
    Latin() {
        for (int c = 0; c < 256; ++c) {
            lower[c] = static_cast<std::uint8_t>(c >= 'A' && c <= 'Z' ? c + 32 : c);
            space[c] = is_space(static_cast<char32_t>(c));
        }
    }
};
const Latin kLatin;

// Code point -> local id, 0 where unknown; as large as the widest text of the batch needs, touched where used.
class Alphabet {
public:
    explicit Alphabet(std::size_t code_points)
        : ids_(static_cast<std::uint32_t*>(std::calloc(code_points, sizeof(std::uint32_t))), std::free) {
        if (!ids_) throw std::bad_alloc();
    }
    std::uint32_t find(char32_t c) const { return ids_.get()[c]; }
    std::uint32_t add(char32_t c) {
        const std::uint32_t id = ids_.get()[c];
        const bool fresh = id == 0;
        const std::uint32_t mine = fresh ? static_cast<std::uint32_t>(size_ + 1) : id;
        ids_.get()[c] = mine;
        known_[mine - 1] = c;
        size_ += fresh;
        return mine;
    }
    void reserve(std::size_t n) {
        if (known_.size() < n) known_.resize(n);
    }
    void clear() {
        for (std::size_t k = 0; k < size_; ++k) ids_.get()[known_[k]] = 0;
        size_ = 0;
    }
    std::size_t width() const { return size_ + 1; }

private:
    std::unique_ptr<std::uint32_t, void (*)(void*)> ids_;
    std::vector<char32_t> known_;
    std::size_t size_ = 0;
};

struct Word {
    std::uint32_t start, end;  // in the ids of the text's characters
};

// Words are slices of the character ids: equal slices without an unknown character are equal words.
class Vocabulary {
public:
    void start(std::size_t words) {
        std::size_t capacity = 64;
        while (capacity < 2 * words + 2) capacity *= 2;
        mask_ = capacity - 1;
        if (table_.size() < capacity) table_.resize(capacity);
        std::fill(table_.begin(), table_.begin() + static_cast<std::ptrdiff_t>(capacity), 0u);
        words_.clear();
    }
    std::uint32_t add(const std::uint32_t* ids, Word word) { return look<true>(ids, word); }
    std::uint32_t find(const std::uint32_t* ids, Word word) { return look<false>(ids, word); }
    std::size_t width() const { return words_.size() + 1; }

private:
    struct Known {
        const std::uint32_t* ids;
        std::size_t size;
    };

    template <bool Insert>
    std::uint32_t look(const std::uint32_t* text, Word word) {
        const std::uint32_t* ids = text + word.start;
        const std::size_t size = word.end - word.start;
        std::uint64_t hash = size;
        for (std::size_t k = 0; k < size; ++k) {
            if (!Insert && ids[k] == 0) return 0;
            hash = hash * 0x9E3779B97F4A7C15ull + ids[k];
        }
        for (std::size_t at = (hash ^ (hash >> 32)) & mask_;; at = (at + 1) & mask_) {
            const std::uint32_t id = table_[at];
            if (id == 0) {
                if (!Insert) return 0;
                words_.push_back({ids, size});
                return table_[at] = static_cast<std::uint32_t>(words_.size());
            }
            const Known& known = words_[id - 1];
            if (known.size == size && std::equal(ids, ids + size, known.ids)) return id;
        }
    }

    std::size_t mask_ = 0;
    std::vector<std::uint32_t> table_;
    std::vector<Known> words_;
};

class Chrf {
public:
    Chrf(const Options& options, std::size_t code_points)
        : options_(options), orders_(options.char_order + options.word_order), alphabet_(code_points) {}

    void segment(const TextBatch& batch, std::size_t s, double* row) {
        const std::size_t count = batch.references(s);
        if (count == 0) return;
        if (characters_.size() < count + 1) {
            characters_.resize(count + 1);
            words_.resize(count + 1);
            bounds_.resize(count + 1);
        }
        alphabet_.reserve(batch.hypothesis(s).length + 1);
        scan<true>(batch.hypothesis(s), 0);
        for (std::size_t j = 0; j < count; ++j) scan<false>(batch.reference(s, j), j + 1);
        matches_.resize(count * orders_);
        char_matches_ = matches_.data();
        word_matches_ = char_matches_ + count * options_.char_order;
        matcher_.match(characters_[0], characters_.data() + 1, count, alphabet_.width(), 1, options_.char_order,
                       char_matches_);
        alphabet_.clear();
        if (options_.word_order) match_words(count);
        best_reference(count, row);
    }

private:
    // Read a text: its characters as ids (white space left out unless it counts) and, where needed, its words.
    template <bool Hypothesis>
    void scan(const TextView& text, std::size_t t) {
        switch (text.kind) {
            case 1:
                if (options_.lower && text.ascii)
                    scan_as<Hypothesis, true>(static_cast<const std::uint8_t*>(text.data), text.length, t);
                else
                    scan_as<Hypothesis, false>(static_cast<const std::uint8_t*>(text.data), text.length, t);
                break;
            case 2: scan_as<Hypothesis, false>(static_cast<const std::uint16_t*>(text.data), text.length, t); break;
            default: scan_as<Hypothesis, false>(static_cast<const std::uint32_t*>(text.data), text.length, t);
        }
    }

    template <bool Hypothesis, bool Lower, class Unit>
    void scan_as(const Unit* text, std::size_t length, std::size_t t) {
        Symbols& symbols = characters_[t];
        std::uint32_t* ids = symbols.reserve(length + 1);
        const bool keep_space = options_.whitespace;
        std::size_t kept = 0;
        auto space = [](char32_t c) { return sizeof(Unit) == 1 || c < 256 ? kLatin.space[c & 255] : is_space(c); };
        auto code = [&](std::size_t i) -> char32_t {
            return Lower ? kLatin.lower[static_cast<std::uint8_t>(text[i])] : static_cast<char32_t>(text[i]);
        };
        auto id_of = [&](char32_t c) { return Hypothesis ? alphabet_.add(c) : alphabet_.find(c); };
        if (options_.word_order == 0) {
            for (std::size_t i = 0; i < length; ++i) {
                const char32_t c = code(i);
                ids[kept] = id_of(c);
                kept += keep_space || !space(c);
            }
        } else {
            std::vector<Word>& bounds = bounds_[t];
            bounds.clear();
            std::size_t i = 0;
            while (i < length) {
                char32_t c = code(i);
                if (space(c)) {
                    if (keep_space) ids[kept++] = id_of(c);
                    ++i;
                    continue;
                }
                const std::size_t begin = kept;
                const char32_t first = c;
                char32_t last = c;
                do {
                    ids[kept++] = id_of(last = c);
                } while (++i < length && !space(c = code(i)));
                split(bounds, begin, kept, first, last);
            }
        }
        symbols.size = kept;
    }

    // One mark of punctuation is split off, from the end before the front; never from a word of one character.
    static void split(std::vector<Word>& bounds, std::size_t begin, std::size_t end, char32_t first, char32_t last) {
        const auto b = static_cast<std::uint32_t>(begin), e = static_cast<std::uint32_t>(end);
        if (e - b > 1 && is_punctuation(last)) {
            bounds.push_back({b, e - 1});
            bounds.push_back({e - 1, e});
        } else if (e - b > 1 && is_punctuation(first)) {
            bounds.push_back({b, b + 1});
            bounds.push_back({b + 1, e});
        } else {
            bounds.push_back({b, e});
        }
    }

    void match_words(std::size_t count) {
        vocabulary_.start(bounds_[0].size());
        for (std::size_t t = 0; t <= count; ++t) {
            const std::uint32_t* characters = characters_[t].ids.data();
            words_[t].size = bounds_[t].size();
            std::uint32_t* ids = words_[t].reserve(words_[t].size + 1);
            for (const Word& word : bounds_[t])
                *ids++ = t == 0 ? vocabulary_.add(characters, word) : vocabulary_.find(characters, word);
        }
        matcher_.match(words_[0], words_.data() + 1, count, vocabulary_.width(), 1, options_.word_order, word_matches_);
    }

    void statistics(std::size_t j, double* row) const {
        auto put = [&](const std::vector<Symbols>& texts, std::size_t max_order, const std::uint32_t* matches) {
            for (std::size_t n = 1; n <= max_order; ++n) {
                const std::size_t reference = texts[j + 1].total(n);
                // as sacreBLEU: what the reference could not contain does not count against the hypothesis
                *row++ = reference ? static_cast<double>(texts[0].total(n)) : 0.0;
                *row++ = static_cast<double>(reference);
                *row++ = matches[j * max_order + n - 1];
            }
        };
        put(characters_, options_.char_order, char_matches_);
        put(words_, options_.word_order, word_matches_);
    }

    void best_reference(std::size_t count, double* row) {
        statistics(0, row);
        if (count == 1) return;
        double best = f_score(row);
        candidate_.resize(3 * orders_);
        for (std::size_t j = 1; j < count; ++j) {
            statistics(j, candidate_.data());
            const double f = f_score(candidate_.data());
            if (f > best) {
                best = f;
                std::copy(candidate_.begin(), candidate_.end(), row);
            }
        }
    }

    double f_score(const double* row) const {
        constexpr double kEps = 1e-16;
        const double factor = options_.beta * options_.beta;
        double smoothed = 0, precision = 0, recall = 0;
        int effective = 0;
        for (std::size_t k = 0; k < orders_; ++k, row += 3) {
            const double p = row[0] > 0 ? row[2] / row[0] : kEps, r = row[1] > 0 ? row[2] / row[1] : kEps;
            const double denominator = factor * p + r;
            smoothed += denominator > 0 ? (1 + factor) * p * r / denominator : kEps;
            if (row[0] > 0 && row[1] > 0) {
                precision += p;
                recall += r;
                ++effective;
            }
        }
        if (options_.eps) return smoothed / static_cast<double>(orders_);
        if (precision + recall <= 0) return 0;
        precision /= effective;
        recall /= effective;
        return (1 + factor) * precision * recall / (factor * precision + recall);
    }

    Options options_;
    std::size_t orders_;
    Alphabet alphabet_;
    Vocabulary vocabulary_;
    NgramMatcher matcher_;
    std::vector<Symbols> characters_, words_;  // the hypothesis, then the references
    std::vector<std::vector<Word>> bounds_;
    std::vector<std::uint32_t> matches_;
    std::uint32_t *char_matches_ = nullptr, *word_matches_ = nullptr;
    std::vector<double> candidate_;
};

py::array_t<double> chrf_rows(py::handle hypotheses, py::handle references, std::size_t char_order,
                              std::size_t word_order, double beta, bool lower, bool whitespace, bool eps, int jobs) {
    const Options options{char_order, word_order, beta, lower, whitespace, eps};
    const TextBatch batch = gather(hypotheses, references, lower);
    const std::size_t columns = 3 * (char_order + word_order);
    py::array_t<double> rows({batch.size(), columns});
    double* out = rows.mutable_data();
    std::fill(out, out + batch.size() * columns, 0.0);
    std::uint8_t kind = 1;
    for (const TextView& text : batch.texts) kind = std::max(kind, text.kind);
    const std::size_t code_points = kind == 1 ? 0x100 : kind == 2 ? 0x10000 : 0x110000;
    {
        py::gil_scoped_release release;
        parallel_for(batch.size(), jobs, [&](std::size_t begin, std::size_t end) {
            Chrf chrf(options, code_points);
            for (std::size_t s = begin; s < end; ++s) chrf.segment(batch, s, out + s * columns);
        });
    }
    return rows;
}

}  // namespace

void bind_chrf(py::module_& module) {
    module.def("chrf_rows", &chrf_rows, py::arg("hypotheses"), py::arg("references"), py::arg("char_order"),
               py::arg("word_order"), py::arg("beta"), py::arg("lower"), py::arg("whitespace"), py::arg("eps"),
               py::arg("jobs"));
}

}  // namespace nlgauge
