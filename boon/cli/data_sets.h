// The benchmark sets that `./dev data` makes, found by name.
#pragma once

#include <string_view>
#include <vector>

#include "boon/cli/vectors.h"
#include "boon/core/file.h"
#include "boon/index/index.h"

namespace boon::cli {

// $BOON_DATA, else $XDG_CACHE_HOME/boon/data, else ~/.cache/boon/data: where tools/data.py puts what it makes.
Path data_folder();

// The file of a data set: a path if it has a slash or an extension, else NAME.hdf5 in `folder`. Throws not_found,
// which says how to make the set.
Path find_data_set(std::string_view name, const Path& folder);

// Which of a set's queries are used.
enum class QueryShare {
  all,
  tuning,     // every tenth: for trying things out
  reporting,  // the others: what is published was not looked at while trying things out
};

// The queries of a share, with their truth. Throws invalid_argument if the set's truth is shorter than k.
struct Queries {
  std::vector<float> values;    // count x dim
  std::vector<Id> kth_nearest;  // row of train of the k-th nearest
};
Queries take_queries(const BenchmarkSet& set, QueryShare share, std::size_t k);

}  // namespace boon::cli
