#include <pybind11/pybind11.h>

namespace nlgauge {
void bind_lcs(pybind11::module_&) {}
}  // namespace nlgauge
