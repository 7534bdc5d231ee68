// The comparison as a table for people, as JSON, and as a table for a README.
#pragma once

#include <span>
#include <string>

#include "bench/comparison.h"

namespace boon::bench {

// What was measured, and how to measure it again.
struct Report {
  std::string command;
  ComparisonOptions options;
  std::vector<SetResult> sets;
};

std::string to_text(const Report& report);
std::string to_markdown(const Report& report);
std::string to_json(const Report& report);

// The run of the article that boon grew from, on a set of the same size: its build time and the time of a query at
// recall@10 of at least 0.90, where boon's is the beam that is fastest there.
std::string article_text(const Report& report);

}  // namespace boon::bench
