// Codecs for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace boon::python {

void register_codec(nanobind::module_& m);

}  // namespace boon::python
