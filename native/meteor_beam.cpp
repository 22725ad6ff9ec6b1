// The aligner of METEOR 1.3 to 1.5: matches of all modules resolved by a beam search over the reference.
// nlgauge.kernels.python.meteor says what it does and why; both give the same rows.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "meteor.hpp"
#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

constexpr std::int32_t NONE = -1;
constexpr std::size_t COLUMNS = 23;
constexpr std::size_t TOO_MANY = std::size_t{1} << 26;  // matches of one pair of texts
enum Module : std::uint8_t { EXACT, STEM, SYNONYM, PARAPHRASE };

using Row = std::array<double, COLUMNS>;

// One chunk covers both texts: it is not penalised, nor counted when segments are summed.
bool is_whole(const Row& row) { return row[21] == row[0] && row[22] == row[1] && row[20] <= 1; }

struct Lexicon {
    explicit Lexicon(const py::object& source)
        : stem(source.attr("stems")), function_word(source.attr("function")),
          size(source.attr("sizes")), synset_start(source.attr("synset_start")),
          synset(source.attr("synsets")), table_word(source.attr("table_words")) {
        const py::object table = source.attr("table");
        if (table.is_none()) return;
        for (const char* name : {"child_start", "pair_start"}) longs.emplace_back(table.attr(name).cast<py::buffer>());
        for (const char* name : {"child_word", "child_node", "pair_node"})
            ints.emplace_back(table.attr(name).cast<py::buffer>());
        child_start = longs[0].span, pair_start = longs[1].span;
        child_word = ints[0].span, child_node = ints[1].span, pair_node = ints[2].span;
    }
    // A bit for each synset of a word, by hash: two words without a common bit share none.
    void sign() {
        signature.assign(stem.span.size, 0);
        for (std::size_t word = 0; word + 1 < synset_start.span.size; ++word)
            for (std::int64_t s = synset_start.span[word]; s < synset_start.span[word + 1]; ++s)
                signature[word] |= std::uint64_t{1} << (static_cast<std::uint32_t>(synset.span[s]) * 2654435761u >> 26);
    }

    std::size_t nodes() const { return pair_start.size ? pair_start.size - 1 : 0; }

    std::int32_t child(std::int32_t node, std::int32_t word) const {
        const std::int32_t* begin = child_word.data + child_start[node];
        const std::int32_t* end = child_word.data + child_start[node + 1];
        const std::int32_t* place = std::lower_bound(begin, end, word);
        return place != end && *place == word ? child_node[place - child_word.data] : NONE;
    }

    BufferView<std::int32_t> stem;
    BufferView<std::uint8_t> function_word;
    BufferView<std::int32_t> size;  // what a word counts: 1, or its letters
    BufferView<std::int64_t> synset_start;
    BufferView<std::int32_t> synset;
    BufferView<std::int32_t> table_word;
    std::vector<BufferView<std::int64_t>> longs;
    std::vector<BufferView<std::int32_t>> ints;
    Ints64 child_start, pair_start;
    Ints32 child_word, child_node, pair_node;
    std::vector<std::uint64_t> signature;
};

struct Match {
    std::int32_t ref, hyp_size, hyp;
    std::uint8_t module;
    std::int32_t ref_size;
    int weight() const { return module == EXACT ? 2 : hyp_size / 2 + ref_size / 2; }
    bool operator<(const Match& other) const { return ref != other.ref ? ref < other.ref : module < other.module; }
};

// A partial alignment; its matches are found by going back from parent to parent.
struct Path {
    std::int32_t weight = 0, chunks = 0;  // chunks that are closed
    std::int64_t distance = 0;
    std::int32_t hyp_end = NONE;  // where the open chunk ends in the hypothesis; NONE: no chunk is open
    std::int32_t ref_end = 0;
    std::int32_t node = NONE;   // the last match, in the list of links
    std::int32_t slot = 0;      // where the used words of the hypothesis are marked
    std::int32_t match = NONE;  // to be applied: the marks of a path that is kept are copied only then
    bool better(const Path& other) const {
        if (weight != other.weight) return weight > other.weight;
        if (chunks != other.chunks) return chunks < other.chunks;
        return distance < other.distance;
    }
    void close() {
        chunks += hyp_end != NONE;
        hyp_end = NONE;
    }
};

