// What a calibration is asked for, and what it finds: the recall that walks of an index reach, beam by beam.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/core/progress.h"

namespace boon {

struct CalibrationOptions {
  // Answers to each query. A search for fewer takes the same beams, one for more wider ones in proportion.
  std::size_t k = 10;
  // Rows of the index that stand for queries where none are given, if it has as many. A recall is vouched for up to
  // about 1 - 3/sample: 0.9967 with 1,000.
  std::size_t sample = 1000;
  std::size_t threads = 0;      // 0: all cores; what is found is the same on any number
  std::uint64_t seed = 2026;    // of the rows drawn
  Progress progress = nullptr;  // queries asked, and the most there will be; must not call the index

  // Throws Error{invalid_argument} that names the field and its range.
  void validate() const;
};

struct CalibrationPoint {
  std::size_t beam = 0;
  double recall = 0;      // mean over the queries
  double recall_min = 0;  // what it is at least, with a confidence of 95%
  friend bool operator==(const CalibrationPoint&, const CalibrationPoint&) = default;
};

// Recall at k by rising beam, and never falling: beams that gain nothing, nor are vouched for higher, are left out.
struct Calibration {
  std::size_t k = 0;
  std::size_t queries = 0;
  bool own_rows = false;    // rows of the index stood for queries
  std::size_t live = 0;     // vectors when it was made
  std::size_t changed = 0;  // added, replaced or removed since
  std::vector<CalibrationPoint> points;

  // Too much has changed for it to be used.
  bool stale() const noexcept { return changed > live / 10; }
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace boon
