// Synonyms of many words at a time from WordNet's files; nlgauge.lexicons.wordnet opens them and says what they hold.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace nlgauge {

namespace {

using Rules = std::vector<std::pair<std::string, std::string>>;  // ending, what takes its place

// The index, the exceptions, the rules of detachment and the data of one part of speech.
struct Part {
    explicit Part(const py::tuple& source)
        : index(source[0]), exceptions(source[1]), rules(source[2].cast<Rules>()),
          info(source[3].cast<py::buffer>().request()), adjective(source[4].cast<bool>()) {
        data = {static_cast<const char*>(info.ptr), static_cast<std::size_t>(info.size * info.itemsize)};
    }
    py::dict index, exceptions;
    Rules rules;
    py::buffer_info info;
    bool adjective;
    std::string_view data;
};

std::string_view utf8(PyObject* text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) throw py::error_already_set();
    return {bytes, static_cast<std::size_t>(size)};
}

py::object text_of(std::string_view bytes) {
    PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
    if (!text) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(text);
}

std::string_view next_field(std::string_view& line) {
    const std::size_t end = line.find(' ');
    if (end == std::string_view::npos) throw std::invalid_argument("WordNet: a line of data ends too early");
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(end + 1);
    return field;
}

std::string_view without_marker(std::string_view word) {
    for (const std::string_view marker : {"(a)", "(p)", "(ip)"})
        if (word.size() >= marker.size() && word.substr(word.size() - marker.size()) == marker)
            return word.substr(0, word.size() - marker.size());
    return word;
}

// The single words of the synset at an offset: offset, file, type, number of words (hexadecimal), words and numbers.
void add_lemmas(const Part& part, std::size_t offset, py::set& found) {
    if (offset + 17 > part.data.size()) throw std::invalid_argument("WordNet: an offset beyond the end of the data");
    std::string_view line = part.data.substr(offset + 14);
    int count = 0;
    std::from_chars(line.data(), line.data() + 2, count, 16);
    line.remove_prefix(3);
    for (int k = 0; k < count; ++k) {
        std::string_view word = next_field(line);
        next_field(line);
        if (part.adjective) word = without_marker(word);
        if (word.find('_') == std::string_view::npos) found.add(text_of(word));
    }
}

void add_form(const Part& part, py::handle form, py::set& found) {
    PyObject* offsets = PyDict_GetItemWithError(part.index.ptr(), form.ptr());
    if (!offsets) {
        if (PyErr_Occurred()) throw py::error_already_set();
        return;
    }
    const std::string_view text = utf8(offsets);
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
        std::size_t offset = 0;
        const auto [stop, error] = std::from_chars(at, end, offset);
        if (error != std::errc()) throw std::invalid_argument("WordNet: the index holds something that is no offset");
        add_lemmas(part, offset, found);
        at = stop + 1;
    }
}

void add_part(const Part& part, py::handle word, bool is_listed, std::string_view letters, py::set& found) {
    if (is_listed) {
        add_form(part, word, found);
        if (PyObject* bases = PyDict_GetItemWithError(part.exceptions.ptr(), word.ptr())) {
            for (const py::handle base : py::reinterpret_borrow<py::list>(bases)) add_form(part, base, found);
            return;
        }
        if (PyErr_Occurred()) throw py::error_already_set();
    }
    for (const auto& [ending, written] : part.rules) {
        if (letters.size() < ending.size() || letters.substr(letters.size() - ending.size()) != ending) continue;
        const std::string base = std::string(letters.substr(0, letters.size() - ending.size())) + written;
        add_form(part, text_of(base), found);
    }
}

// `words` are in lower case; `listed` has every form of every index and list of exceptions, so that most words cost one
// question and not eight.
py::list wordnet_synonyms(const py::list& words, const py::list& sources, const py::frozenset& listed) {
    std::vector<Part> parts;
    for (const py::handle source : sources) parts.emplace_back(py::reinterpret_borrow<py::tuple>(source));
    py::list result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        py::set found;
        const py::object word = words[i];
        const std::string_view letters = utf8(word.ptr());
        const bool is_listed = listed.contains(word);
        for (const Part& part : parts) add_part(part, word, is_listed, letters, found);
        result[i] = std::move(found);
    }
    return result;
}

}  // namespace

void bind_wordnet(py::module_& module) { module.def("wordnet_synonyms", &wordnet_synonyms); }

}  // namespace nlgauge
