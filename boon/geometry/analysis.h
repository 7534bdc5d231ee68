// All that this module measures of a set of points, in one go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "boon/core/progress.h"
#include "boon/geometry/codec_trial.h"
#include "boon/geometry/components.h"
#include "boon/geometry/concentration.h"
#include "boon/geometry/cosines.h"
#include "boon/geometry/distortion.h"
#include "boon/geometry/hubness.h"
#include "boon/geometry/intrinsic.h"
#include "boon/geometry/points.h"
#include "boon/kernels/knn.h"

namespace boon::geometry {

struct AnalysisOptions {
  // Which rows are near. Under the cosine rows are scaled to length 1 first, and those of zeros are left out; distances
  // are then lengths of chords. Under the inner product, which has no distances, hubs and codes are those of products,
  // and all else is measured as for l2.
  kernels::KnnSpace space = kernels::KnnSpace::l2;
  // Rows whose neighbours are looked for, among all rows; hubs and codes are measured among these rows alone.
  std::size_t sample = 5000;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: all there are. They change nothing in the result
};

// Of squared distances, for the lemma.
inline constexpr double kSafeError = 0.3;

struct Analysis {
  std::size_t rows = 0;
  std::size_t dim = 0;
  std::size_t copies = 0;     // rows that equal one before them, once scaled under the cosine; they are looked at once
  std::size_t different = 0;  // the rows that are looked at: without copies and, under the cosine, without zeros
  std::size_t sample = 0;     // rows whose neighbours were looked for
  std::size_t hub_k = 10;     // neighbours that hubness counts
  Components components;      // of all rows, as they are
  std::optional<IntrinsicDimension> two_nearest;         // nothing: there is none to be seen
  std::optional<IntrinsicDimension> maximum_likelihood;  // from 10 neighbours
  Cosines cosines;                                       // of pairs drawn from all rows
  Cosines centred_cosines;                               // of the same, less the mean
  Concentration concentration;
  Hubness hubness;
  std::vector<double> nearest;  // distances of the sample's rows to their nearest, sorted
  std::vector<double> tenth;    // and to their tenth
  // (sum of eigenvalues)^2 / sum of their squares of the sample's covariance: along how many directions it spreads.
  double spread_dim = 0;
  // Into a half, a quarter and an eighth of the dimension, and last, where its matrix is not too large, into the one
  // that the lemma of Johnson and Lindenstrauss finds safe for an error of kSafeError.
  std::vector<Distortion> projections;
  std::vector<CodecTrial> codecs;
};

// Throws invalid_argument for no rows, a dimension out of range or a value that is not finite (with row and component),
// out_of_memory, and cancelled. No number in the result is NaN, whatever the points.
Analysis analyse(const Points& points, const AnalysisOptions& options = {}, const Progress& progress = {});

}  // namespace boon::geometry
