// Internal: the tables that code_kernels.cc chooses from. Only those that the processor can run may be called.
#pragma once

#include "boon/codec/code_kernels.h"

namespace boon::codec {

extern const CodeKernels kScalarCodes;
extern const CodeKernels kAvx2Codes;
extern const CodeKernels kAvx512Codes;
extern const CodeKernels kVnniCodes;
extern const CodeKernels kVbmiCodes;

}  // namespace boon::codec
