#include "boon/core/posix.h"

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <system_error>

namespace boon::posix {
namespace {

std::string_view advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another folder";
    case EACCES:
    case EPERM:
      return "; check the permissions of the file and of its folder";
    case EROFS:
      return "; choose another folder";
    case ENOENT:
      return "; create the folder first";
    case EFBIG:
      return "; raise the limit on file sizes (ulimit -f)";
    case EMFILE:
      return "; raise the limit on open files (ulimit -n)";
    default:
      return "";
  }
}

}  // namespace

Error io_error(std::string_view action, const std::filesystem::path& path, int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return {ErrorCode::io, fmt::format("cannot {} {}: {}{}", action, path.native(), reason, advice(error))};
}

std::filesystem::path resolve_links(const std::filesystem::path& path) {
  constexpr int kLinksMax = 40;  // as the kernel follows
  std::filesystem::path at = path;
  for (int link = 0; link < kLinksMax; ++link) {
    std::error_code not_a_link;
    const std::filesystem::path next = std::filesystem::read_symlink(at, not_a_link);
    if (not_a_link) return at;
    at = at.parent_path() / next;  // an absolute `next` replaces all
  }
  throw io_error("follow", path, ELOOP);
}

}  // namespace boon::posix
