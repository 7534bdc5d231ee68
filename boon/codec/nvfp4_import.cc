#include "boon/codec/nvfp4_import.h"

#include <fmt/format.h>

#include <utility>

#include "boon/core/error.h"

namespace boon::codec {
namespace {

constexpr std::size_t kBlocks = 4;  // in a superblock of ggml
constexpr std::size_t kSuperblockBytes = kBlocks * (1 + kNvfp4BlockBytes);

Nvfp4Vector checked(Nvfp4Vector vector) {
  nvfp4_check(vector.view(), "NVFP4 vector");
  return vector;
}

}  // namespace

Nvfp4Vector nvfp4_from_ggml(std::span<const std::uint8_t> bytes, float scale) {
  if (bytes.size() % kSuperblockBytes != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} bytes are no whole superblocks of {}", bytes.size(), kSuperblockBytes));
  }
  Nvfp4Vector vector{.codes = {}, .scales = {}, .scale = scale};
  for (; !bytes.empty(); bytes = bytes.subspan(kSuperblockBytes)) {
    vector.scales.insert(vector.scales.end(), bytes.begin(), bytes.begin() + kBlocks);
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const auto from = bytes.subspan(kBlocks + b * kNvfp4BlockBytes, kNvfp4BlockBytes);
      for (std::size_t j = 0; j < kNvfp4BlockBytes; j += 2) {  // the low nibbles: elements 0 to 7
        vector.codes.push_back(static_cast<std::uint8_t>((from[j] & 15) | (from[j + 1] & 15) << 4));
      }
      for (std::size_t j = 0; j < kNvfp4BlockBytes; j += 2) {  // the high ones: elements 8 to 15
        vector.codes.push_back(static_cast<std::uint8_t>(from[j] >> 4 | (from[j + 1] & 0xf0)));
      }
    }
  }
  return checked(std::move(vector));
}

Nvfp4Vector nvfp4_from_compressed_tensors(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales,
                                          float global_scale) {
  return checked({{codes.begin(), codes.end()}, {scales.begin(), scales.end()}, 1 / global_scale});
}

Nvfp4Vector nvfp4_from_torchao(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales,
                               float per_tensor_scale) {
  return checked({{codes.begin(), codes.end()}, {scales.begin(), scales.end()}, per_tensor_scale});
}

}  // namespace boon::codec
