// Any text is refused with an Error or is a tuple, a layout or a tiler that its own text reads back to.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "boon/core/error.h"
#include "boon/layout/text.h"

namespace {

template <class Parse>
void expect_round_trip(std::string_view text, const Parse& parse) {
  try {
    const auto value = parse(text);
    if (parse(to_string(value)) != value) std::abort();
  } catch (const boon::Error& error) {
    if (error.code() != boon::ErrorCode::invalid_argument) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect_round_trip(text, boon::layout::parse_tuple);
  expect_round_trip(text, boon::layout::parse_layout);
  expect_round_trip(text, boon::layout::parse_tiler);
  return 0;
}
