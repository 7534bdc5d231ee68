#include "boon/graph/options.h"

#include <cmath>
#include <string>

#include "boon/core/error.h"

namespace boon::graph {
namespace {

void require(bool fine, const char* field, const std::string& given, const char* range) {
  if (!fine) {
    throw Error(ErrorCode::invalid_argument, std::string(field) + " is " + given + ", but it must be " + range);
  }
}

}  // namespace

void HnswOptions::validate() const {
  require(neighbours >= 2 && neighbours <= 512, "neighbours (M)", std::to_string(neighbours), "from 2 to 512");
  require(build_beam >= 1 && build_beam <= 65536, "build_beam (ef_construction)", std::to_string(build_beam),
          "from 1 to 65536");
  require(level_mult == 0 || (std::isfinite(level_mult) && level_mult > 1), "level_mult", std::to_string(level_mult),
          "larger than 1, or 0 for the default");
  require(alpha >= 1 && alpha <= 4, "alpha", std::to_string(alpha), "from 1 to 4");
}

}  // namespace boon::graph
