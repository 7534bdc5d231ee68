// What the system calls of core share: errors with advice, calls that a signal may interrupt, links.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "boon/core/error.h"

namespace boon::posix {

// Error{io}, as "cannot write words.boon: no space left on device; free some space or choose another folder".
// `error` is an errno.
Error io_error(std::string_view action, const std::filesystem::path& path, int error);

// The result of a call that answers -1 and sets errno; a call interrupted by a signal is made again.
template <class Call>
auto retry(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// The path that the last component leads to when it is a symbolic link, whether or not anything is there.
// Throws io when links form a circle.
std::filesystem::path resolve_links(const std::filesystem::path& path);

}  // namespace boon::posix
