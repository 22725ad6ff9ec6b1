// METEOR as of 2007: greedy stages of exact, stem and synonym matches, each from the end of the texts, as NLTK has them.
//
// Words come numbered (see nlgauge.kernels.words); stems and synonyms are numbers of a second table, of forms.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "meteor.hpp"
#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::int32_t NONE = -1;

// Where the free words of a reference stand, by number: the highest position first.
class Positions {
public:
    explicit Positions(std::size_t forms) : head_(forms, NONE) {}

    void add(std::int32_t form, std::int32_t position) {
        if (static_cast<std::size_t>(position) >= next_.size()) next_.resize(2 * static_cast<std::size_t>(position) + 16);
        next_[position] = head_[form];
        head_[form] = position;
    }
    std::int32_t highest(std::int32_t form) const { return head_[form]; }
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
    GreedyAligner(std::size_t forms, Ints32 stems, Ints64 synonym_start, Ints32 synonyms)
        : stems_(stems), synonym_start_(synonym_start), synonyms_(synonyms), positions_(std::max(stems.size, forms)) {}

    // Matches by words, then by stems; `link` of a hypothesis word is the reference word it is matched with.
    Counts match_forms(Words hyp, Words ref) {
        Counts counts;
        link_.assign(hyp.size, NONE);
        used_.assign(ref.size, 0);
        counts.stage[0] = stage(hyp, ref, [](std::int32_t word) { return word; });
        counts.stage[1] = stage(hyp, ref, [&](std::int32_t word) { return stems_[word]; });
        return counts;
    }

    Counts match(Words hyp, Words ref) {
        Counts counts = match_forms(hyp, ref);
        counts.stage[2] = synonym_stage(hyp, ref);
        counts.chunks = chunks();
        return counts;
    }

    bool is_linked(std::size_t position) const { return link_[position] != NONE; }

private:
    template <class Form>
    void open(Words ref, Form form) {
        for (std::size_t j = 0; j < ref.size; ++j)
            if (!used_[j]) positions_.add(form(ref[j]), static_cast<std::int32_t>(j));
    }
    template <class Form>
    void close(Words ref, Form form) {
        for (const std::int32_t word : ref) positions_.forget(form(word));
    }

    template <class Form>
    std::size_t stage(Words hyp, Words ref, Form form) {
        open(ref, form);
        std::size_t found = 0;
        for (std::size_t i = hyp.size; i-- > 0;) {
            if (link_[i] != NONE) continue;
            const std::int32_t key = form(hyp[i]);
            const std::int32_t j = positions_.highest(key);
            if (j == NONE) continue;
            positions_.pop(key);
            link(i, j);
            ++found;
        }
        close(ref, form);
        return found;
    }

    // NLTK hands the stems of what is left to this stage: synonyms are those of a stem and are compared with stems.
    std::size_t synonym_stage(Words hyp, Words ref) {
        const auto stem = [&](std::int32_t word) { return stems_[word]; };
        open(ref, stem);
        std::size_t found = 0;
        for (std::size_t i = hyp.size; i-- > 0;) {
            if (link_[i] != NONE) continue;
            std::int32_t best = NONE, form = NONE;
            const auto word = static_cast<std::size_t>(stem(hyp[i]));
            for (std::int64_t s = synonym_start_[word]; s < synonym_start_[word + 1]; ++s) {
                const std::int32_t j = positions_.highest(synonyms_[s]);
                if (j > best) best = j, form = synonyms_[s];
            }
            if (best == NONE) continue;
            positions_.pop(form);
            link(i, best);
            ++found;
        }
        close(ref, stem);
        return found;
    }

