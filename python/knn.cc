// boon.knn: exact nearest neighbours in arrays, without an index.
#include "knn.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "arrays.h"
#include "boon/core/error.h"
#include "boon/index/vector_check.h"
#include "boon/kernels/knn.h"
#include "errors.h"

namespace boon::python {
namespace {

using nb::literals::operator""_a;

// Rows may lie apart; the components of one follow each other.
template <class Element>
using Rows = nb::ndarray<const Element, nb::ndim<2>, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Queries between two looks for Ctrl-C.
constexpr std::size_t kStretch = 1024;

kernels::KnnSpace space_of(Metric metric) noexcept {
  if (metric == Metric::cosine) return kernels::KnnSpace::cosine;
  return metric == Metric::l2 ? kernels::KnnSpace::l2 : kernels::KnnSpace::inner_product;
}

template <class Element>
kernels::KnnRows rows_of(const Rows<Element>& base) {
  if (base.shape(0) == 0) return kernels::KnnRows::of(base.data(), 0, base.shape(1));  // its strides say nothing
  if (base.shape(1) > 1 && base.stride(1) != 1) {
    throw Error(ErrorCode::invalid_argument, "the components of a row of base must follow each other");
  }
  const std::size_t dim = base.shape(1);
  const std::int64_t stride = base.shape(0) > 1 ? base.stride(0) : static_cast<std::int64_t>(dim);
  if (stride < static_cast<std::int64_t>(dim)) {
    throw Error(ErrorCode::invalid_argument, "the rows of base overlap");
  }
  return kernels::KnnRows::of(base.data(), base.shape(0), dim, static_cast<std::size_t>(stride));
}

void check_base(const kernels::KnnRows& rows, Metric metric) {
  if (rows.bytes) return;
  const auto* data = static_cast<const float*>(rows.data);
  check_rows(data, rows.count, rows.dim, rows.stride_bytes / sizeof(float), metric, "base row");
}

template <class Element>
std::tuple<nb::ndarray<nb::numpy, std::int64_t>, nb::ndarray<nb::numpy, float>, std::size_t> knn(
    const Rows<Element>& base, const FloatRows& queries, std::size_t k, const std::string& metric_name,
    const std::optional<Words>& allowed, std::size_t threads) {
  const Metric metric = parse_metric(metric_name);
  const std::size_t count = queries.shape(0), dim = queries.shape(1);
  std::vector<std::uint64_t> found(count * k);
  std::vector<float> distances(count * k);
  std::size_t answers = 0;
  Failure failure;
  {
    const nb::gil_scoped_release unlocked;
    Signals signals(failure);
    const kernels::KnnRows rows = rows_of<Element>(base);
    check_base(rows, metric);
    check_rows(queries.data(), count, dim, dim, metric, "query");
    if (count > 0 && k > 0) {
      const kernels::KnnBase made(rows, {.space = space_of(metric), .codes = count > 1, .threads = threads});
      for (std::size_t first = 0; first < count && signals.none(); first += kStretch) {
        const std::size_t part = std::min(kStretch, count - first);
        answers = kernels::knn(made,
                               {.data = queries.data() + first * dim,
                                .count = part,
                                .k = k,
                                .allowed = allowed ? allowed->data() : nullptr,
                                .threads = threads},
                               found.data() + first * k, distances.data() + first * k);
      }
    }
  }
  failure.raise();
  return {to_numpy<std::int64_t>(std::move(found), {count, k}), to_numpy<float>(std::move(distances), {count, k}),
          answers};
}

}  // namespace

void register_knn(nb::module_& m) {
  m.def("knn", &knn<float>, "base"_a.noconvert(), "queries"_a, "k"_a, "metric"_a, "allowed"_a.none(), "threads"_a);
  m.def("knn_bytes", &knn<std::uint8_t>, "base"_a.noconvert(), "queries"_a, "k"_a, "metric"_a, "allowed"_a.none(),
        "threads"_a);
}

}  // namespace boon::python
