#include "boon/geometry/normal.h"

#include <cmath>
#include <numbers>

namespace boon::geometry {

double portable_log(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // x = m 2^exponent, 1/2 <= m < 1; exact
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh t with |t| <= 0.172, where 11 terms of the series leave 1e-18.
  const double t = (m - 1) / (m + 1), square = t * t;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * std::numbers::ln2 + 2 * t * sum;
}

double portable_normal(Random& random) noexcept {
  for (;;) {
    const double u = 2 * random.uniform() - 1, v = 2 * random.uniform() - 1;
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

}  // namespace boon::geometry
