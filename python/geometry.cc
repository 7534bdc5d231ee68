// boon.geometry: intrinsic dimension of arrays, and random projections.
#include "geometry.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <tuple>

#include "arrays.h"
#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/geometry/intrinsic.h"
#include "boon/geometry/projection.h"
#include "boon/geometry/sample.h"
#include "errors.h"

namespace boon::python {
namespace {

using nb::literals::operator""_a;

geometry::Points points_of(const FloatRows& rows) noexcept {
  return {.data = rows.data(), .count = rows.shape(0), .dim = rows.shape(1)};
}

// value, low, high, points; nothing where there is no dimension to be seen.
using Dimension = std::optional<std::tuple<double, double, double, std::size_t>>;

Dimension intrinsic_dimension(const FloatRows& rows, bool two_nearest, std::size_t neighbours, double discarded,
                              std::size_t sample, std::uint64_t seed, std::size_t threads) {
  Failure failure;
  std::optional<geometry::IntrinsicDimension> found;
  try {
    const nb::gil_scoped_release unlocked;
    Signals signals(failure);
    const geometry::Points points = points_of(rows);
    geometry::check_points(points);
    const geometry::PointSet own = geometry::gather(points, geometry::distinct_rows(points));
    const std::size_t wanted = sample == 0 ? std::numeric_limits<std::size_t>::max() : sample;
    const geometry::Neighbours near = geometry::find_neighbours(
        own.points(), geometry::sample_rows(own.size(), wanted, seed), neighbours, kernels::KnnSpace::l2, threads,
        [&](std::size_t, std::size_t) { return signals.none(); });
    found = two_nearest ? geometry::two_nearest(near, discarded, seed) : geometry::maximum_likelihood(near, seed);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) failure.raise();
    throw;
  }
  if (!found) return std::nullopt;
  return std::tuple(found->dimension.value, found->dimension.low, found->dimension.high, found->points);
}

nb::ndarray<nb::numpy, float> project(const geometry::Projection& projection, const FloatRows& rows,
                                      std::size_t threads) {
  const std::size_t target = projection.options().target;
  std::vector<float> projected;
  {
    const nb::gil_scoped_release unlocked;
    projected.resize(rows.shape(0) * target);
    ThreadPool pool(threads);
    projection.forward(points_of(rows), projected.data(), &pool);
  }
  return to_numpy<float>(std::move(projected), {rows.shape(0), target});
}

}  // namespace

void register_geometry(nb::module_& m) {
  nb::class_<geometry::Projection>(m, "Projection")
      .def(
          "__init__",
          [](geometry::Projection* self, std::size_t dim, std::size_t target, bool sparse, std::uint64_t seed) {
            new (self) geometry::Projection(
                {.dim = dim,
                 .target = target,
                 .seed = seed,
                 .kind = sparse ? geometry::ProjectionKind::sparse : geometry::ProjectionKind::gaussian});
          },
          "dim"_a, "target"_a, "sparse"_a, "seed"_a)
      .def("project", &project, "rows"_a, "threads"_a)
      .def("matrix", [](const geometry::Projection& projection) {
        std::vector<float> entries(projection.matrix().begin(), projection.matrix().end());
        return to_numpy<float>(std::move(entries), {projection.options().dim, projection.options().target});
      });
  m.def("intrinsic_dimension", &intrinsic_dimension, "rows"_a, "two_nearest"_a, "neighbours"_a, "discarded"_a,
        "sample"_a, "seed"_a, "threads"_a);
  m.def("johnson_lindenstrauss_dim", &geometry::johnson_lindenstrauss_dim, "points"_a, "eps"_a);
  m.def("johnson_lindenstrauss_eps", &geometry::johnson_lindenstrauss_eps, "points"_a, "target"_a);
}

}  // namespace boon::python
