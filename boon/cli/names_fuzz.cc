// Any bytes are refused as corrupted or are exactly what serialise() writes for the names read from them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "boon/cli/names.h"
#include "boon/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const boon::Bytes bytes = boon::as_bytes(data, size);
  boon::cli::Names names;
  try {
    names = boon::cli::Names::parse(bytes);
  } catch (const boon::Error& error) {
    if (error.code() != boon::ErrorCode::corrupted) std::abort();
    return 0;
  }
  if (!std::ranges::equal(names.serialise(), bytes)) std::abort();
  for (const auto& [name, id] : names.by_name()) {
    if (names.of(id) != name) std::abort();
  }
  return 0;
}
