// Pictures that commands draw into files.
#pragma once

#include <iosfwd>
#include <string_view>

#include "boon/core/file.h"

namespace boon::cli {

// A picture may be drawn again; what is none was somebody's work. Throws already_exists where `path` is such a file.
void check_svg_target(const Path& path);

// Whole or not at all, after check_svg_target(); "-" is `out`. Throws io.
void write_svg(const Path& path, std::string_view svg, std::ostream& out);

}  // namespace boon::cli
