// Records of any bytes: they are refused, or they decode and are scored without NaN.
// Superblocks of ggml likewise.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "boon/codec/codec.h"
#include "boon/codec/nvfp4_import.h"
#include "boon/core/error.h"

namespace boon::codec {
namespace {

void score(const Codec& codec, const std::vector<std::uint8_t>& records, std::size_t count) {
  const Records all{records.data(), codec.record_bytes()};
  try {
    codec.check(all, count);
  } catch (const Error&) {
    return;
  }
  std::vector<float> decoded(codec.dim()), scores(count);
  for (std::size_t i = 0; i < count; ++i) codec.decode(all[i], decoded);
  const std::vector<float> query(codec.dim(), -1.5F);
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    codec.query(query, metric)->score(all, nullptr, count, scores.data());
    for (const float value : scores) {
      if (std::isnan(value)) std::abort();
    }
  }
}

void import(std::span<const std::uint8_t> bytes) {
  try {
    const Nvfp4Vector vector = nvfp4_from_ggml(bytes);
    std::vector<float> decoded(vector.scales.size() * kNvfp4Block);
    nvfp4_decode(vector.view(), decoded);
  } catch (const Error&) {  // refused
  }
}

}  // namespace
}  // namespace boon::codec

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace boon::codec;
  if (size < 2) return 0;
  const std::size_t dim = data[1] + 1U;
  const auto codec =
      make_codec({.name = std::string(codec_names()[data[0] % codec_names().size()]), .dim = dim, .centre = {}});
  const std::size_t count = (size - 2) / codec->record_bytes();
  score(*codec, {data + 2, data + 2 + count * codec->record_bytes()}, count);
  import({data + 2, size - 2});
  return 0;
}
