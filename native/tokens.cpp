// From Python lists of texts to a batch of numbered tokens.
#include "tokens.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "text_view.hpp"
#include "tokenizers.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

py::object lowered(PyObject* text, bool lower) {
    if (!PyUnicode_Check(text)) throw py::type_error("every hypothesis and reference must be a string");
    if (lower && !PyUnicode_IS_COMPACT_ASCII(text)) return py::handle(text).attr("lower")();
    return py::reinterpret_borrow<py::object>(text);
}

TextView view(PyObject* text) {
    return {PyUnicode_DATA(text), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)),
            static_cast<std::uint8_t>(PyUnicode_KIND(text)), static_cast<bool>(PyUnicode_IS_COMPACT_ASCII(text))};
}

// Every string is held, not only the list it came from: another thread may change the list while its texts are read.
void add_text(TextBatch& batch, PyObject* text, bool lower) {
    batch.owned.push_back(lowered(text, lower));
    batch.texts.push_back(view(batch.owned.back().ptr()));
}

// A list or tuple with the items of any sequence but a string, which would fall apart into its characters.
py::object sequence(py::handle items, const char* message) {
    if (PyUnicode_Check(items.ptr())) throw py::type_error(message);
    PyObject* result = PySequence_Fast(items.ptr(), message);
    if (!result) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
}

std::size_t size_of(const py::object& items) {
    return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
}

constexpr const char* kHypotheses = "hypotheses must be a list with one entry per segment";
constexpr const char* kReferences = "references must be a list with one list of references per segment";
constexpr const char* kSegment = "each segment needs a list of references, even where there is only one";
constexpr const char* kWords = "each hypothesis and reference must be a list of tokens";
constexpr const char* kLineLengths = "as many lists of line lengths as texts are needed";
constexpr const char* kLengths = "as many lists of references as hypotheses are needed";

}  // namespace

// The strings of a large set lie scattered in memory, each behind two or three pointers: they are asked for some segments
// ahead, one pointer at a time, so that the loop below does not wait for each.
inline void look_ahead(PyObject** hypotheses, PyObject** references, std::size_t s, std::size_t n) {
#if defined(__GNUC__)
    constexpr std::size_t step = 8;
    if (s + 3 * step < n) __builtin_prefetch(references[s + 3 * step]);
    if (s + 2 * step < n && PyList_CheckExact(references[s + 2 * step]))
        __builtin_prefetch(reinterpret_cast<PyListObject*>(references[s + 2 * step])->ob_item);
    if (s + step >= n) return;
    __builtin_prefetch(hypotheses[s + step]);
    PyObject* const list = references[s + step];
    if (PyList_CheckExact(list) && PyList_GET_SIZE(list) > 0) __builtin_prefetch(PyList_GET_ITEM(list, 0));
#else
    (void)hypotheses, (void)references, (void)s, (void)n;
#endif
}

TextBatch gather(py::handle hypotheses, py::handle references, bool lower) {
    TextBatch batch;
    const py::object hyps = sequence(hypotheses, kHypotheses);
    const py::object refs = sequence(references, kReferences);
    const std::size_t n = size_of(hyps);
    if (size_of(refs) != n) throw py::value_error(kLengths);
    batch.texts.reserve(2 * n);
    batch.segment_text.reserve(n + 1);
    batch.owned.reserve(2 * n);
    PyObject** const hypothesis = PySequence_Fast_ITEMS(hyps.ptr());
    PyObject** const reference = PySequence_Fast_ITEMS(refs.ptr());
    for (std::size_t s = 0; s < n; ++s) {
        look_ahead(hypothesis, reference, s, n);
        batch.segment_text.push_back(batch.texts.size());
        add_text(batch, hypothesis[s], lower);
        const py::object list = sequence(reference[s], kSegment);
        const std::size_t count = size_of(list);
        for (std::size_t j = 0; j < count; ++j)
            add_text(batch, PySequence_Fast_GET_ITEM(list.ptr(), j), lower);
    }
    batch.segment_text.push_back(batch.texts.size());
    return batch;
}

