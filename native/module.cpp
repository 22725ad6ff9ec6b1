// The Python module: each source file binds its own functions.
#include <pybind11/pybind11.h>

namespace nlgauge {
void bind_tokens(pybind11::module_& module);
void bind_bleu(pybind11::module_& module);
void bind_nist(pybind11::module_& module);
void bind_chrf(pybind11::module_& module);
void bind_rouge(pybind11::module_& module);
void bind_rouge_skip(pybind11::module_& module);
void bind_cider(pybind11::module_& module);
void bind_edit(pybind11::module_& module);
void bind_ter(pybind11::module_& module);
void bind_eed(pybind11::module_& module);
void bind_character(pybind11::module_& module);
void bind_iter(pybind11::module_& module);
void bind_yisi(pybind11::module_& module);
void bind_cder(pybind11::module_& module);
void bind_parent(pybind11::module_& module);
void bind_weighted(pybind11::module_& module);
void bind_alignment(pybind11::module_& module);
void bind_resample(pybind11::module_& module);
void bind_lanes(pybind11::module_& module);
void bind_skill(pybind11::module_& module);
void bind_meteor(pybind11::module_& module);
void bind_meteor_beam(pybind11::module_& module);
void bind_snowball(pybind11::module_& module);
void bind_wordnet(pybind11::module_& module);
void bind_transport(pybind11::module_& module);
}  // namespace nlgauge

PYBIND11_MODULE(_native, module) {
    module.doc() = "Compiled kernels of nlgauge; see nlgauge.kernels for the contract and the Python twins.";
    nlgauge::bind_tokens(module);
    nlgauge::bind_bleu(module);
    nlgauge::bind_nist(module);
    nlgauge::bind_chrf(module);
    nlgauge::bind_rouge(module);
    nlgauge::bind_rouge_skip(module);
    nlgauge::bind_cider(module);
    nlgauge::bind_edit(module);
    nlgauge::bind_ter(module);
    nlgauge::bind_eed(module);
    nlgauge::bind_character(module);
    nlgauge::bind_cder(module);
    nlgauge::bind_iter(module);
    nlgauge::bind_yisi(module);
    nlgauge::bind_parent(module);
    nlgauge::bind_weighted(module);
    nlgauge::bind_alignment(module);
    nlgauge::bind_resample(module);
    nlgauge::bind_lanes(module);
    nlgauge::bind_skill(module);
    nlgauge::bind_meteor(module);
    nlgauge::bind_meteor_beam(module);
    nlgauge::bind_snowball(module);
    nlgauge::bind_wordnet(module);
    nlgauge::bind_transport(module);
}
