#include "boon/codec/code_kernels.h"

#include "boon/codec/code_tables.h"

namespace boon::codec {

CodeKernelList code_kernels(kernels::Isa isa) noexcept {
  const kernels::IsaSupport support = kernels::isa_support();
  if (!support.has(isa)) return {};
  switch (isa) {
    case kernels::Isa::avx2:
      return {{&kAvx2Codes}, 1};
    case kernels::Isa::avx512:
    case kernels::Isa::amx: {  // a query and a row are no product of matrices
      const bool vbmi = support.avx512_vnni && support.avx512_vbmi && support.avx512_vpopcntdq;
      return {{&kAvx512Codes, &kVnniCodes, &kVbmiCodes}, vbmi ? 3U : support.avx512_vnni ? 2U : 1U};
    }
    case kernels::Isa::scalar:
      break;
  }
  return {{&kScalarCodes}, 1};
}

const CodeKernels& code_kernels() {
  static const CodeKernels& chosen = []() -> const CodeKernels& {
    const CodeKernelList list = code_kernels(kernels::isa_in_use());
    return *list.table[list.count - 1];
  }();
  return chosen;
}

}  // namespace boon::codec