namespace {

void add_words(WordBatch& batch, py::handle list) {
    const py::object words = sequence(list, kWords);
    for (std::size_t i = 0; i < size_of(words); ++i)
        add_text(batch.words, PySequence_Fast_GET_ITEM(words.ptr(), static_cast<Py_ssize_t>(i)), false);
    batch.text_start.push_back(batch.words.texts.size());
}

}  // namespace

WordBatch gather_words(py::handle hypotheses, py::handle references) {
    WordBatch batch;
    const py::object hyps = sequence(hypotheses, kHypotheses);
    const py::object refs = sequence(references, kReferences);
    const std::size_t n = size_of(hyps);
    if (size_of(refs) != n) throw py::value_error(kLengths);
    batch.text_start.push_back(0);
    for (std::size_t s = 0; s < n; ++s) {
        batch.words.segment_text.push_back(batch.text_start.size() - 1);
        add_words(batch, PySequence_Fast_GET_ITEM(hyps.ptr(), static_cast<Py_ssize_t>(s)));
        const py::object lists = sequence(PySequence_Fast_GET_ITEM(refs.ptr(), static_cast<Py_ssize_t>(s)), kSegment);
        for (std::size_t j = 0; j < size_of(lists); ++j)
            add_words(batch, PySequence_Fast_GET_ITEM(lists.ptr(), static_cast<Py_ssize_t>(j)));
    }
    batch.words.segment_text.push_back(batch.text_start.size() - 1);
    return batch;
}

namespace {

// Appends segment after segment to a batch of its own; batches of consecutive segments are then joined.
class BatchWriter {
public:
    explicit BatchWriter(std::size_t segments, std::size_t code_points) {
        batch.segment_text.reserve(segments + 1);
        batch.segment_vocab.reserve(segments + 1);
        batch.text_start.reserve(2 * segments + 1);
        batch.ids.reserve(code_points / 5 + 8 * segments);
        batch.hashes.reserve(code_points / 6 + 8 * segments);
        batch.text_start.push_back(0);
        batch.segment_text.push_back(0);
        batch.segment_vocab.push_back(0);
    }

    void begin_sentence(const Vocabulary& words) {
        batch.sentence_start.push_back(batch.ids.size() + words.size());
    }
    void end_text(const Vocabulary& words) { batch.text_start.push_back(batch.ids.size() + words.size()); }
    void end_segment(const Vocabulary& words) {
        batch.ids.insert(batch.ids.end(), words.numbers(), words.numbers() + words.size());
        batch.hashes.insert(batch.hashes.end(), words.hashes(), words.hashes() + words.distinct());
        batch.segment_text.push_back(batch.text_start.size() - 1);
        batch.segment_vocab.push_back(batch.hashes.size());
    }

