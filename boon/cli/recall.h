// Judges answers against the exact nearest, by distance: an answer counts if it is no farther than the k-th true
// neighbour, so a tie may be broken either way.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "boon/index/index.h"
#include "boon/index/metric.h"

namespace boon::cli {

// Distance as boon defines it (metric.h), in double precision.
double exact_distance(Metric metric, std::span<const float> a, std::span<const float> b) noexcept;

// The vector of an id, good until the next call; empty where there is none.
using VectorOf = std::function<std::span<const float>(Id)>;

// Ids are the rows of a table, which is borrowed.
VectorOf rows_of(std::span<const float> base, std::size_t dim);

// The queries of one measurement and what their right answers are. Borrows the queries.
class Judge {
 public:
  // queries is count x dim; `kth_nearest` holds the id of the k-th nearest of each.
  Judge(Metric metric, std::size_t dim, std::span<const float> queries, std::span<const Id> kth_nearest, std::size_t k,
        VectorOf vector_of);

  std::size_t k() const noexcept { return k_; }
  std::size_t dim() const noexcept { return dim_; }
  std::size_t size() const noexcept { return bounds_.size(); }
  std::span<const float> query(std::size_t i) const noexcept { return queries_.subspan(i * dim_, dim_); }
  std::span<const float> queries() const noexcept { return queries_; }

  // Mean over the queries of the share of right answers among k. answers is size() x k; an id given twice counts once,
  // one that is not there (kNoId) never.
  double recall(std::span<const Id> answers) const;

 private:
  std::size_t right_answers(std::size_t query_row, std::span<const Id> answers) const;

  Metric metric_;
  std::size_t dim_;
  std::size_t k_;
  std::span<const float> queries_;
  VectorOf vector_of_;
  std::vector<double> bounds_;  // an answer to query i is right up to this distance
};

}  // namespace boon::cli
