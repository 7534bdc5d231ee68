#include "boon/cli/svg_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "boon/core/bytes.h"
#include "boon/core/error.h"

namespace boon::cli {

void check_svg_target(const Path& path) {
  if (path == "-" || !std::filesystem::is_regular_file(path)) return;
  constexpr std::string_view kBegin = "<svg";
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (!text.empty() && !text.starts_with(kBegin)) {
    throw Error(ErrorCode::already_exists, fmt::format("{} exists already and is no SVG picture", path.native()));
  }
}

void write_svg(const Path& path, std::string_view svg, std::ostream& out) {
  if (path == "-") {
    out << svg;
    return;
  }
  check_svg_target(path);
  AtomicFile file(path);
  file.write(as_bytes(svg.data(), svg.size()));
  file.commit();
}

}  // namespace boon::cli
