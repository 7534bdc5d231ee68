// How far codes of vectors can be trusted on given points: where the true nearest rows stand when rows are ranked by
// their codes (codec/codec.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "boon/geometry/points.h"
#include "boon/kernels/knn.h"

namespace boon::geometry {

enum class TrialCode {
  int8,    // the codec int8: 8 bits a component
  nvfp4,   // nvfp4: 4 bits and a scale of 8 bits for each 16, so 4.5
  binary,  // rabitq1: the sign of each component less the mean, 1 bit
};

// "int8", "nvfp4", "1-bit".
std::string_view name(TrialCode code) noexcept;

// How well a code ranks rows.
struct CodecRanking {
  // The share of the exact 10 nearest that are among the first 10 by code: recall@10 without ranking again.
  double recall = 0;
  double among_twenty = 0;  // and among the first 20
  // How many candidates must be ranked again by exact distances for a recall@10 of 0.99.
  std::size_t candidates = 0;
};

struct CodecTrial {
  TrialCode code = TrialCode::int8;
  double bits = 0;       // a component, without what a record holds for the whole row
  CodecRanking plain;    // of rows as they are, which is how an index holds them
  CodecRanking rotated;  // of rows less their mean, rotated at random
};

// Rows are encoded and scored against queries, up to 200 of the rows themselves, by the codec. All three codes, or none
// where there are fewer than 100 rows or more than codec::kDimMax dimensions. Larger sets are harder: more rows lie
// between a true neighbour and the query. l2 or inner_product; for the cosine give rows of length 1 and l2. O(queries *
// count * dim).
std::vector<CodecTrial> try_codecs(const Points& points, kernels::KnnSpace space, std::uint64_t seed = 1);

}  // namespace boon::geometry
