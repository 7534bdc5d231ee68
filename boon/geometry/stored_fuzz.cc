// Feeds bytes to the readers of stored transforms: they give one that works, or a boon::Error. Sizes and checksums
// would turn nearly all mutations away at the door, so they are put right first.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "boon/core/error.h"
#include "boon/geometry/centring.h"
#include "boon/geometry/pca.h"
#include "boon/geometry/projection.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/sketch.h"
#include "boon/geometry/stored.h"

namespace {

using namespace boon::geometry;

constexpr std::uint64_t kSmall = 4096;  // more is right, and slow

// Field `i` after the head.
std::uint64_t field(const std::vector<std::byte>& bytes, std::size_t i) {
  std::uint64_t value = 0;
  if (32 + 8 * i <= bytes.size()) std::memcpy(&value, bytes.data() + 24 + 8 * i, 8);
  return value;
}

void use(const std::vector<std::byte>& bytes) {
  switch (stored_kind(bytes)) {
    case StoredKind::rotation: {
      const auto rotation = Rotation::from_bytes(bytes);
      std::vector<float> values(rotation.dim(), 1.0F);
      rotation.forward(values, values);
      if (rotation.to_bytes() != bytes) std::abort();
      break;
    }
    case StoredKind::projection: {
      const auto projection = Projection::from_bytes(bytes);
      std::vector<float> in(projection.options().dim, 1.0F), out(projection.options().target);
      projection.forward(in, out);
      if (projection.to_bytes() != bytes) std::abort();
      break;
    }
    case StoredKind::centring: {
      const auto centring = Centring::from_bytes(bytes);
      std::vector<float> values(centring.dim(), 1.0F);
      centring.forward(values, values);
      if (centring.to_bytes() != bytes) std::abort();
      break;
    }
    case StoredKind::pca: {
      const auto pca = Pca::from_bytes(bytes);
      std::vector<float> in(pca.dim(), 1.0F), out(pca.components());
      pca.forward(in, out);
      pca.inverse(out, in);
      if (pca.to_bytes() != bytes) std::abort();
      break;
    }
    case StoredKind::sketch: {
      const auto sketcher = Sketcher::from_bytes(bytes);
      const std::vector<float> in(sketcher.options().dim, 1.0F);
      std::vector<std::uint64_t> out(sketcher.words());
      sketcher.sketch(in, out);
      if (sketcher.to_bytes() != bytes) std::abort();
      break;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  if (size >= 32) {
    const std::uint64_t length = size;
    std::memcpy(bytes.data() + 16, &length, 8);
    const std::uint64_t checksum = boon::xxh3(boon::Bytes(bytes).first(size - 8));
    std::memcpy(bytes.data() + size - 8, &checksum, 8);
    if (field(bytes, 0) > kSmall && field(bytes, 0) <= kDimMax) return 0;
    std::uint32_t kind = 0;
    std::memcpy(&kind, bytes.data() + 12, 4);
    const bool has_size = kind == static_cast<std::uint32_t>(StoredKind::projection) ||
                          kind == static_cast<std::uint32_t>(StoredKind::sketch);
    if (has_size && field(bytes, 1) > kSmall && field(bytes, 1) < std::uint64_t{1} << 29) return 0;
  }
  try {
    use(bytes);
  } catch (const boon::Error&) {
  }
  return 0;
}
