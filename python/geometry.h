// Geometry of points for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace boon::python {

void register_geometry(nanobind::module_& m);

}  // namespace boon::python
