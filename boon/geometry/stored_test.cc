// Bytes of transforms: whatever is wrong with them is named.
#include "boon/geometry/stored.h"

#include <limits>

#include "boon/geometry/centring.h"
#include "boon/geometry/pca.h"
#include "boon/geometry/projection.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using Stored = std::vector<std::byte>;

Stored rotation_bytes() {
  return Rotation({.dim = 5, .seed = 6, .rounds = 3}).to_bytes();
}

// After a change: with the size and the checksum that go with it.
Stored mended(Stored bytes) {
  const std::uint64_t size = bytes.size();
  std::memcpy(bytes.data() + 16, &size, 8);
  const std::uint64_t checksum = xxh3(Bytes(bytes).first(size - 8));
  std::memcpy(bytes.data() + size - 8, &checksum, 8);
  return bytes;
}

template <class T>
Stored with(Stored bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
  return bytes;
}

std::optional<Error> error_of_reading(const Stored& bytes) {
  return error_of([&] { Rotation::from_bytes(bytes); });
}

TEST(Stored, KnowsWhatItHolds) {
  EXPECT_EQ(stored_kind(rotation_bytes()), StoredKind::rotation);
  EXPECT_EQ(stored_kind(Projection({.dim = 2, .target = 2}).to_bytes()), StoredKind::projection);
  EXPECT_THAT(error_of([] { Projection::from_bytes(rotation_bytes()); }),
              IsError(ErrorCode::corrupted, "hold a rotation, not a projection"));
}

// The bytes of format 1, as docs/formats/geometry.md has them.
TEST(Stored, HasTheseBytesForever) {
  const unsigned char golden[] = {'b', 'o', 'o', 'n', 'g', 'e', 'o', 0, 1, 0, 0, 0, 1, 0, 0, 0,
                                  56,  0,   0,   0,   0,   0,   0,   0, 5, 0, 0, 0, 0, 0, 0, 0,
                                  6,   0,   0,   0,   0,   0,   0,   0, 3, 0, 0, 0, 0, 0, 0, 0};
  const Stored bytes = rotation_bytes();
  ASSERT_EQ(bytes.size(), sizeof(golden) + 8);
  EXPECT_EQ(std::memcmp(bytes.data(), golden, sizeof(golden)), 0);
}

TEST(Stored, EveryDamagedByteIsFound) {
  const Stored whole = rotation_bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {1, 16, 128}) {
      Stored damaged = whole;
      damaged[i] ^= static_cast<std::byte>(bit);
      EXPECT_TRUE(error_of_reading(damaged)) << i;
    }
    EXPECT_THAT(error_of_reading(Stored(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i))),
                IsError(ErrorCode::corrupted, ""))
        << i;
  }
  Stored longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_THAT(error_of_reading(longer), IsError(ErrorCode::corrupted, "57 bytes and should have 56"));
}

TEST(Stored, SoundBytesOfNonsenseAreRefused) {
  const Stored whole = rotation_bytes();
  const std::uint64_t zero = 0, many = ~zero;
  EXPECT_THAT(error_of_reading(mended(with(whole, 24, zero))), IsError(ErrorCode::corrupted, "dimension is 0"));
  EXPECT_THAT(error_of_reading(mended(with(whole, 24, many))), IsError(ErrorCode::corrupted, "dimension is 184467"));
  EXPECT_THAT(error_of_reading(mended(with(whole, 40, many))), IsError(ErrorCode::corrupted, "rounds"));
  EXPECT_THAT(error_of_reading(mended(with(whole, 8, 2U))), IsError(ErrorCode::unsupported, "newer"));
  EXPECT_THAT(error_of_reading(mended(with(whole, 12, 99U))), IsError(ErrorCode::corrupted, "kind 99"));
  Stored longer = whole;
  longer.resize(64);
  EXPECT_THAT(error_of_reading(mended(longer)), IsError(ErrorCode::corrupted, "8 bytes are left over"));
  Stored shorter = whole;
  shorter.resize(48);
  EXPECT_THAT(error_of_reading(mended(shorter)), IsError(ErrorCode::corrupted, "too short"));
  const Stored projection = Projection({.dim = 3, .target = 2}).to_bytes();
  EXPECT_THAT(error_of([&] { Projection::from_bytes(mended(with(projection, 32, many))); }),
              IsError(ErrorCode::corrupted, "target"));
  EXPECT_THAT(error_of([&] { Projection::from_bytes(mended(with(projection, 48, many))); }),
              IsError(ErrorCode::corrupted, "kind is unknown"));
}

TEST(Stored, NonsenseOfMatricesIsRefused) {
  const std::vector<float> points{1, 0, 0, 2, 3, 3};
  const Stored pca = Pca::fit({.data = points.data(), .count = 3, .dim = 2}).to_bytes();
  const auto error_of_pca = [&](std::size_t offset, auto value) {
    return error_of([&] { Pca::from_bytes(mended(with(pca, offset, value))); });
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of_pca(24, std::uint64_t{1} << 21), IsError(ErrorCode::corrupted, "out of range"));
  EXPECT_THAT(error_of_pca(24, std::uint64_t{1} << 20), IsError(ErrorCode::corrupted, "too short"));
  EXPECT_THAT(error_of_pca(32, std::uint64_t{3}), IsError(ErrorCode::corrupted, "out of range"));
  EXPECT_THAT(error_of_pca(48, -1.0), IsError(ErrorCode::corrupted, "total variance is -1; it is at least"));
  EXPECT_THAT(error_of_pca(48, 0.0), IsError(ErrorCode::corrupted, "total variance is 0; it is at least"));
  EXPECT_THAT(error_of_pca(56, -1.0), IsError(ErrorCode::corrupted, "do not fall"));
  EXPECT_THAT(error_of_pca(64, 1e9), IsError(ErrorCode::corrupted, "do not fall"));
  EXPECT_THAT(error_of_pca(56, 1e308), IsError(ErrorCode::corrupted, "total variance"));
  EXPECT_THAT(error_of_pca(72, nan), IsError(ErrorCode::corrupted, "not finite"));
  const Stored centring = Centring({1, 2}).to_bytes();
  EXPECT_THAT(error_of([&] { Centring::from_bytes(mended(with(centring, 24, std::uint64_t{0}))); }),
              IsError(ErrorCode::corrupted, "out of range"));
  EXPECT_THAT(error_of([&] { Centring::from_bytes(mended(with(centring, 32, nan))); }),
              IsError(ErrorCode::corrupted, "not finite"));
}

}  // namespace
}  // namespace boon::geometry