    TokenBatch batch;
};

template <class T>
void append_shifted(std::vector<T>& target, const std::vector<T>& source, T shift, std::size_t skip) {
    for (std::size_t i = skip; i < source.size(); ++i) target.push_back(source[i] + shift);
}

// Appends the segments of `more`; every list of offsets starts with a 0 that is already there.
void join(TokenBatch& batch, const TokenBatch& more) {
    if (!more.text_sentence.empty()) {
        batch.sentence_start.pop_back();  // the end of the last sentence is where the next one starts
        append_shifted(batch.text_sentence, more.text_sentence, batch.sentence_start.size(), 1);
        append_shifted(batch.sentence_start, more.sentence_start, batch.ids.size(), 0);
    }
    append_shifted(batch.text_start, more.text_start, batch.ids.size(), 1);
    append_shifted(batch.segment_text, more.segment_text, batch.segment_text.back(), 1);
    append_shifted(batch.segment_vocab, more.segment_vocab, batch.hashes.size(), 1);
    batch.ids.insert(batch.ids.end(), more.ids.begin(), more.ids.end());
    batch.hashes.insert(batch.hashes.end(), more.hashes.begin(), more.hashes.end());
}

// The tokeniser of this thread: its memory and its stems serve one batch after another.
Tokenizer& thread_tokenizer(const TokenizerOptions& options) {
    thread_local Tokenizer tokenizer;
    tokenizer.configure(options);
    return tokenizer;
}

// Sentences are the lines that are not empty, as rouge_score takes them.
void add_lines(const TextView& text, Tokenizer& tokenizer, BatchWriter& writer) {
    for (std::size_t begin = 0; begin < text.length;) {
        std::size_t end = begin;
        while (end < text.length && text[end] != '\n') ++end;
        if (end > begin) {
            writer.begin_sentence(tokenizer.words());
            tokenizer.add(text, begin, end);
        }
        begin = end + 1;
    }
}

TokenBatch tokenize_range(const TextBatch& texts, std::size_t begin, std::size_t end, const TokenizerOptions& options,
                          bool sentences) {
    std::size_t code_points = 0;
    for (std::size_t t = texts.segment_text[begin]; t < texts.segment_text[end]; ++t)
        code_points += texts.texts[t].length;
    BatchWriter writer(end - begin, code_points);
    TokenBatch& batch = writer.batch;
    if (sentences) batch.text_sentence.push_back(0);
    Tokenizer& tokenizer = thread_tokenizer(options);
    for (std::size_t s = begin; s < end; ++s) {
        tokenizer.begin_segment();
        for (std::size_t t = texts.segment_text[s]; t < texts.segment_text[s + 1]; ++t) {
            if (sentences) {
                add_lines(texts.texts[t], tokenizer, writer);
                batch.text_sentence.push_back(batch.sentence_start.size());
            } else {
                tokenizer.add(texts.texts[t]);
            }
            writer.end_text(tokenizer.words());
        }
        tokenizer.end_segment();
        writer.end_segment(tokenizer.words());
    }
    if (sentences) batch.sentence_start.push_back(batch.ids.size());
    return std::move(writer.batch);
}

TokenBatch tokens(py::handle hypotheses, py::handle references, const std::string& tok, bool lower,
                  const std::string& stem, bool sentences, int jobs) {
    const TokenizerOptions options = TokenizerOptions::parse(tok, lower, stem);
    const TextBatch texts = gather(hypotheses, references, options.lower);
    py::gil_scoped_release unlocked;
    std::mutex lock;
    std::map<std::size_t, TokenBatch> parts;  // by first segment
    parallel_for(texts.size(), jobs, [&](std::size_t begin, std::size_t end) {
        TokenBatch part = tokenize_range(texts, begin, end, options, sentences);
        const std::lock_guard<std::mutex> guard(lock);
        parts.emplace(begin, std::move(part));
    });
    TokenBatch batch = std::move(parts.begin()->second);
    for (auto part = std::next(parts.begin()); part != parts.end(); ++part) join(batch, part->second);
    return batch;
}

// Adds the tokens of a list of strings as they are. Any string will do, also one with lone surrogates or an empty one.
class ListReader {
public:
    void begin_segment() {
        words_.clear();
        arena_.clear();
    }
    void add(py::handle list) {
        const py::object items = sequence(list, kWords);
        const std::size_t count = size_of(items);
        Token* out = words_.room(count);
        for (std::size_t i = 0; i < count; ++i) *out++ = token(PySequence_Fast_GET_ITEM(items.ptr(), i));
        words_.commit(out);
    }
    void end_segment() { words_.number(); }
    const Vocabulary& words() const { return words_; }

private:
    Token token(PyObject* word) {
        if (!PyUnicode_Check(word)) throw py::type_error("every token must be a string");
        return whole_token(view(word), arena_);
    }

