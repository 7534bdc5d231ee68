// What the components of rows are, where they need not be floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "boon/kernels/bf16.h"
#include "boon/kernels/fp16.h"

namespace boon::kernels {

enum class Element : std::uint8_t { f32, u8, fp16, bf16 };

// Calls f with a std::type_identity of the element's type.
template <class F>
constexpr decltype(auto) with_type(Element element, F&& f) {
  switch (element) {
    case Element::u8:
      return std::forward<F>(f)(std::type_identity<std::uint8_t>{});
    case Element::fp16:
      return std::forward<F>(f)(std::type_identity<Fp16>{});
    case Element::bf16:
      return std::forward<F>(f)(std::type_identity<Bf16>{});
    case Element::f32:
      break;
  }
  return std::forward<F>(f)(std::type_identity<float>{});
}

constexpr std::size_t bytes_of(Element element) noexcept {
  return with_type(element, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

// A component as the number it stands for, and the component nearest to a number, which bytes must hold.
constexpr float to_float(float x) noexcept {
  return x;
}
constexpr float to_float(std::uint8_t x) noexcept {
  return x;
}
template <class T>
constexpr T from_float(float x) noexcept {
  if constexpr (std::is_same_v<T, Fp16>) {
    return to_fp16(x);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return to_bf16(x);
  } else {
    return static_cast<T>(x);
  }
}

}  // namespace boon::kernels
