// The calibrations of an index, one for each k that was asked for: which beam takes a walk to a recall.
//
// One writer. The calls marked so need the index for themselves; the others may run beside searches.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/index/calibration.h"

namespace boon::index {

// The point of a beam by which queries reached these recalls. recall_min is the lower end of a one-sided interval of
// Agresti & Coull ("Approximate is better than 'exact' for interval estimation of binomial proportions", 1998): z^2
// queries are added, half of which found everything and half nothing, and the error of the mean is taken from the
// variance of all. The queries and not the answers are counted, as what one query misses is missed together.
CalibrationPoint point_of(std::size_t beam, std::span<const double> recalls);

// Throws invalid_argument unless the recall is between 0 and 1.
void check_target(double recall);

class RecallTables {
 public:
  // Takes the place of the calibration of the same k, and of all that are stale. Alone.
  void put(Calibration made);
  // Rows were added, replaced or removed. The writer's.
  void count_changed(std::size_t rows) noexcept { changed_.fetch_add(rows, std::memory_order_relaxed); }

  // By rising k.
  std::vector<Calibration> all() const;

  // The least beam that reaches the recall for certain (recall_min): by the table of the least k that is not below this
  // one, as it was measured, or by that of the largest k below, in proportion to k; the narrower of the two. Nothing if
  // neither does. Throws invalid_argument where there are no tables, or only stale ones.
  std::optional<std::size_t> beam_for(std::size_t k, double recall) const;

  // The section "recall" of docs/formats/index.md; nothing where there are no tables.
  std::vector<std::byte> stored() const;
  // Throws Error{corrupted} unless the tables could have been measured. Alone.
  void adopt(Bytes stored);

 private:
  bool stale(const Calibration& table) const noexcept;

  std::vector<Calibration> tables_;      // by rising k; `changed` without what is counted below
  std::atomic<std::size_t> changed_{0};  // rows, since the last call of put()
};

}  // namespace boon::index
