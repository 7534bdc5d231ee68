// The promises of properties.h on layouts that the input draws, then on as many random ones as make a batch; 16,000
// inputs are a million layouts.
#include <cstdint>
#include <span>

#include "boon/layout/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace boon::layout::properties;
  Choices choices(std::span(data, size));
  Tally tally;
  for (int i = 0; i < 21; ++i) check_round(choices, tally);  // three layouts each
  return 0;
}