struct Link {
    std::int32_t match, parent;
};

class BeamAligner {
public:
    BeamAligner(const Lexicon& lexicon, std::size_t beam) : lexicon_(lexicon), beam_(beam), phrase_head_(BUCKETS, NONE) {}

    Row align(Words hyp, Words ref) {
        find_matches(hyp, ref);
        search(hyp, ref);
        return statistics(hyp, ref);
    }

private:
    void add(std::size_t i, std::size_t hyp_size, std::size_t j, std::size_t ref_size, Module module) {
        if (matches_.size() >= TOO_MANY) throw std::length_error("METEOR: two texts with too many words in common");
        matches_.push_back({static_cast<std::int32_t>(j), static_cast<std::int32_t>(hyp_size),
                            static_cast<std::int32_t>(i), module, static_cast<std::int32_t>(ref_size)});
    }

    void find_matches(Words hyp, Words ref) {
        matches_.clear();
        for (std::size_t i = 0; i < hyp.size; ++i)
            for (std::size_t j = 0; j < ref.size; ++j) {
                if (hyp[i] == ref[j]) {
                    add(i, 1, j, 1, EXACT);
                    continue;
                }
                if (lexicon_.stem.span[hyp[i]] == lexicon_.stem.span[ref[j]]) add(i, 1, j, 1, STEM);
                if (share_synset(hyp[i], ref[j])) add(i, 1, j, 1, SYNONYM);
            }
        if (lexicon_.nodes()) find_paraphrases(hyp, ref);
        std::stable_sort(matches_.begin(), matches_.end());
    }

    // Both lists are in order.
    bool share_synset(std::int32_t word, std::int32_t other) const {
        if (!(lexicon_.signature[word] & lexicon_.signature[other])) return false;
        const Ints64 start = lexicon_.synset_start.span;
        std::int64_t a = start[word], b = start[other];
        const std::int64_t a_end = start[word + 1], b_end = start[other + 1];
        while (a < a_end && b < b_end) {
            const std::int32_t x = lexicon_.synset.span[a], y = lexicon_.synset.span[b];
            if (x == y) return true;
            if (x < y)
                ++a;
            else
                ++b;
        }
        return false;
    }

    struct PhraseSpan {
        std::int32_t start, size, node, next;
    };

    // Every beginning of a phrase of the table.
    void find_phrases(Words text, std::vector<PhraseSpan>& spans) const {
        spans.clear();
        for (std::size_t start = 0; start < text.size; ++start) {
            std::int32_t node = lexicon_.table_word.span[text[start]];
            for (std::size_t size = 1; node != NONE; ++size) {
                spans.push_back({static_cast<std::int32_t>(start), static_cast<std::int32_t>(size), node, NONE});
                if (start + size == text.size) break;
                const std::int32_t word = lexicon_.table_word.span[text[start + size]];
                node = word == NONE ? NONE : lexicon_.child(node, word);
            }
        }
    }

    // The entries of the table that start from the reference come first, then those that start from the hypothesis.
    void find_paraphrases(Words hyp, Words ref) {
        find_phrases(hyp, hyp_spans_);
        find_phrases(ref, ref_spans_);
        pairs(ref_spans_, hyp_spans_, [&](const PhraseSpan& r, const PhraseSpan& h) { add_paraphrase(h, r); });
        pairs(hyp_spans_, ref_spans_, [&](const PhraseSpan& h, const PhraseSpan& r) { add_paraphrase(h, r); });
    }
    void add_paraphrase(const PhraseSpan& h, const PhraseSpan& r) {
        add(static_cast<std::size_t>(h.start), static_cast<std::size_t>(h.size), static_cast<std::size_t>(r.start),
            static_cast<std::size_t>(r.size), PARAPHRASE);
    }

    // The phrases of the other text by bucket. A filter of one bit a bucket stands before the lists: it stays in the
    // processor's cache, and almost all entries of the table end there.
    static std::size_t bucket(std::int32_t node) { return static_cast<std::size_t>(node) % BUCKETS; }

