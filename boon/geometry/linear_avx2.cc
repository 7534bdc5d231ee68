// The loops of linear.h with AVX2, and without FMA, which rounds otherwise.
#include <cstddef>
#include <cstring>
#include <utility>

#include "boon/geometry/linear.h"
#include "boon/geometry/linear_tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2")
#include "boon/geometry/linear_loop.h"

namespace boon::geometry {
namespace {

struct Tag {
  static constexpr std::size_t kBytes = 32;
};

}  // namespace

constinit const LinearTable kLinearAvx2 = LinearLoop<Tag>::table();

}  // namespace boon::geometry
BOON_TARGET_END
