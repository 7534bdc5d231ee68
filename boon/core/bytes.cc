#include "boon/core/bytes.h"

#include <xxhash.h>

namespace boon {

std::uint64_t xxh3(Bytes bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace boon
