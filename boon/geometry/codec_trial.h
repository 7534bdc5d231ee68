// How far codes of vectors can be trusted on given points: where the true nearest rows stand when rows are ranked by
// their codes. These are plain models of the codes, to choose by; the codes themselves are elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "boon/geometry/points.h"
#include "boon/kernels/knn.h"

namespace boon::geometry {

enum class TrialCode {
  int8,    // 8 bits a component, scaled by the largest of the row
  nvfp4,   // 4 bits (E2M1) and an FP8 scale (E4M3) for each 16: 4.5 bits a component
  binary,  // the sign of each component less the mean, and a factor for the row: 1 bit
};

// "int8", "nvfp4", "1-bit".
std::string_view name(TrialCode code) noexcept;

struct CodecTrial {
  TrialCode code = TrialCode::int8;
  double bits = 0;  // a component
  // The share of the exact 10 nearest that are among the first 10 by code: recall@10 without ranking again.
  double recall = 0;
  // How many candidates must be ranked again by exact distances for a recall@10 of 0.99.
  std::size_t candidates = 0;
};

// Rows are rotated at random, encoded, and compared with queries in fp32, up to 200 of the rows themselves. All three
// codes, or none where there are fewer than 100 rows. Larger sets are harder: more rows lie between a true neighbour
// and the query. l2 or inner_product; for the cosine give rows of length 1 and l2. O(queries * count * dim).
std::vector<CodecTrial> try_codecs(const Points& points, kernels::KnnSpace space, std::uint64_t seed = 1);

}  // namespace boon::geometry
