// Bytes: checksums and alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace boon {

using Bytes = std::span<const std::byte>;

template <class T>
Bytes as_bytes(const T* data, std::size_t count) noexcept {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(T)};
}

// XXH3, 64 bits, seed 0 (xxHash 0.8).
std::uint64_t xxh3(Bytes bytes) noexcept;

// `alignment` is a power of two.
constexpr std::size_t align_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace boon
