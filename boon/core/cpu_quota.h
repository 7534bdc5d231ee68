// How many processors a control group pays for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace boon {

// The smallest cpu.max (cgroup v2) from `root` down to `group`, such as "/system.slice/boon", in processors, rounded
// up and at least 1. SIZE_MAX where none is set or readable.
std::size_t cpu_quota(const std::filesystem::path& root, std::string_view group);

}  // namespace boon
