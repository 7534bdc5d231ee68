#include "boon/core/check.h"

#include <fmt/format.h>

#include <string_view>

#include "boon/core/error.h"

namespace boon {

void check_failed(const char* condition, const char* file, int line) {
  // The compiler may know the file by its full path; what stands before boon/
  // is the builder's business.
  std::string_view place = file;
  if (const auto start = place.rfind("boon/"); start != std::string_view::npos) place.remove_prefix(start);
  throw Error(ErrorCode::internal, fmt::format("this is a defect of boon, please report it: '{}' "
                                               "does not hold at {}:{}",
                                               condition, place, line));
}

}  // namespace boon
