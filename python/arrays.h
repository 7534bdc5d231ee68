// Arrays between NumPy and boon.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <vector>

#include "boon/index/filter.h"
#include "boon/index/index.h"
#include "errors.h"

namespace boon::python {

// What boon/_arrays.py makes of what users give: rows of fp32, C order.
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IdArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const float> values(const FloatRows& rows) {
  return {rows.data(), rows.size()};
}
// Ids are not negative, so their bits are the same unsigned.
inline std::span<const Id> ids(const IdArray& array) {
  return {reinterpret_cast<const Id*>(array.data()), array.size()};
}

// A NumPy array that owns the vector's memory. The number of values is that of `shape`.
template <class Shown, class Value>
nb::ndarray<nb::numpy, Shown> to_numpy(std::vector<Value>&& data, std::initializer_list<std::size_t> shape) {
  static_assert(sizeof(Shown) == sizeof(Value));
  auto* kept = new std::vector<Value>(std::move(data));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Shown>(kept->data(), shape, owner);
}

// None, an array of ids, a mask over ids (True: may be answered), or a function of an id. The filter borrows the
// array's memory and the function; both must outlive it. Exceptions of the function land in `failure`.
Filter make_filter(const nb::object& given, Failure& failure);

}  // namespace boon::python
