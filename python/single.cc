#include "single.h"

// Runs on any NumPy that pyproject.toml allows.
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <cstdint>
#include <span>
#include <vector>

namespace boon::python {
namespace {

using nb::literals::operator""_a;

// The values of an array that needs no conversion; empty for anything else.
std::span<const float> plain_vector(nb::handle given, std::size_t dim) noexcept {
  if (!PyArray_CheckExact(given.ptr())) return {};
  auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
  if (PyArray_TYPE(array) != NPY_FLOAT32 || PyArray_NDIM(array) != 1 || !PyArray_ISCARRAY_RO(array)) return {};
  if (static_cast<std::size_t>(PyArray_DIM(array, 0)) != dim) return {};
  return {static_cast<const float*>(PyArray_DATA(array)), dim};
}

nb::object new_array(std::size_t count, int type) {
  npy_intp shape[] = {static_cast<npy_intp>(count)};
  PyObject* const made = PyArray_SimpleNew(1, shape, type);
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

template <class Value>
Value* data(const nb::object& array) noexcept {
  return static_cast<Value*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}

nb::object search_one(const Index& index, nb::handle query, std::size_t k, std::size_t beam, bool exact) {
  const std::span<const float> vector = plain_vector(query, index.dim());
  if (vector.empty()) return nb::none();
  std::vector<Match> matches;
  {
    const nb::gil_scoped_release unlocked;
    matches = index.search(vector, k, {.beam = beam, .exact = exact});
  }
  const nb::object ids = new_array(matches.size(), NPY_INT64), distances = new_array(matches.size(), NPY_FLOAT32);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    data<std::int64_t>(ids)[i] = static_cast<std::int64_t>(matches[i].id);
    data<float>(distances)[i] = matches[i].distance;
  }
  return nb::make_tuple(ids, distances);
}

}  // namespace

void register_single(nb::class_<Index>& index) {
  if (_import_array() < 0) throw nb::python_error();
  index.def("search_one", &search_one, "query"_a.none(), "k"_a, "beam"_a, "exact"_a,
            nb::sig("def search_one(self, query: object, k: int, beam: int, exact: bool) -> "
                    "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]] | None"));
}

}  // namespace boon::python
