// The loops of linear.h with AVX-512.
#include <cstddef>
#include <cstring>
#include <utility>

#include "boon/geometry/linear.h"
#include "boon/geometry/linear_tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/geometry/linear_loop.h"

namespace boon::geometry {
namespace {

struct Tag {
  static constexpr std::size_t kBytes = 64;
};

}  // namespace

constinit const LinearTable kLinearAvx512 = LinearLoop<Tag>::table();

}  // namespace boon::geometry
BOON_TARGET_END
