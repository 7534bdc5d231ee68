// The regularised incomplete beta function, of which the masses of caps, shells and slabs of balls are values.
#pragma once

namespace boon::geometry {

// ln Gamma(x) for x > 0 (Lanczos' approximation with g = 7 and 9 terms). The error is below 1e-14 times the value, or
// 1e-14 where the value is less than 1: near 1 and 2, where it is 0, fewer digits are right.
double log_gamma(double x) noexcept;

// I_x(a, b): the probability that a beta variable with the parameters a, b > 0 is at most x. By Lentz's continued
// fraction (Numerical Recipes, 6.4): absolute error below 1e-11 for a, b up to 10^3, below 1e-8 for 10^6. x is clamped
// to [0, 1].
double incomplete_beta(double a, double b, double x) noexcept;

}  // namespace boon::geometry
