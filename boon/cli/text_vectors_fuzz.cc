#include "boon/cli/vector_parsers.h"
#include "boon/cli/vectors_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace boon::cli;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect_sound_table([&] { return parse_text(text, "fuzz"); });
  return 0;
}
