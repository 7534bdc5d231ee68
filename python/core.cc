// boon._core: boon::Index for Python, on arrays whose type and shape boon/_arrays.py has settled. The interpreter's
// lock is released in every call that takes long.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <tuple>

#include "arrays.h"
#include "boon/core/error.h"
#include "boon/index/index.h"
#include "boon/kernels/isa.h"
#include "codec.h"
#include "errors.h"
#include "geometry.h"
#include "knn.h"
#include "single.h"

namespace boon::python {
namespace {

using nb::literals::operator""_a;

using IdTable = nb::ndarray<nb::numpy, std::int64_t>;
using FloatTable = nb::ndarray<nb::numpy, float>;

Path path_of(const nb::bytes& path) {
  return Path(std::string(path.c_str(), path.size()));
}

void require_dim(const Index& index, const FloatRows& rows, const char* what) {
  if (rows.shape(1) != index.dim()) {
    throw Error(ErrorCode::invalid_argument, std::string(what) + " have shape (" + std::to_string(rows.shape(0)) +
                                                 ", " + std::to_string(rows.shape(1)) +
                                                 "), but the index has dimension " + std::to_string(index.dim()));
  }
}

Index* make(std::size_t dim, const std::string& metric, const std::string& kind, std::size_t neighbours,
            std::size_t build_beam, double level_mult, double alpha, std::uint64_t seed, const std::string& codes,
            const std::string& dtype) {
  return new Index(
      {.dim = dim,
       .metric = parse_metric(metric),
       .graph =
           {.neighbours = neighbours, .build_beam = build_beam, .level_mult = level_mult, .alpha = alpha, .seed = seed},
       .kind = parse_kind(kind),
       .codes = codes,
       .dtype = dtype});
}

// Looks for Ctrl-C, and asks a function of Python's, or None. Borrows all three.
Progress progress_of(const nb::object& function, Signals& signals, Failure& failure) {
  return [&](std::size_t done, std::size_t total) {
    if (!signals.none()) return false;
    if (function.is_none()) return true;
    return failure.guarded([&] {
      const nb::object answer = function(done, total);
      return answer.is_none() || nb::cast<bool>(nb::bool_(answer));
    });
  };
}

nb::ndarray<nb::numpy, std::int64_t> add(Index& index, const FloatRows& rows, const std::optional<IdArray>& given,
                                         bool replace, std::size_t threads, const nb::object& progress) {
  require_dim(index, rows, "vectors");
  Failure failure;
  Signals signals(failure);
  const AddOptions options{.threads = threads, .replace = replace, .progress = progress_of(progress, signals, failure)};
  std::vector<Id> added;
  try {
    const nb::gil_scoped_release unlocked;
    added = index.add(values(rows), given ? ids(*given) : std::span<const Id>(), options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) failure.raise();
    throw;
  }
  failure.raise();
  const std::size_t count = added.size();
  return to_numpy<std::int64_t>(std::move(added), {count});
}

SearchOptions search_options(std::size_t beam, bool exact, std::optional<float> threshold, std::size_t threads,
                             const nb::object& filter, double recall, Failure& failure) {
  SearchOptions options{.beam = beam,
                        .target_recall = recall,
                        .exact = exact,
                        .filter = make_filter(filter, failure),
                        .threads = threads};
  if (threshold) options.max_distance = *threshold;
  return options;
}

std::tuple<IdTable, FloatTable, std::vector<std::size_t>> search(const Index& index, const FloatRows& queries,
                                                                 std::size_t k, std::size_t beam, bool exact,
                                                                 std::optional<float> threshold, std::size_t threads,
                                                                 const nb::object& filter, double recall) {
  require_dim(index, queries, "queries");
  Failure failure;
  Signals signals(failure);
  SearchOptions options = search_options(beam, exact, threshold, threads, filter, recall, failure);
  options.progress = [&](std::size_t, std::size_t) { return signals.none(); };
  const std::size_t count = queries.shape(0);
  Matches all;
  try {
    const nb::gil_scoped_release unlocked;
    all = index.search_many(values(queries), k, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) failure.raise();
    throw;
  }
  failure.raise();
  return {to_numpy<std::int64_t>(std::move(all.ids), {count, k}), to_numpy<float>(std::move(all.distances), {count, k}),
          std::move(all.counts)};
}

// Answers of one query as two arrays.
std::tuple<IdTable, FloatTable> as_arrays(const std::vector<Match>& matches) {
  std::vector<Id> found(matches.size());
  std::vector<float> distances(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    found[i] = matches[i].id;
    distances[i] = matches[i].distance;
  }
  return {to_numpy<std::int64_t>(std::move(found), {matches.size()}),
          to_numpy<float>(std::move(distances), {matches.size()})};
}

std::tuple<IdTable, FloatTable> search_range(const Index& index, const FloatRows& query, float threshold,
                                             std::size_t beam, bool exact, const nb::object& filter, double recall) {
  require_dim(index, query, "queries");
  Failure failure;
  const SearchOptions options = search_options(beam, exact, threshold, 1, filter, recall, failure);
  std::vector<Match> matches;
  {
    const nb::gil_scoped_release unlocked;
    matches = index.search_range(values(query), options);
  }
  failure.raise();
  return as_arrays(matches);
}

FloatTable get(const Index& index, const IdArray& wanted) {
  std::vector<float> rows;
  {
    const nb::gil_scoped_release unlocked;
    rows.reserve(wanted.size() * index.dim());
    for (const Id id : ids(wanted)) {
      const std::vector<float> row = index.get(id);
      rows.insert(rows.end(), row.begin(), row.end());
    }
  }
  return to_numpy<float>(std::move(rows), {wanted.size(), index.dim()});
}

nb::dict statistics(const Index& index) {
  IndexStatistics s;
  {
    const nb::gil_scoped_release unlocked;
    s = index.statistics();
  }
  nb::dict result;
  result["live"] = s.live;
  result["deleted"] = s.deleted;
  result["free"] = s.free;
  result["twins"] = s.twins;
  result["unreachable"] = s.unreachable;
  result["level_sizes"] = nb::cast(s.level_sizes);
  result["mean_degree"] = s.mean_degree;
  result["max_degree"] = s.max_degree;
  result["component"] = nb::cast(s.component);
  result["vector_bytes"] = s.vector_bytes;
  result["code_bytes"] = s.code_bytes;
  result["graph_bytes"] = s.graph_bytes;
  result["id_bytes"] = s.id_bytes;
  result["exact_bytes"] = s.exact_bytes;
  result["total_bytes"] = s.total_bytes();
  return result;
}

nb::dict check(const Index& index, std::size_t sample, std::size_t threads) {
  IndexHealth health;
  {
    const nb::gil_scoped_release unlocked;
    health = index.check(sample, threads);
  }
  nb::dict result;
  result["healthy"] = health.healthy();
  result["checked"] = health.checked;
  result["not_found"] = health.not_found;
  result["widened"] = health.widened;
  result["unreachable"] = health.unreachable;
  result["broken_links"] = health.broken_links;
  return result;
}

nb::dict as_dict(const Calibration& calibration) {
  nb::list points;
  for (const CalibrationPoint& point : calibration.points) {
    nb::dict entry;
    entry["beam"] = point.beam;
    entry["recall"] = point.recall;
    entry["recall_min"] = point.recall_min;
    points.append(entry);
  }
  nb::dict result;
  result["k"] = calibration.k;
  result["queries"] = calibration.queries;
  result["own_rows"] = calibration.own_rows;
  result["live"] = calibration.live;
  result["changed"] = calibration.changed;
  result["stale"] = calibration.stale();
  result["points"] = points;
  return result;
}

nb::dict calibrate(Index& index, const std::optional<FloatRows>& queries, std::size_t k, std::size_t sample,
                   std::size_t threads, std::uint64_t seed, const nb::object& progress) {
  if (queries) require_dim(index, *queries, "queries");
  Failure failure;
  Signals signals(failure);
  const CalibrationOptions options{
      .k = k, .sample = sample, .threads = threads, .seed = seed, .progress = progress_of(progress, signals, failure)};
  Calibration made;
  try {
    const nb::gil_scoped_release unlocked;
    made = index.calibrate(queries ? values(*queries) : std::span<const float>(), options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) failure.raise();
    throw;
  }
  return as_dict(made);
}

nb::list calibrations(const Index& index) {
  std::vector<Calibration> all;
  {
    const nb::gil_scoped_release unlocked;
    all = index.calibrations();
  }
  nb::list result;
  for (const Calibration& calibration : all) result.append(as_dict(calibration));
  return result;
}

nb::bytes attachment(const Index& index, std::string_view name) {
  const Bytes bytes = index.attachment(name);
  return nb::bytes(bytes.data(), bytes.size());
}

void attach(Index& index, std::string_view name, const nb::bytes& bytes) {
  std::vector<std::byte> copy(bytes.size());
  if (!copy.empty()) std::memcpy(copy.data(), bytes.c_str(), copy.size());
  index.attach(name, std::move(copy));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of boon; use the package boon.";
  register_errors();
  m.def(
      "version", [] { return std::string(BOON_VERSION); }, "Version of boon.");
  m.def(
      "isa", [] { return std::string(kernels::name(kernels::isa_in_use())); }, "Instruction set in use.");

  register_knn(m);
  register_codec(m);
  register_geometry(m);

  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Index> index(m, "Index");
  register_single(index);
  index
      .def(
          "__init__",
          [](Index* self, std::size_t dim, const std::string& metric, const std::string& kind, std::size_t neighbours,
             std::size_t build_beam, double level_mult, double alpha, std::uint64_t seed, const std::string& codes,
             const std::string& dtype) {
            const std::unique_ptr<Index> made(
                make(dim, metric, kind, neighbours, build_beam, level_mult, alpha, seed, codes, dtype));
            new (self) Index(std::move(*made));
          },
          "dim"_a, "metric"_a, "kind"_a, "neighbours"_a, "build_beam"_a, "level_mult"_a, "alpha"_a, "seed"_a, "codes"_a,
          "dtype"_a)
      .def_static(
          "load",
          [](const nb::bytes& path) {
            const Path file = path_of(path);
            nb::gil_scoped_release unlocked;
            return Index::load(file);
          },
          "path"_a)
      .def_static(
          "view",
          [](const nb::bytes& path) {
            const Path file = path_of(path);
            nb::gil_scoped_release unlocked;
            return Index::view(file);
          },
          "path"_a)
      .def(
          "save",
          [](const Index& index, const nb::bytes& path) {
            const Path file = path_of(path);
            nb::gil_scoped_release unlocked;
            index.save(file);
          },
          "path"_a)
      .def("add", &add, "vectors"_a, "ids"_a.none(), "replace"_a, "threads"_a, "progress"_a.none())
      .def(
          "remove",
          [](Index& index, const IdArray& given) {
            nb::gil_scoped_release unlocked;
            return index.remove(ids(given));
          },
          "ids"_a)
      .def("search", &search, "queries"_a, "k"_a, "beam"_a, "exact"_a, "threshold"_a.none(), "threads"_a,
           "filter"_a.none(), "recall"_a = 0.0)
      .def("search_range", &search_range, "query"_a, "threshold"_a, "beam"_a, "exact"_a, "filter"_a.none(), "recall"_a)
      .def("get", &get, "ids"_a)
      .def(
          "contains", [](const Index& index, std::uint64_t id) { return index.contains(id); }, "id"_a, Unlocked())
      .def("ids",
           [](const Index& index) {
             std::vector<Id> all;
             {
               const nb::gil_scoped_release unlocked;
               all = index.ids();
             }
             const std::size_t count = all.size();
             return to_numpy<std::int64_t>(std::move(all), {count});
           })
      .def("compact", &Index::compact, Unlocked())
      .def("calibrate", &calibrate, "queries"_a.none(), "k"_a, "sample"_a, "threads"_a, "seed"_a, "progress"_a.none())
      .def("calibrations", &calibrations)
      .def("statistics", &statistics)
      .def("check", &check, "sample"_a, "threads"_a)
      .def("attach", &attach, "name"_a, "bytes"_a)
      .def("attachment", &attachment, "name"_a)
      .def("__len__", &Index::size)
      .def_prop_ro("dim", &Index::dim)
      .def_prop_ro("metric", [](const Index& index) { return std::string(name(index.metric())); })
      .def_prop_ro("kind", [](const Index& index) { return std::string(name(index.kind())); })
      .def_prop_ro("read_only", &Index::read_only)
      .def_prop_ro("codes",
                   [](const Index& index) {
                     // It waits for a writer, who may wait for a search that asks a filter of Python's.
                     const nb::gil_scoped_release unlocked;
                     return index.codes();
                   })
      .def_prop_ro("dtype", [](const Index& index) { return index.options().dtype; })
      .def_prop_ro("neighbours", [](const Index& index) { return index.options().graph.neighbours; })
      .def_prop_ro("build_beam", [](const Index& index) { return index.options().graph.build_beam; })
      .def_prop_ro("level_mult", [](const Index& index) { return index.options().graph.level_mult; })
      .def_prop_ro("alpha", [](const Index& index) { return index.options().graph.alpha; })
      .def_prop_ro("seed", [](const Index& index) { return index.options().graph.seed; });
}

}  // namespace boon::python
