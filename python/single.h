// A search for one vector with as little around it as can be: a query may take some ten microseconds, and arrays that
// are checked and made by general means one or two more.
#pragma once

#include <nanobind/nanobind.h>

#include "boon/index/index.h"

namespace boon::python {

namespace nb = nanobind;

// Index.search_one: a pair of arrays, ids and distances, or None where `query` is anything but an aligned array of
// fp32, C order and shape (dim,).
void register_single(nb::class_<Index>& index);

}  // namespace boon::python
