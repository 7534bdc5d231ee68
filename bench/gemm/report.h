// The figures as tables for people, as JSON, and as the part of a page that stands between marks.
#pragma once

#include <string>
#include <vector>

#include "bench/gemm/loading.h"
#include "bench/gemm/measure.h"

namespace boon::bench::gemm {

struct SystemDescription {
  std::string name;
  std::string details;
};

// What was measured, and how to measure it again.
struct Report {
  std::string command;
  MeasureOptions options;
  std::vector<SystemDescription> systems;
  std::vector<Missing> missing;
  std::vector<CaseFigures> cases;
};

std::string to_text(const Report& report);
std::string to_markdown(const Report& report);
std::string to_json(const Report& report);

// The page with the report in place of what stands between its marks. Throws not_found if it has none.
std::string with_report(const std::string& page, const Report& report);

}  // namespace boon::bench::gemm
