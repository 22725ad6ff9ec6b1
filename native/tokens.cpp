#include "tokens.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <unordered_map>

#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

namespace {

TextView view(py::handle text, bool lower, std::vector<py::object>& owned) {
    PyObject* object = text.ptr();
    if (!PyUnicode_Check(object)) throw py::type_error("every hypothesis and reference must be a string");
    if (lower && !PyUnicode_IS_COMPACT_ASCII(object)) {
        owned.push_back(text.attr("lower")());
        object = owned.back().ptr();
    }
    return {PyUnicode_DATA(object), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)),
            static_cast<std::uint8_t>(PyUnicode_KIND(object)), static_cast<bool>(PyUnicode_IS_COMPACT_ASCII(object))};
}

}  // namespace

TextBatch gather(py::handle hypotheses, py::handle references, bool lower) {
    TextBatch batch;
    auto fast = [](py::handle sequence, const char* what) {
        PyObject* result = PySequence_Fast(sequence.ptr(), what);
        if (!result) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(result);
    };
    py::object hyps = fast(hypotheses, "hypotheses must be a list of strings");
    py::object refs = fast(references, "references must be a list of lists of strings");
    const auto n = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(hyps.ptr()));
    if (static_cast<std::size_t>(PySequence_Fast_GET_SIZE(refs.ptr())) != n)
        throw py::value_error("as many lists of references as hypotheses are needed");
    batch.texts.reserve(2 * n);
    batch.segment_text.reserve(n + 1);
    for (std::size_t s = 0; s < n; ++s) {
        batch.segment_text.push_back(batch.texts.size());
        batch.texts.push_back(view(PySequence_Fast_GET_ITEM(hyps.ptr(), s), lower, batch.owned));
        py::object list = fast(PySequence_Fast_GET_ITEM(refs.ptr(), s), "each segment needs a list of references");
        const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(list.ptr()));
        for (std::size_t j = 0; j < count; ++j)
            batch.texts.push_back(view(PySequence_Fast_GET_ITEM(list.ptr(), j), lower, batch.owned));
    }
    batch.segment_text.push_back(batch.texts.size());
    batch.owned.push_back(std::move(hyps));
    batch.owned.push_back(std::move(refs));
    return batch;
}

namespace {

using Words = std::vector<std::string>;

TokenBatch from_lists(const std::vector<Words>& hypotheses, const std::vector<std::vector<Words>>& references) {
    TokenBatch batch;
    batch.segment_vocab.push_back(0);
    batch.text_start.push_back(0);
    for (std::size_t s = 0; s < hypotheses.size(); ++s) {
        std::unordered_map<std::string, std::uint32_t> vocabulary;
        auto add = [&](const Words& words) {
            for (const auto& word : words) {
                auto [where, fresh] = vocabulary.emplace(word, static_cast<std::uint32_t>(vocabulary.size()));
                if (fresh) batch.hashes.push_back(std::hash<std::string>{}(word));
                batch.ids.push_back(where->second);
            }
            batch.text_start.push_back(batch.ids.size());
        };
        batch.segment_text.push_back(batch.text_start.size() - 1);
        add(hypotheses[s]);
        for (const auto& reference : references[s]) add(reference);
        batch.segment_vocab.push_back(batch.hashes.size());
    }
    batch.segment_text.push_back(batch.text_start.size() - 1);
    return batch;
}

}  // namespace

void bind_tokens(py::module_& module) {
    py::class_<TokenBatch>(module, "Tokens").def("__len__", &TokenBatch::size);
    module.def("tokens_from_lists", &from_lists, py::arg("hypotheses"), py::arg("references"));
}

}  // namespace nlgauge
