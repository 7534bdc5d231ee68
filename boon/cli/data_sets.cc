#include "boon/cli/data_sets.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr std::size_t kTuningStride = 10;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool taken(QueryShare share, std::size_t row) noexcept {
  return share == QueryShare::all || (row % kTuningStride == 0) == (share == QueryShare::tuning);
}

}  // namespace

Path data_folder() {
  if (const std::string folder = environment("BOON_DATA"); !folder.empty()) return folder;
  const Path cache = environment("XDG_CACHE_HOME");
  return (cache.is_absolute() ? cache : Path(environment("HOME")) / ".cache") / "boon" / "data";
}

Path find_data_set(std::string_view name, const Path& folder) {
  const Path given(name);
  const bool is_path = given.has_parent_path() || given.has_extension();
  Path path = is_path ? given : folder / fmt::format("{}.hdf5", name);
  if (std::filesystem::exists(path)) return path;
  throw Error(ErrorCode::not_found,
              is_path ? fmt::format("{} is not there", path.native())
                      : fmt::format("no data set {} in {}; to make it: ./dev data {}", name, folder.native(), name));
}

Queries take_queries(const BenchmarkSet& set, QueryShare share, std::size_t k) {
  if (k == 0 || k > set.truth_k) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("k is {}, and the set knows the {} nearest of each query", k, set.truth_k));
  }
  Queries taken_queries;
  const std::size_t dim = set.test.dim;
  for (std::size_t row = 0; row < set.test.rows(); ++row) {
    if (!taken(share, row)) continue;
    const float* values = set.test.values.data() + row * dim;
    taken_queries.values.insert(taken_queries.values.end(), values, values + dim);
    taken_queries.kth_nearest.push_back(static_cast<Id>(set.neighbours[row * set.truth_k + k - 1]));
  }
  return taken_queries;
}

}  // namespace boon::cli
