// Internal: the tables that distance.cc chooses from. Only the chosen one may be called.
#pragma once

#include "boon/kernels/distance.h"

namespace boon::kernels {

extern const DistanceTable kScalarTable;
extern const DistanceTable kAvx2Table;
extern const DistanceTable kAvx512Table;

}  // namespace boon::kernels