    template <class Found>
    void pairs(const std::vector<PhraseSpan>& text, std::vector<PhraseSpan>& other, Found found) {
        for (std::size_t s = other.size(); s-- > 0;) {  // backwards, so that the lists run forwards
            const std::size_t b = bucket(other[s].node);
            other[s].next = phrase_head_[b];
            phrase_head_[b] = static_cast<std::int32_t>(s);
            filter_[b / 64] |= std::uint64_t{1} << b % 64;
        }
        for (const PhraseSpan& span : text)
            for (std::int64_t p = lexicon_.pair_start[span.node]; p < lexicon_.pair_start[span.node + 1]; ++p) {
                const std::int32_t node = lexicon_.pair_node[p];
                const std::size_t b = bucket(node);
                if (!(filter_[b / 64] >> b % 64 & 1)) continue;
                for (std::int32_t s = phrase_head_[b]; s != NONE; s = other[s].next)
                    if (other[s].node == node) found(span, other[s]);
            }
        for (const PhraseSpan& span : other) {
            phrase_head_[bucket(span.node)] = NONE;
            filter_[bucket(span.node) / 64] = 0;
        }
    }

    // Whether a match shares no word with another.
    void mark_fixed(std::size_t hyp, std::size_t ref) {
        on_hyp_.assign(hyp, 0);
        on_ref_.assign(ref, 0);
        for (const Match& match : matches_) {
            for (std::int32_t k = 0; k < match.hyp_size; ++k) ++on_hyp_[match.hyp + k];
            for (std::int32_t k = 0; k < match.ref_size; ++k) ++on_ref_[match.ref + k];
        }
    }
    bool is_fixed(const Match& match) const {
        for (std::int32_t k = 0; k < match.hyp_size; ++k)
            if (on_hyp_[match.hyp + k] != 1) return false;
        for (std::int32_t k = 0; k < match.ref_size; ++k)
            if (on_ref_[match.ref + k] != 1) return false;
        return true;
    }

    Path extended(const Path& path, std::size_t number) const {
        const Match& match = matches_[number];
        Path result = path;
        result.weight += match.weight();
        result.chunks += path.hyp_end != NONE && path.hyp_end != match.hyp;
        result.hyp_end = match.hyp + match.hyp_size;
        result.ref_end = match.ref + match.ref_size;
        result.match = static_cast<std::int32_t>(number);
        return result;
    }

    bool is_free(const Path& path, const Match& match) const {
        const std::uint64_t* used = marks_.data() + static_cast<std::size_t>(path.slot) * blocks_;
        for (std::int32_t k = match.hyp; k < match.hyp + match.hyp_size; ++k)
            if (used[k >> 6] >> (k & 63) & 1) return false;
        return true;
    }

    // Gives the kept paths their own marks and links.
    void settle() {
        next_marks_.resize(paths_.size() * blocks_);
        for (std::size_t p = 0; p < paths_.size(); ++p) {
            Path& path = paths_[p];
            std::uint64_t* used = next_marks_.data() + p * blocks_;
            std::copy_n(marks_.data() + static_cast<std::size_t>(path.slot) * blocks_, blocks_, used);
            if (path.match != NONE) {
                const Match& match = matches_[path.match];
                for (std::int32_t k = match.hyp; k < match.hyp + match.hyp_size; ++k)
                    used[k >> 6] |= std::uint64_t{1} << (k & 63);
                links_.push_back({path.match, path.node});
                path.node = static_cast<std::int32_t>(links_.size() - 1);
                path.match = NONE;
            }
            path.slot = static_cast<std::int32_t>(p);
        }
        std::swap(marks_, next_marks_);
    }

    void search(Words hyp, Words ref) {
        mark_fixed(hyp.size, ref.size);
        blocks_ = hyp.size / 64 + 1;
        marks_.assign(blocks_, 0);
        links_.clear();
        paths_.assign(1, Path{});
        std::size_t begin = 0;
        for (std::int32_t place = 0; place < static_cast<std::int32_t>(ref.size); ++place) {
            std::size_t end = begin;
            while (end < matches_.size() && matches_[end].ref == place) ++end;
            grow(place, begin, end);
            begin = end;
        }
        for (Path& path : paths_) path.close();
        const Path* best = &paths_[0];
        for (const Path& path : paths_)
            if (path.better(*best)) best = &path;
        chosen_.clear();
        for (std::int32_t link = best->node; link != NONE; link = links_[link].parent) chosen_.push_back(links_[link].match);
        std::reverse(chosen_.begin(), chosen_.end());
    }

