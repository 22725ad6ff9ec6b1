#include <pybind11/pybind11.h>

namespace nlgauge {
void bind_resample(pybind11::module_&) {}
}  // namespace nlgauge
