// Hubness: in high dimension a few points are among the nearest of very many, and many of none.
// Radovanovic, Nanopoulos & Ivanovic, "Hubs in space", JMLR 11, 2010.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/geometry/estimate.h"
#include "boon/geometry/neighbours.h"

namespace boon::geometry {

struct Hubness {
  // The third standardised moment of the k-occurrences, bootstrapped over points: about 0 without hubs, above 1 with
  // many. 0 where all points occur equally often.
  Estimate skewness;
  double never = 0;         // share of points that are among the nearest of none
  double top_share = 0;     // share of all occurrences that the most frequent hundredth of the points has
  std::size_t largest = 0;  // occurrences of the most frequent point
};

// How often each of `count` rows is among the k nearest of the queries.
std::vector<std::uint32_t> occurrences(const Neighbours& neighbours, std::size_t count);

// Of neighbours of all rows among themselves. All zero for none.
Hubness hubness(const Neighbours& neighbours, std::size_t count, std::uint64_t seed = 1);

}  // namespace boon::geometry
