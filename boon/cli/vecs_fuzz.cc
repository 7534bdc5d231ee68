#include "boon/cli/vector_parsers.h"
#include "boon/cli/vectors_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace boon::cli;
  for (const Format format : {Format::fvecs, Format::bvecs, Format::ivecs}) {
    expect_sound_table([&] { return parse_vecs(boon::as_bytes(data, size), format, "fuzz"); });
  }
  return 0;
}