    Vocabulary words_;
    Arena arena_;
};

// Notes where the lines of a text that has just been added start; `counts` are the numbers of tokens in them.
void add_line_starts(TokenBatch& batch, const std::vector<std::size_t>& counts) {
    std::size_t at = batch.text_start[batch.text_start.size() - 2];
    for (const std::size_t count : counts) {
        batch.sentence_start.push_back(at);
        at += count;
    }
    if (at != batch.text_start.back()) throw py::value_error("the lines of a text must hold all of its tokens");
    batch.text_sentence.push_back(batch.sentence_start.size());
}

using Lines = std::vector<std::vector<std::size_t>>;

TokenBatch tokens_from_lists(py::handle hypotheses, py::handle references, const std::optional<Lines>& hypothesis_lines,
                             const std::optional<std::vector<Lines>>& reference_lines) {
    const py::object hyps = sequence(hypotheses, kHypotheses);
    const py::object refs = sequence(references, kReferences);
    const std::size_t n = size_of(hyps);
    if (size_of(refs) != n) throw py::value_error(kLengths);
    const bool lines = hypothesis_lines.has_value();
    if (lines != reference_lines.has_value()) throw py::value_error("lines are needed for both sides or for none");
    if (lines && (hypothesis_lines->size() != n || reference_lines->size() != n)) throw py::value_error(kLineLengths);
    BatchWriter writer(n, 0);
    TokenBatch& batch = writer.batch;
    if (lines) batch.text_sentence.push_back(0);
    ListReader reader;
    for (std::size_t s = 0; s < n; ++s) {
        reader.begin_segment();
        reader.add(PySequence_Fast_GET_ITEM(hyps.ptr(), s));
        writer.end_text(reader.words());
        if (lines) add_line_starts(batch, (*hypothesis_lines)[s]);
        const py::object lists = sequence(PySequence_Fast_GET_ITEM(refs.ptr(), s), kSegment);
        const std::size_t count = size_of(lists);
        if (lines && (*reference_lines)[s].size() != count) throw py::value_error(kLineLengths);
        for (std::size_t j = 0; j < count; ++j) {
            reader.add(PySequence_Fast_GET_ITEM(lists.ptr(), j));
            writer.end_text(reader.words());
            if (lines) add_line_starts(batch, (*reference_lines)[s][j]);
        }
        reader.end_segment();
        writer.end_segment(reader.words());
    }
    if (lines) batch.sentence_start.push_back(batch.ids.size());
    return std::move(writer.batch);
}

py::object word_of(const Token& token, std::vector<char32_t>& points) {
    decode(token, points);
    PyObject* word = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, points.data(),
                                               static_cast<Py_ssize_t>(points.size()));
    if (!word) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(word);
}

py::list tokenize(const py::str& text, const std::string& tok, bool lower, const std::string& stem) {
    const TokenizerOptions options = TokenizerOptions::parse(tok, lower, stem);
    const py::object held = lowered(text.ptr(), options.lower);
    Tokenizer& tokenizer = thread_tokenizer(options);
    tokenizer.begin_segment();
    tokenizer.add(view(held.ptr()));
    const Vocabulary& words = tokenizer.words();
    std::vector<char32_t> points;
    py::list result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) result[i] = word_of(words[i], points);
    return result;
}

