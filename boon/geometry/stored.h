// Transforms as bytes, for an index to keep: docs/formats/geometry.md describes each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "boon/core/bytes.h"

namespace boon::geometry {

// The newest format that is read.
inline constexpr std::uint32_t kStoredVersion = 1;

enum class StoredKind : std::uint32_t { rotation = 1, projection = 2, centring = 3, pca = 4, sketch = 5 };

// "rotation", "projection", …
std::string_view name(StoredKind kind) noexcept;

// Which transform the bytes hold. Looks at the head alone; throws corrupted, or unsupported for a newer format.
StoredKind stored_kind(Bytes bytes);

// Internal: puts fields one after the other, then the checksum.
class StoredWriter {
 public:
  explicit StoredWriter(StoredKind kind);

  template <class T>
  void put(T value) {
    put(std::span<const T>(&value, 1));
  }
  template <class T>
  void put(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T>);
    const Bytes bytes = as_bytes(values.data(), values.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // The last call.
  std::vector<std::byte> finish();

 private:
  std::vector<std::byte> bytes_;
};

// Internal: takes them back. Every call throws corrupted when the bytes are not what a writer left; nothing is
// allocated for fields that are not there.
class StoredReader {
 public:
  // Checks head, size and checksum. `bytes` outlive the reader.
  StoredReader(Bytes bytes, StoredKind kind);

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(1, sizeof(T)), sizeof(T));
    return value;
  }
  // As many finite numbers.
  std::vector<float> get_floats(std::uint64_t count);
  std::vector<double> get_doubles(std::uint64_t count);
  // Throws unless all has been taken.
  void finish() const;
  [[noreturn]] void damaged(std::string_view what) const;

 private:
  const std::byte* take(std::uint64_t count, std::size_t size);

  Bytes rest_;
  StoredKind kind_;
};

}  // namespace boon::geometry
