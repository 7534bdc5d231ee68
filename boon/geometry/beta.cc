#include "boon/geometry/beta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace boon::geometry {
namespace {

// The continued fraction of I_x(a, b), which converges fast for x < (a + 1) / (a + b + 2).
double continued_fraction(double a, double b, double x) noexcept {
  constexpr double kTiny = 1e-300, kPrecision = 1e-16;
  constexpr int kTermsMax = 100'000;  // at x = 1/2, a = b = 100 needs 27 and a = b = 10^6 needs 526
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m <= kTermsMax; ++m) {
    const double even = m * (b - m) * x / ((a - 1 + 2 * m) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 1 + 2 * m));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return fraction;
}

}  // namespace

// std::lgamma sets a global variable, which threads would share.
double log_gamma(double x) noexcept {
  constexpr std::array kTerms{676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                              12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  if (x < 0.5) return std::log(std::numbers::pi / std::sin(std::numbers::pi * x)) - log_gamma(1 - x);
  double sum = 0.99999999999980993;
  for (std::size_t i = 0; i < kTerms.size(); ++i) sum += kTerms[i] / (x + static_cast<double>(i));
  const double t = x + 6.5;
  return 0.5 * std::log(2 * std::numbers::pi) + (x - 0.5) * std::log(t) - t + std::log(sum);
}

double incomplete_beta(double a, double b, double x) noexcept {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x);
  const double front = std::exp(log_front);
  const double value = x < (a + 1) / (a + b + 2) ? front * continued_fraction(a, b, x) / a
                                                 : 1 - front * continued_fraction(b, a, 1 - x) / b;
  return std::clamp(value, 0.0, 1.0);
}

}  // namespace boon::geometry