// The distinct words of all texts in order of first appearance, the number of each word of each text, and where texts
// start: the texts are tokenised as if they were one segment.
py::tuple number_words(py::handle texts, const std::string& tok, bool lower) {
    const TokenizerOptions options = TokenizerOptions::parse(tok, lower, "none");
    const py::object list = sequence(texts, kWords);
    TextBatch batch;
    for (std::size_t t = 0; t < size_of(list); ++t)
        add_text(batch, PySequence_Fast_GET_ITEM(list.ptr(), static_cast<Py_ssize_t>(t)), options.lower);
    py::array_t<std::int64_t> starts(static_cast<py::ssize_t>(batch.texts.size() + 1));
    std::int64_t* const start = starts.mutable_data();
    Tokenizer tokenizer;  // of its own: what a large batch needs is given back
    {
        py::gil_scoped_release unlocked;
        tokenizer.configure(options);
        tokenizer.begin_segment();
        start[0] = 0;
        for (std::size_t t = 0; t < batch.texts.size(); ++t) {
            tokenizer.add(batch.texts[t]);
            start[t + 1] = static_cast<std::int64_t>(tokenizer.words().size());
        }
        tokenizer.end_segment();
    }
    const Vocabulary& words = tokenizer.words();
    py::array_t<std::int32_t> numbers(static_cast<py::ssize_t>(words.size()));
    std::int32_t* const number = numbers.mutable_data();
    std::vector<char32_t> points;
    py::list distinct;
    for (std::size_t i = 0; i < words.size(); ++i) {
        number[i] = static_cast<std::int32_t>(words.numbers()[i]);
        if (words.numbers()[i] == distinct.size()) distinct.append(word_of(words[i], points));
    }
    return py::make_tuple(distinct, numbers, starts);
}

std::vector<std::uint32_t> slice(const TokenBatch& batch, std::size_t begin, std::size_t end) {
    return {batch.ids.data() + begin, batch.ids.data() + end};
}

// Per segment the numbers of the tokens of its hypothesis and references.
py::list numbers(const TokenBatch& batch) {
    py::list segments;
    for (std::size_t s = 0; s < batch.size(); ++s) {
        py::list texts;
        for (std::size_t t = batch.segment_text[s]; t < batch.segment_text[s + 1]; ++t)
            texts.append(slice(batch, batch.text_start[t], batch.text_start[t + 1]));
        segments.append(texts);
    }
    return segments;
}

// The same, text by text and sentence by sentence; None where the batch was not split into sentences.
py::object sentences(const TokenBatch& batch) {
    if (batch.text_sentence.empty()) return py::none();
    py::list texts;
    for (std::size_t t = 0; t + 1 < batch.text_sentence.size(); ++t) {
        py::list parts;
        for (std::size_t k = batch.text_sentence[t]; k < batch.text_sentence[t + 1]; ++k)
            parts.append(slice(batch, batch.sentence_start[k], batch.sentence_start[k + 1]));
        texts.append(parts);
    }
    return texts;
}

py::list hashes(const TokenBatch& batch) {
    py::list segments;
    for (std::size_t s = 0; s < batch.size(); ++s)
        segments.append(std::vector<std::uint64_t>(batch.vocabulary_hashes(s),
                                                   batch.vocabulary_hashes(s) + batch.vocabulary(s)));
    return segments;
}

}  // namespace

void bind_tokens(py::module_& module) {
    py::class_<TokenBatch>(module, "Tokens", "A tokenised batch; its methods are for inspection and tests.")
        .def("__len__", &TokenBatch::size)
        .def("numbers", &numbers, "Per segment the token numbers of its hypothesis and references.")
        .def("sentences", &sentences, "Per text its sentences as lists of token numbers, or None.")
        .def("hashes", &hashes, "Per segment the hashes of its distinct tokens, by number.");
    module.def("tokenize", &tokenize, py::arg("text"), py::arg("tok"), py::arg("lower"), py::arg("stem"));
    module.def("number_words", &number_words, py::arg("texts"), py::arg("tok"), py::arg("lower"));
    module.def("tokens", &tokens, py::arg("hypotheses"), py::arg("references"), py::arg("tok"), py::arg("lower"),
               py::arg("stem"), py::arg("sentences"), py::arg("jobs"));
    module.def("tokens_from_lists", &tokens_from_lists, py::arg("hypotheses"), py::arg("references"),
               py::arg("hypothesis_lines") = py::none(), py::arg("reference_lines") = py::none());
    module.attr("TOKENIZERS") = py::tuple(py::cast(TokenizerOptions::tokenizers()));
    module.attr("STEMMERS") = py::tuple(py::cast(TokenizerOptions::stemmers()));
}

}  // namespace nlgauge