    void link(std::size_t i, std::int32_t j) {
        link_[i] = j;
        used_[j] = 1;
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

    Ints32 stems_;
    Ints64 synonym_start_;
    Ints32 synonyms_;
    Positions positions_;
    std::vector<std::int32_t> link_;
    std::vector<std::uint8_t> used_;
};

double score_of(const Counts& counts, std::size_t hyp, std::size_t ref, double alpha, double beta, double gamma) {
    const double matches = static_cast<double>(counts.matches());
    if (matches == 0) return 0;
    const double precision = matches / static_cast<double>(hyp), recall = matches / static_cast<double>(ref);
    const double bottom = alpha * precision + (1 - alpha) * recall;
    if (bottom == 0) return 0;
    const double fmean = precision * recall / bottom;
    const double penalty = gamma * std::pow(static_cast<double>(counts.chunks) / matches, beta);
    return (1 - penalty) * fmean;
}

void check_forms(Ints32 numbers, std::size_t forms) {
    for (const std::int32_t form : numbers)
        if (form < 0 || static_cast<std::size_t>(form) >= forms) throw std::invalid_argument("a form without entry");
}

py::array_t<double> meteor_rows(const py::buffer& words, const py::buffer& text_start, const py::buffer& segment_text,
                                const py::buffer& stems, const py::buffer& synonym_start, const py::buffer& synonyms,
                                double alpha, double beta, double gamma, int jobs) {
    const NumberedTexts texts(words, text_start, segment_text);
    const BufferView<std::int32_t> stem_view(stems), synonym_view(synonyms);
    const BufferView<std::int64_t> start_view(synonym_start);
    texts.check(stem_view.span.size);
    const std::size_t forms = start_view.span.size ? start_view.span.size - 1 : 0;
    check_forms(stem_view.span, forms);
    check_forms(synonym_view.span, forms);
    constexpr std::size_t width = 8;
    py::array_t<double> result({texts.size(), width});
    double* rows = result.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(texts.size(), jobs, [&](std::size_t begin, std::size_t end) {
        GreedyAligner aligner(forms, stem_view.span, start_view.span, synonym_view.span);
        for (std::size_t s = begin; s < end; ++s) {
            double* row = rows + s * width;
            double best = -1;
            const Words hyp = texts.hypothesis(s);
            for (std::size_t j = 0; j < texts.references(s); ++j) {
                const Words ref = texts.reference(s, j);
                const Counts counts = aligner.match(hyp, ref);
                const double score = score_of(counts, hyp.size, ref.size, alpha, beta, gamma);
                if (score <= best) continue;
                best = score;
                for (std::size_t k = 0; k < 3; ++k) row[k] = static_cast<double>(counts.stage[k]);
                row[3] = counts.matches() ? static_cast<double>(counts.chunks) : 0.0;
                row[4] = static_cast<double>(hyp.size);
                row[5] = static_cast<double>(ref.size);
                row[6] = score;
            }
            row[7] = 1;
        }
    });
    return result;
}

// The stems of hypothesis words that the first two stages leave over: only theirs are the synonyms to look up.
py::array_t<bool> meteor_leftover(const py::buffer& words, const py::buffer& text_start, const py::buffer& segment_text,
                                  const py::buffer& stems, std::size_t forms) {
    const NumberedTexts texts(words, text_start, segment_text);
    const BufferView<std::int32_t> stem_view(stems);
    texts.check(stem_view.span.size);
    check_forms(stem_view.span, forms);
    py::array_t<bool> result(static_cast<py::ssize_t>(forms));
    bool* left = result.mutable_data();
    std::fill(left, left + forms, false);
    py::gil_scoped_release unlocked;
    GreedyAligner aligner(forms, stem_view.span, {}, {});
    for (std::size_t s = 0; s < texts.size(); ++s) {
        const Words hyp = texts.hypothesis(s);
        for (std::size_t j = 0; j < texts.references(s); ++j) {
            aligner.match_forms(hyp, texts.reference(s, j));
            for (std::size_t i = 0; i < hyp.size; ++i)
                if (!aligner.is_linked(i)) left[stem_view.span[hyp[i]]] = true;
        }
    }
    return result;
}

}  // namespace

void bind_meteor(py::module_& module) {
    module.def("meteor_rows", &meteor_rows);
    module.def("meteor_leftover", &meteor_leftover);
}

}  // namespace nlgauge
