// METEOR as of 2007: greedy stages of exact, stem and synonym matches, each from the end of the texts, as NLTK has them.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meteor_words.hpp"
#include "text_view.hpp"
#include "tokenizers.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::int32_t NONE = -1;
using Word = MeteorWords::Word;
using Words = std::vector<Word>;

// Where the free words of a reference stand, by form: the highest position first.
class Positions {
public:
    void fit(std::size_t forms, std::size_t words) {
        if (head_.size() < forms) head_.resize(2 * forms, NONE);
        if (next_.size() < words) next_.resize(2 * words);
    }
    void add(std::int32_t form, std::size_t position) {
        next_[position] = head_[form];
        head_[form] = static_cast<std::int32_t>(position);
    }
    // Forms that came in since fit() are in no text yet.
    std::int32_t highest(std::int32_t form) const {
        return static_cast<std::size_t>(form) < head_.size() ? head_[form] : NONE;
    }
    void pop(std::int32_t form) { head_[form] = next_[head_[form]]; }
    void forget(std::int32_t form) { head_[form] = NONE; }

private:
    std::vector<std::int32_t> head_;
    std::vector<std::int32_t> next_;
};

struct Counts {
    std::size_t stage[3] = {0, 0, 0};
    std::size_t chunks = 0;
    std::size_t matches() const { return stage[0] + stage[1] + stage[2]; }
};

class GreedyAligner {
public:
    explicit GreedyAligner(MeteorWords& words) : words_(words) {}

    Counts match(const Words& hyp, const Words& ref) {
        Counts counts;
        positions_.fit(words_.forms(), ref.size());
        link_.assign(hyp.size(), NONE);
        used_.assign(ref.size(), 0);
        counts.stage[0] = stage(hyp, ref, &Word::form, [&](std::size_t i) { return hyp[i].form; });
        counts.stage[1] = stage(hyp, ref, &Word::stem, [&](std::size_t i) { return hyp[i].stem; });
        // NLTK hands the stems of what is left to this stage: synonyms are those of a stem, compared with stems.
        counts.stage[2] = stage(hyp, ref, &Word::stem, [&](std::size_t i) { return last_synonym(hyp[i].stem); });
        counts.chunks = chunks();
        return counts;
    }

private:
    // Each free word of the hypothesis takes the last free word of the reference that is of the form wanted(word).
    template <class Wanted>
    std::size_t stage(const Words& hyp, const Words& ref, std::int32_t Word::*form, Wanted&& wanted) {
        for (std::size_t j = 0; j < ref.size(); ++j)
            if (!used_[j]) positions_.add(ref[j].*form, j);
        std::size_t found = 0;
        for (std::size_t i = hyp.size(); i-- > 0;) {
            if (link_[i] != NONE) continue;
            const std::int32_t key = wanted(i);
            const std::int32_t j = key == NONE ? NONE : positions_.highest(key);
            if (j == NONE) continue;
            positions_.pop(key);
            link_[i] = j;
            used_[j] = 1;
            ++found;
        }
        for (const Word& word : ref) positions_.forget(word.*form);
        return found;
    }

    // The synonym of a stem whose last free place is the last of all, or NONE.
    std::int32_t last_synonym(std::int32_t stem) {
        std::int32_t best = NONE, form = NONE;
        for (const std::int32_t synonym : words_.synonyms(stem)) {
            const std::int32_t j = positions_.highest(synonym);
            if (j > best) best = j, form = synonym;
        }
        return form;
    }

    // Runs of matches that are neighbours in both texts; 1 where there is no match, as NLTK counts.
    std::size_t chunks() const {
        std::size_t count = 1;
        std::size_t last = link_.size();
        for (std::size_t i = 0; i < link_.size(); ++i) {
            if (link_[i] == NONE) continue;
            if (last < i && !(last + 1 == i && link_[last] + 1 == link_[i])) ++count;
            last = i;
        }
        return count;
    }

    MeteorWords& words_;
    Positions positions_;
    std::vector<std::int32_t> link_;  // of a hypothesis word, the reference word it is matched with
    std::vector<std::uint8_t> used_;
};

struct Weights {
    double alpha, beta, gamma;
};

