#include "boon/geometry/ball.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "boon/geometry/beta.h"

namespace boon::geometry {
namespace {

double as_double(std::size_t d) noexcept {
  return static_cast<double>(d);
}

// P(|cos| > c), without the cancellation of 1 - P(|cos| <= c).
double beyond(std::size_t d, double c) noexcept {
  if (d == 1) return c < 1 ? 1 : 0;
  return incomplete_beta((as_double(d) - 1) / 2, 0.5, 1 - c * c);
}

}  // namespace

double ball_volume(std::size_t d) noexcept {
  return std::exp(as_double(d) / 2 * std::log(std::numbers::pi) - log_gamma(as_double(d) / 2 + 1));
}

double shell_mass(std::size_t d, double depth) noexcept {
  if (depth >= 1) return 1;
  return -std::expm1(as_double(d) * std::log1p(-std::max(depth, 0.0)));
}

double half_shell_depth(std::size_t d) noexcept {
  return -std::expm1(-std::numbers::ln2 / as_double(d));
}

double half_shell_bound(std::size_t d) noexcept {
  return std::numbers::ln2 / as_double(d);
}

double slab_mass_bound(std::size_t d, double t) noexcept {
  return std::erf(t * std::sqrt((as_double(d) - 1) / 2));
}

double equator_width(std::size_t d) noexcept {
  return std::min(1.0, 2 / std::sqrt(as_double(d)));
}

double ball_slab_mass(std::size_t d, double t) noexcept {
  return incomplete_beta(0.5, (as_double(d) + 1) / 2, t * t);
}

double sphere_slab_mass(std::size_t d, double t) noexcept {
  if (d == 1) return t >= 1 ? 1 : 0;
  return incomplete_beta(0.5, (as_double(d) - 1) / 2, t * t);
}

double cosine_probability(std::size_t d, double c) noexcept {
  if (c < -1) return 0;
  if (c >= 1) return 1;
  if (d == 1) return 0.5;
  const double tail = beyond(d, std::abs(c)) / 2;
  return c < 0 ? tail : 1 - tail;
}

double cosine_density(std::size_t d, double c) noexcept {
  if (d == 1 || !(std::abs(c) < 1)) return 0;
  const double a = (as_double(d) - 1) / 2;
  return std::exp(log_gamma(a + 0.5) - log_gamma(a) - log_gamma(0.5) + (a - 1) * std::log1p(-c * c));
}

double near_orthogonal_count(std::size_t d, double c) noexcept {
  const double probability = beyond(d, c);
  if (probability <= 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(2 / probability);
}

}  // namespace boon::geometry
