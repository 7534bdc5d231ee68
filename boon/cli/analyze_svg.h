// The pictures of boon analyze: cosines beside the law of random directions, and distances of neighbours.
#pragma once

#include <string>

#include "boon/geometry/analysis.h"

namespace boon::cli {

// An SVG file of two panels, for light pages and dark ones. `title` may hold any text.
std::string analysis_svg(const geometry::Analysis& analysis, const std::string& title);

}  // namespace boon::cli
