// Exact nearest neighbours for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace boon::python {

void register_knn(nanobind::module_& m);

}  // namespace boon::python
