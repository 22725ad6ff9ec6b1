// The Python module: each source file binds its own functions.
#include <pybind11/pybind11.h>

namespace nlgauge {
void bind_tokens(pybind11::module_& module);
void bind_bleu(pybind11::module_& module);
void bind_nist(pybind11::module_& module);
void bind_chrf(pybind11::module_& module);
void bind_rouge(pybind11::module_& module);
void bind_edit(pybind11::module_& module);
void bind_ter(pybind11::module_& module);
void bind_resample(pybind11::module_& module);
void bind_skill(pybind11::module_& module);
void bind_meteor(pybind11::module_& module);
void bind_meteor_beam(pybind11::module_& module);
}  // namespace nlgauge

PYBIND11_MODULE(_native, module) {
    module.doc() = "Compiled kernels of nlgauge; see nlgauge.kernels for the contract and the Python twins.";
    nlgauge::bind_tokens(module);
    nlgauge::bind_bleu(module);
    nlgauge::bind_nist(module);
    nlgauge::bind_chrf(module);
    nlgauge::bind_rouge(module);
    nlgauge::bind_edit(module);
    nlgauge::bind_ter(module);
    nlgauge::bind_resample(module);
    nlgauge::bind_skill(module);
    nlgauge::bind_meteor(module);
    nlgauge::bind_meteor_beam(module);
}
