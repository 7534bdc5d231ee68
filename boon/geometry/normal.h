// Standard normal numbers of which the bits are the same on every machine, unlike those of Random::normal(): a random
// matrix is stored as its seed.
#pragma once

#include "boon/core/random.h"

namespace boon::geometry {

// ln x for x in (0, 1], by frexp, additions, multiplications and divisions alone, each of which is exact or rounded
// correctly; relative error below 1e-15.
double portable_log(double x) noexcept;

// By the polar method (Marsaglia & Bray, SIAM Review 6(3), 1964).
double portable_normal(Random& random) noexcept;

}  // namespace boon::geometry
