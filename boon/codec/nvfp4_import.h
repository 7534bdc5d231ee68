// NVFP4 as other tools store it, brought into the form of nvfp4.h: codes and block scales keep their values, though
// bytes may move.
//
// TransformerEngine and ModelOpt store what nvfp4.h does. The functions throw as nvfp4_check() does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/codec/nvfp4.h"

namespace boon::codec {

// One vector with the memory of its bytes.
struct Nvfp4Vector {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
  float scale = 1;

  Nvfp4View view() const noexcept { return {codes, scales, scale}; }
};

// ggml's block_nvfp4, as in GGUF files: 36 bytes for 64 elements, first the four block scales, then the codes of each
// block with element j in the low and j + 8 in the high nibble of byte j. It has no scale of the vector; `scale` is the
// one that a model may carry beside. Throws invalid_argument unless the bytes are whole superblocks.
Nvfp4Vector nvfp4_from_ggml(std::span<const std::uint8_t> bytes, float scale = 1);

// compressed-tensors (vLLM): codes and block scales as here, but `global_scale` is 2688 / max|x|, the reciprocal. It is
// inverted and rounded to fp32, so decoded values may differ from theirs by that rounding.
Nvfp4Vector nvfp4_from_compressed_tensors(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales,
                                          float global_scale);

// torchao: as here. Its writer raises block scales to 2^-6, so it makes no subnormal ones and small blocks lose more;
// any scale is read.
Nvfp4Vector nvfp4_from_torchao(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales,
                               float per_tensor_scale);

}  // namespace boon::codec
