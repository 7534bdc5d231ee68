#include "boon/cli/vector_parsers.h"
#include "boon/cli/vectors_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace boon::cli;
  expect_sound_table([&] { return parse_npy(boon::as_bytes(data, size), "fuzz"); });
  return 0;
}
