// Internal: one table for each instruction set.
#pragma once

#include "boon/geometry/linear.h"

namespace boon::geometry {

extern const LinearTable kLinearScalar;
extern const LinearTable kLinearAvx2;
extern const LinearTable kLinearAvx512;

}  // namespace boon::geometry
