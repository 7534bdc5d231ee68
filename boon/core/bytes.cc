#include "boon/core/bytes.h"

#define XXH_INLINE_ALL  // compiled in: nothing to link, nothing to find at run time
#include <xxhash.h>

namespace boon {

std::uint64_t xxh3(Bytes bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace boon
