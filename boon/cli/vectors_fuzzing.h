// What the fuzz targets of the parsers share.
#pragma once

#include <cmath>

#include "boon/cli/vectors.h"
#include "boon/core/error.h"

namespace boon::cli {

// Ends the process unless the parser either throws Error or gives a table that keeps the promises of VectorTable.
template <class Parse>
void expect_sound_table(const Parse& parse) {
  VectorTable table;
  try {
    table = parse();
  } catch (const Error&) {
    return;
  }
  const auto fits = [&](std::size_t count) { return count == 0 || count == table.rows(); };
  bool sound = table.values.size() == table.rows() * table.dim && fits(table.names.size()) && fits(table.ids.size());
  for (const float value : table.values) sound = sound && std::isfinite(value);
  if (!sound) __builtin_trap();
}

}  // namespace boon::cli