    void grow(std::int32_t place, std::size_t begin, std::size_t end) {
        if (begin == end && std::none_of(paths_.begin(), paths_.end(), [&](const Path& path) {
                return path.hyp_end != NONE && path.ref_end <= place;
            }))
            return;  // nothing to try and nothing to close
        const bool fixed = begin < end && is_fixed(matches_[begin]);
        grown_.clear();
        for (Path& path : paths_) {
            if (fixed)
                path = extended(path, begin);
            else if (path.ref_end <= place) {
                for (std::size_t m = begin; m < end; ++m)
                    if (is_free(path, matches_[m])) {
                        grown_.push_back(extended(path, m));
                        path.distance += std::abs(matches_[m].hyp - matches_[m].ref);
                    }
                path.close();
            }
            grown_.push_back(path);
        }
        keep_best();
        if (begin < end) settle();
    }

    // The best paths in order, the earlier of equals first. Keys are sorted, not paths: those are large.
    void keep_best() {
        keys_.resize(grown_.size());
        bool fits = grown_.size() < std::size_t{1} << 16;
        for (std::size_t p = 0; p < grown_.size(); ++p) {
            const Path& path = grown_[p];
            fits = fits && path.weight < 1 << 15 && path.chunks < 1 << 13 && path.distance < 1 << 20;
            keys_[p] = fits ? packed(path, p) : 0;
        }
        if (!fits) return keep_best_of_long_texts();
        shorten(keys_, std::less<>());
        paths_.clear();
        for (const std::uint64_t key : keys_) paths_.push_back(grown_[key & 0xffff]);
    }

    // Weight, chunks, distance and place in one number that is smaller for the better path.
    static std::uint64_t packed(const Path& path, std::size_t place) {
        return static_cast<std::uint64_t>((1 << 15) - 1 - path.weight) << 49 |
               static_cast<std::uint64_t>(path.chunks) << 36 | static_cast<std::uint64_t>(path.distance) << 16 | place;
    }

    void keep_best_of_long_texts() {
        order_.resize(grown_.size());
        for (std::size_t p = 0; p < grown_.size(); ++p) order_[p] = static_cast<std::int32_t>(p);
        shorten(order_, [&](std::int32_t a, std::int32_t b) {
            const Path &first = grown_[a], &second = grown_[b];
            if (first.better(second)) return true;
            return !second.better(first) && a < b;
        });
        paths_.clear();
        for (const std::int32_t p : order_) paths_.push_back(grown_[p]);
    }

    template <class Values, class Before>
    void shorten(Values& values, Before before) const {
        const std::size_t kept = std::min(beam_, values.size());
        if (kept < values.size()) {
            std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kept), values.end(), before);
            values.resize(kept);
        }
        if (!std::is_sorted(values.begin(), values.end(), before)) std::sort(values.begin(), values.end(), before);
    }

    Row statistics(Words hyp, Words ref) const {
        Row row{};
        const auto measure = [&](Words text, double& all, double& function_words) {
            for (const std::int32_t word : text) {
                all += lexicon_.size.span[word];
                function_words += lexicon_.function_word.span[word] * lexicon_.size.span[word];
            }
        };
        measure(hyp, row[0], row[2]);
        measure(ref, row[1], row[3]);
        const Match* last = nullptr;
        for (const std::int32_t number : chosen_) {
            const Match& match = matches_[number];
            double* counts = row.data() + 4 + 4 * match.module;
            for (std::int32_t k = match.hyp; k < match.hyp + match.hyp_size; ++k)
                counts[2 * lexicon_.function_word.span[hyp[k]]] += lexicon_.size.span[hyp[k]];
            for (std::int32_t k = match.ref; k < match.ref + match.ref_size; ++k)
                counts[1 + 2 * lexicon_.function_word.span[ref[k]]] += lexicon_.size.span[ref[k]];
            const bool joined =
                last && last->ref + last->ref_size == match.ref && last->hyp + last->hyp_size == match.hyp;
            row[20] += !joined;
            row[21] += match.hyp_size;
            row[22] += match.ref_size;
            last = &match;
        }
        if (is_whole(row)) row[20] = 0;
        return row;
    }

    const Lexicon& lexicon_;
    std::size_t beam_;
    std::size_t blocks_ = 1;
    std::vector<Match> matches_;
    std::vector<PhraseSpan> hyp_spans_, ref_spans_;
    static constexpr std::size_t BUCKETS = std::size_t{1} << 16;
    std::array<std::uint64_t, BUCKETS / 64> filter_{};
    std::vector<std::int32_t> phrase_head_;
    std::vector<std::uint32_t> on_hyp_, on_ref_;
    std::vector<Path> paths_, grown_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> order_;
    std::vector<std::uint64_t> marks_, next_marks_;
    std::vector<Link> links_;
    std::vector<std::int32_t> chosen_;
};

