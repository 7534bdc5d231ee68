#include "boon/core/cpu_quota.h"

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace boon {
namespace {

constexpr std::size_t kUnlimited = SIZE_MAX;

// "150000 100000" is one and a half processors' time; "max 100000" is no limit.
std::size_t quota_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "cpu.max");
  std::uint64_t quota_us = 0;
  std::uint64_t period_us = 0;
  if (!(file >> quota_us >> period_us) || quota_us == 0 || period_us == 0) return kUnlimited;
  return (quota_us - 1) / period_us + 1;
}

}  // namespace

std::size_t cpu_quota(const std::filesystem::path& root, std::string_view group) {
  std::filesystem::path folder = root;
  std::size_t smallest = quota_of(folder);
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    folder /= part;
    smallest = std::min(smallest, quota_of(folder));
  }
  return smallest;
}

}  // namespace boon
