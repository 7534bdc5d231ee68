// The loops of linear.h as every x86-64 processor runs them.
#include <cstddef>
#include <cstring>
#include <utility>

#include "boon/geometry/linear.h"
#include "boon/geometry/linear_tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("no-avx")
#include "boon/geometry/linear_loop.h"

namespace boon::geometry {
namespace {

struct Tag {
  static constexpr std::size_t kBytes = 16;
};

}  // namespace

constinit const LinearTable kLinearScalar = LinearLoop<Tag>::table();

}  // namespace boon::geometry
BOON_TARGET_END
