// Random numbers that are the same on every machine: SplitMix64 to hash, xoshiro256** to draw. (normal() goes through
// the C library's log and cos, so its last bit may differ.)
// Blackman & Vigna, "Scrambled linear pseudorandom number generators", 2018.
#pragma once

#include <cstdint>

namespace boon {

// One step of SplitMix64: a bijection whose output looks random for consecutive inputs.
constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// 53 random bits as a double in [0, 1).
constexpr double unit_interval(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept {
    for (auto& word : state_) word = seed = splitmix64(seed);
  }
  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  constexpr double uniform() noexcept { return unit_interval(next()); }
  // In [0, bound), by multiplication; the bias is below bound / 2^64. bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // Standard normal (Box-Muller; one value a call).
  double normal() noexcept;

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t rotate(std::uint64_t x, int by) noexcept { return (x << by) | (x >> (64 - by)); }
  std::uint64_t state_[4] = {};
};

}  // namespace boon
