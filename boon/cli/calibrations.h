// Calibrations as the command line shows them, and the work of making one.
#pragma once

#include <string>

#include "boon/cli/app.h"
#include "boon/cli/output.h"
#include "boon/index/index.h"

namespace boon::cli {

// Index::calibrate behind a progress bar. Throws cancelled after Ctrl-C.
Calibration calibrate(Index& index, std::span<const float> queries, CalibrationOptions options);

Json to_json(const Calibration& calibration);

// A line: "k = 10, by 1,000 of its own vectors: 0.90 with beam 19, 0.95 with 37, 0.99 with 140".
std::string summary(const Calibration& calibration);

}  // namespace boon::cli
