#include "boon/core/random.h"

#include <cmath>
#include <numbers>

namespace boon {

double Random::normal() noexcept {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - uniform() is in (0, 1]
  const double angle = 2.0 * std::numbers::pi * uniform();
  return radius * std::cos(angle);
}

}  // namespace boon
