// Internal: the tables that code_kernels.cc chooses from. Only those that the processor can run may be called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boon/codec/code_kernels.h"
#include "boon/codec/nvfp4_search.h"

namespace boon::codec {

void nvfp4_search_scalar(const float* x, float inverse, std::size_t blocks, std::uint8_t* codes, std::uint8_t* scales,
                         Nvfp4Sums& sums) noexcept;

extern const CodeKernels kScalarCodes;
extern const CodeKernels kAvx2Codes;
extern const CodeKernels kAvx512Codes;
extern const CodeKernels kVnniCodes;
extern const CodeKernels kVbmiCodes;

}  // namespace boon::codec