double score_of(const Row& row, const std::array<double, 4>& parameters, const std::array<double, 4>& weights) {
    const auto [alpha, beta, gamma, delta] = parameters;
    const double hyp = delta * (row[0] - row[2]) + (1 - delta) * row[2];
    const double ref = delta * (row[1] - row[3]) + (1 - delta) * row[3];
    double matched_hyp = 0, matched_ref = 0;
    for (std::size_t module = 0; module < 4; ++module) {
        const double* counts = row.data() + 4 + 4 * module;
        matched_hyp += weights[module] * (delta * counts[0] + (1 - delta) * counts[2]);
        matched_ref += weights[module] * (delta * counts[1] + (1 - delta) * counts[3]);
    }
    if (matched_hyp <= 0 || matched_ref <= 0) return 0;
    const double precision = matched_hyp / hyp, recall = matched_ref / ref;
    const double fmean = 1 / ((1 - alpha) / precision + alpha / recall);
    const double fragmentation = is_whole(row) ? 0.0 : row[20] / ((row[21] + row[22]) / 2);
    return fmean * (1 - gamma * std::pow(fragmentation, beta));
}

py::array_t<double> meteor_beam_rows(const py::buffer& words, const py::buffer& text_start, const py::buffer& segment_text,
                                     const py::object& source, const std::array<double, 4>& parameters,
                                     const std::array<double, 4>& weights, std::size_t beam, int jobs) {
    const NumberedTexts texts(words, text_start, segment_text);
    Lexicon lexicon(source);
    const std::size_t forms = lexicon.stem.span.size;
    texts.check(forms);
    if (lexicon.function_word.span.size != forms || lexicon.table_word.span.size != forms ||
        lexicon.size.span.size != forms ||
        lexicon.synset_start.span.size != forms + 1 || beam == 0)
        throw std::invalid_argument("the tables of a METEOR lexicon must have an entry for each word");
    lexicon.sign();
    py::array_t<double> result({texts.size(), COLUMNS});
    double* rows = result.mutable_data();
    py::gil_scoped_release unlocked;
    parallel_for(texts.size(), jobs, [&](std::size_t begin, std::size_t end) {
        BeamAligner aligner(lexicon, beam);
        for (std::size_t s = begin; s < end; ++s) {
            double best = -1;
            Row chosen{};
            for (std::size_t j = 0; j < texts.references(s); ++j) {
                const Row row = aligner.align(texts.hypothesis(s), texts.reference(s, j));
                const double score = score_of(row, parameters, weights);
                if (score > best) best = score, chosen = row;
            }
            std::copy(chosen.begin(), chosen.end(), rows + s * COLUMNS);
        }
    });
    return result;
}

}  // namespace

void bind_meteor_beam(py::module_& module) {
    module.def("meteor_beam_rows", &meteor_beam_rows, py::arg("words"), py::arg("text_start"), py::arg("segment_text"),
               py::arg("lexicon"), py::arg("parameters"), py::arg("weights"), py::arg("beam"), py::arg("jobs"));
}

}  // namespace nlgauge
