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
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "boon/core/error.h"
#include "boon/index/vector_check.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/element.h"
#include "boon/kernels/knn.h"
#include "boon/kernels/peak.h"
#include "errors.h"

// NumPy's float16, which C++20 has no type for.
template <>
struct nanobind::detail::dtype_traits<boon::kernels::Fp16> {
  static constexpr dlpack::dtype value{static_cast<std::uint8_t>(dlpack::dtype_code::Float), 16, 1};
  static constexpr auto name = const_name("float16");
};

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
  const char* const what = "base row";
  kernels::with_type(rows.element, [&]<class T>(std::type_identity<T>) {
    const auto* data = static_cast<const T*>(rows.data);
    const std::size_t stride = rows.stride_bytes / sizeof(T);
    if constexpr (std::is_same_v<T, float>) {
      check_rows(data, rows.count, rows.dim, stride, metric, what);
    } else if constexpr (!std::is_same_v<T, std::uint8_t>) {
      std::vector<float> values(rows.dim);
      for (std::size_t row = 0; row < rows.count; ++row) {
        kernels::row_distances<T>(kernels::distances()).widen(data + row * stride, rows.dim, values.data());
        check_rows(values.data(), 1, rows.dim, rows.dim, metric, what, row);
      }
    }
  });
}

// Rows of an array made ready; Python keeps the array while this lives.
class Base {
 public:
  template <class Element>
  Base(const Rows<Element>& base, const std::string& metric_name, bool codes, std::size_t threads)
      : metric_(parse_metric(metric_name)), dim_(base.shape(1)) {
    const nb::gil_scoped_release unlocked;
    const kernels::KnnRows rows = rows_of<Element>(base);
    check_base(rows, metric_);
    made_.emplace(rows,
                  kernels::KnnBaseOptions{.space = space_of(metric_), .codes = codes, .threads = threads, .isa = {}});
  }

  std::tuple<nb::ndarray<nb::numpy, std::int64_t>, nb::ndarray<nb::numpy, float>, std::size_t> search(
      const FloatRows& queries, std::size_t k, const std::optional<Words>& allowed, std::size_t threads,
      const std::string& path) const {
    const std::size_t count = queries.shape(0);
    if (queries.shape(1) != dim_) throw Error(ErrorCode::invalid_argument, "queries of another dimension");
    kernels::KnnQuery part{.stride = dim_,
                           .k = k,
                           .allowed = allowed ? allowed->data() : nullptr,
                           .threads = threads,
                           .path = path_of(path)};
    std::vector<std::uint64_t> found(count * k);
    std::vector<float> distances(count * k);
    std::size_t answers = 0;
    Failure failure;
    {
      const nb::gil_scoped_release unlocked;
      Signals signals(failure);
      check_rows(queries.data(), count, dim_, dim_, metric_, "query");
      for (std::size_t first = 0; first < count && k > 0 && signals.none(); first += kStretch) {
        part.data = queries.data() + first * dim_;
        part.count = std::min(kStretch, count - first);
        answers = kernels::knn(*made_, part, found.data() + first * k, distances.data() + first * k);
      }
    }
    failure.raise();
    return {to_numpy<std::int64_t>(std::move(found), {count, k}), to_numpy<float>(std::move(distances), {count, k}),
            answers};
  }

  std::size_t memory_bytes() const noexcept { return made_->memory_bytes(); }

 private:
  static kernels::KnnPath path_of(const std::string& wanted) {
    using enum kernels::KnnPath;
    for (const kernels::KnnPath path : {automatic, plain, rows, floats, codes}) {
      if (kernels::name(path) == wanted) return path;
    }
    throw Error(ErrorCode::invalid_argument, "there is no path " + wanted);
  }

  Metric metric_;
  std::size_t dim_;
  std::optional<kernels::KnnBase> made_;
};

}  // namespace

void register_knn(nb::module_& m) {
  nb::class_<Base>(m, "KnnBase")
      .def(nb::init<const Rows<float>&, const std::string&, bool, std::size_t>(), "base"_a.noconvert(), "metric"_a,
           "codes"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def(nb::init<const Rows<std::uint8_t>&, const std::string&, bool, std::size_t>(), "base"_a.noconvert(),
           "metric"_a, "codes"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def(nb::init<const Rows<kernels::Fp16>&, const std::string&, bool, std::size_t>(), "base"_a.noconvert(),
           "metric"_a, "codes"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def("search", &Base::search, "queries"_a, "k"_a, "allowed"_a.none(), "threads"_a, "path"_a)
      .def_prop_ro("memory_bytes", &Base::memory_bytes);
  m.def(
      "peak_gflops",
      [](double seconds) {
        const nb::gil_scoped_release unlocked;
        return kernels::measure_peak(kernels::Arithmetic::fp32, kernels::isa_in_use(), seconds).gops;
      },
      "seconds"_a, "What one thread can do with fp32 numbers at most, in 1e9 operations a second.");
}

}  // namespace boon::python
