// Internal: the loops of linear.h, written once for every width with the compilers' vector types. A file per
// instruction set includes this inside its target region and instantiates it over a tag of its own, so no two files
// share a function.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "boon/geometry/linear.h"

namespace boon::geometry {

template <class Tag>
struct LinearLoop {
  static constexpr std::size_t kBytes = Tag::kBytes;

  template <class T>
  struct Lanes {
    typedef T Vector __attribute__((vector_size(Tag::kBytes)));
    static constexpr std::size_t kWidth = kBytes / sizeof(T);
    [[gnu::always_inline]] static inline Vector load(const T* from) noexcept {
      Vector v;
      std::memcpy(&v, from, kBytes);
      return v;
    }
    [[gnu::always_inline]] static inline void store(T* to, Vector v) noexcept { std::memcpy(to, &v, kBytes); }
  };

  template <class T>
  static void add_products(const T* a, std::size_t a_step, std::size_t depth, const T* b, std::size_t b_stride, T* out,
                           std::size_t n) noexcept {
    using L = Lanes<T>;
    using Vector = typename L::Vector;
    constexpr std::size_t kWidth = L::kWidth;
    std::size_t j = 0;
    for (; j + 4 * kWidth <= n; j += 4 * kWidth) {
      Vector s0 = L::load(out + j), s1 = L::load(out + j + kWidth);
      Vector s2 = L::load(out + j + 2 * kWidth), s3 = L::load(out + j + 3 * kWidth);
      const T* row = b + j;
      for (std::size_t i = 0; i < depth; ++i, row += b_stride) {
        const Vector x = a[i * a_step] - Vector{};  // the same in each lane, -0 too
        s0 += x * L::load(row);
        s1 += x * L::load(row + kWidth);
        s2 += x * L::load(row + 2 * kWidth);
        s3 += x * L::load(row + 3 * kWidth);
      }
      L::store(out + j, s0), L::store(out + j + kWidth, s1);
      L::store(out + j + 2 * kWidth, s2), L::store(out + j + 3 * kWidth, s3);
    }
    for (; j + kWidth <= n; j += kWidth) {
      Vector sum = L::load(out + j);
      const T* row = b + j;
      for (std::size_t i = 0; i < depth; ++i, row += b_stride) sum += (a[i * a_step] - Vector{}) * L::load(row);
      L::store(out + j, sum);
    }
    for (; j < n; ++j) {
      T sum = out[j];
      for (std::size_t i = 0; i < depth; ++i) sum += a[i * a_step] * b[i * b_stride + j];
      out[j] = sum;
    }
  }

  static void rotate_rows(double* x, double* y, double c, double s, std::size_t n) noexcept {
    using L = Lanes<double>;
    std::size_t i = 0;
    for (; i + L::kWidth <= n; i += L::kWidth) {
      const auto a = L::load(x + i), b = L::load(y + i);
      L::store(x + i, a * c - b * s), L::store(y + i, a * s + b * c);
    }
    for (; i < n; ++i) {
      const double a = x[i], b = y[i];
      x[i] = a * c - b * s, y[i] = a * s + b * c;
    }
  }

  // Butterflies between lanes `kDistance` apart: the lower one gets the sum, the upper one the difference.
  template <std::size_t kDistance, std::size_t... I>
  [[gnu::always_inline]] static inline typename Lanes<float>::Vector butterfly(typename Lanes<float>::Vector v,
                                                                               std::index_sequence<I...>) noexcept {
    using Vector = typename Lanes<float>::Vector;
    constexpr Vector kSigns = {((I & kDistance) != 0 ? -1.0F : 1.0F)...};
    const Vector other = __builtin_shufflevector(v, v, static_cast<int>(I ^ kDistance)...);
    return other + v * kSigns;
  }

  template <std::size_t kDistance>
  [[gnu::always_inline]] static inline typename Lanes<float>::Vector within(typename Lanes<float>::Vector v) noexcept {
    constexpr std::size_t kWidth = Lanes<float>::kWidth;
    if constexpr (kDistance < kWidth) {
      return within<2 * kDistance>(butterfly<kDistance>(v, std::make_index_sequence<kWidth>{}));
    } else {
      return v;
    }
  }

  static void hadamard(float* values, std::size_t n) noexcept {
    using L = Lanes<float>;
    constexpr std::size_t kWidth = L::kWidth;
    std::size_t distance = 1;
    if (n >= kWidth) {
      for (std::size_t i = 0; i < n; i += kWidth) L::store(values + i, within<1>(L::load(values + i)));
      distance = kWidth;
    }
    // Two stages at once: half as many passes over memory.
    for (; distance >= kWidth && 4 * distance <= n; distance *= 4) {
      for (std::size_t block = 0; block < n; block += 4 * distance) {
        for (std::size_t i = block; i < block + distance; i += kWidth) {
          const auto a = L::load(values + i), b = L::load(values + i + distance);
          const auto c = L::load(values + i + 2 * distance), d = L::load(values + i + 3 * distance);
          const auto ab = a + b, a_b = a - b, cd = c + d, c_d = c - d;
          L::store(values + i, ab + cd), L::store(values + i + distance, a_b + c_d);
          L::store(values + i + 2 * distance, ab - cd), L::store(values + i + 3 * distance, a_b - c_d);
        }
      }
    }
    for (; distance >= kWidth && distance < n; distance *= 2) {
      for (std::size_t block = 0; block < n; block += 2 * distance) {
        for (std::size_t i = block; i < block + distance; i += kWidth) {
          const auto a = L::load(values + i), b = L::load(values + i + distance);
          L::store(values + i, a + b), L::store(values + i + distance, a - b);
        }
      }
    }
    for (; distance < n; distance *= 2) {  // fewer values than a vector has lanes
      for (std::size_t i = 0; i < n; ++i) {
        if ((i & distance) != 0) continue;
        const float a = values[i], b = values[i + distance];
        values[i] = a + b, values[i + distance] = a - b;
      }
    }
  }

  static constexpr LinearTable table() noexcept {
    return {add_products<float>, add_products<double>, rotate_rows, hadamard};
  }
};

}  // namespace boon::geometry