double score_of(const Counts& counts, std::size_t hyp, std::size_t ref, const Weights& weights) {
    const double matches = static_cast<double>(counts.matches());
    if (matches == 0) return 0;
    const double precision = matches / static_cast<double>(hyp), recall = matches / static_cast<double>(ref);
    const double bottom = weights.alpha * precision + (1 - weights.alpha) * recall;
    if (bottom == 0) return 0;
    const double fmean = precision * recall / bottom;
    const double penalty = weights.gamma * std::pow(static_cast<double>(counts.chunks) / matches, weights.beta);
    return (1 - penalty) * fmean;
}

// The texts of a batch: to be split, or given as lists of words.
struct Source {
    Source(py::handle hypotheses, py::handle references, const std::optional<std::string>& tok) : is_split(!tok) {
        if (tok) options = TokenizerOptions::parse(*tok, false, "none");
        if (tok) texts = gather(hypotheses, references, options.lower);
        else lists = gather_words(hypotheses, references);
    }
    const std::vector<std::size_t>& segment_text() const {
        return is_split ? lists.words.segment_text : texts.segment_text;
    }
    std::size_t size() const { return segment_text().size() - 1; }

    bool is_split;
    TokenizerOptions options;
    TextBatch texts;
    WordBatch lists;
};

// What one thread needs to score segments.
class Scorer {
public:
    Scorer(const Source& source, bool lower, const WordNet* wordnet, const Weights& weights)
        : source_(source), weights_(weights), words_(lower, wordnet), aligner_(words_) {
        tokenizer_.configure(source.options);
    }

    // Matches by stage, chunks, lengths and score of the best reference, and 1.
    void write_row(std::size_t segment, double* row) {
        const std::size_t first = source_.segment_text()[segment], end = source_.segment_text()[segment + 1];
        double best = -1;
        read(first, hyp_);
        std::fill(row, row + 7, 0.0);
        for (std::size_t t = first + 1; t < end; ++t) {
            read(t, ref_);
            const Counts counts = aligner_.match(hyp_, ref_);
            const double score = score_of(counts, hyp_.size(), ref_.size(), weights_);
            if (score <= best) continue;
            best = score;
            for (std::size_t k = 0; k < 3; ++k) row[k] = static_cast<double>(counts.stage[k]);
            row[3] = counts.matches() ? static_cast<double>(counts.chunks) : 0.0;
            row[4] = static_cast<double>(hyp_.size());
            row[5] = static_cast<double>(ref_.size());
            row[6] = score;
        }
        row[7] = 1;
    }

private:
    void read(std::size_t text, Words& words) {
        words.clear();
        if (source_.is_split) {
            for (std::size_t k = source_.lists.text_start[text]; k < source_.lists.text_start[text + 1]; ++k) {
                arena_.clear();
                words.push_back(words_.of(whole_token(source_.lists.words.texts[k], arena_)));
            }
            return;
        }
        tokenizer_.begin_segment();
        tokenizer_.add(source_.texts.texts[text]);
        const Vocabulary& tokens = tokenizer_.words();
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            words_.expect(tokens[std::min(i + 6, tokens.size() - 1)]);
            words.push_back(words_.of(tokens[i]));
        }
    }

    const Source& source_;
    Weights weights_;
    MeteorWords words_;
    GreedyAligner aligner_;
    Tokenizer tokenizer_;
    Arena arena_;
    Words hyp_, ref_;
};

py::array_t<double> meteor_rows(py::handle hypotheses, py::handle references, const std::optional<std::string>& tok,
                                bool lower, const WordNet* wordnet, double alpha, double beta, double gamma, int jobs) {
    const Source source(hypotheses, references, tok);
    constexpr std::size_t width = 8;
    py::array_t<double> result({source.size(), width});
    double* rows = result.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(source.size(), jobs, [&](std::size_t begin, std::size_t end) {
        Scorer scorer(source, lower, wordnet, {alpha, beta, gamma});
        for (std::size_t s = begin; s < end; ++s) scorer.write_row(s, rows + s * width);
    });
    return result;
}

}  // namespace

void bind_meteor(py::module_& module) {
    module.def("meteor_rows", &meteor_rows, py::arg("hypotheses"), py::arg("references"), py::arg("tok").none(true),
               py::arg("lower"), py::arg("wordnet").none(true), py::arg("alpha"), py::arg("beta"), py::arg("gamma"),
               py::arg("jobs"));
}

}  // namespace nlgauge
