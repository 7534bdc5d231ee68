#include "boon/index/rows.h"

#include <emmintrin.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "boon/core/check.h"
#include "boon/core/error.h"
#include "boon/index/vector_check.h"

namespace boon::index {

bool fits_bytes(std::span<const float> vector) noexcept {
  // SSE2, which every x86-64 has; compilers make no vectors of this. What is no int becomes the least, so is unfit too.
  constexpr std::size_t kTogether = 16;
  const float* const x = vector.data();
  std::size_t i = 0;
  for (; i + kTogether <= vector.size(); i += kTogether) {
    __m128i unfit = _mm_setzero_si128();
    for (std::size_t j = i; j < i + kTogether; j += 4) {
      const __m128 values = _mm_loadu_ps(x + j);
      const __m128i whole = _mm_cvttps_epi32(values);
      unfit = _mm_or_si128(unfit, _mm_andnot_si128(_mm_set1_epi32(255), whole));
      unfit = _mm_or_si128(unfit, _mm_castps_si128(_mm_cmpneq_ps(_mm_cvtepi32_ps(whole), values)));
    }
    if (_mm_movemask_epi8(_mm_cmpeq_epi32(unfit, _mm_setzero_si128())) != 0xffff) return false;
  }
  return std::all_of(x + i, x + vector.size(),
                     [](float value) { return value >= 0 && value <= 255 && std::trunc(value) == value; });
}

std::string_view name(Element element) noexcept {
  switch (element) {
    case Element::u8:
      return "u8";
    case Element::fp16:
      return "fp16";
    case Element::bf16:
      return "bf16";
    case Element::f32:
      break;
  }
  return "fp32";
}

std::span<const std::string_view> dtype_names() noexcept {
  static constexpr std::array<std::string_view, 3> kNames = {"fp32", "fp16", "bf16"};
  return kNames;
}

Element element_of(std::string_view dtype) noexcept {
  if (dtype == name(Element::fp16)) return Element::fp16;
  return dtype == name(Element::bf16) ? Element::bf16 : Element::f32;
}

Rows::Rows(std::size_t dim, Element wide) : wide_(wide), vectors_{.dim = dim, .kernels = &kernels::distances()} {
  start(wide_);
}

void Rows::start(Element element) noexcept {
  if (element != vectors_.element) {
    buffer_ = PageBuffer();
    vectors_.base = nullptr;
  }
  vectors_.element = element;
  // Rows of whole 16 bytes: aligned enough to touch no more cache lines than rows padded to 64 would.
  vectors_.stride = align_up(vectors_.row_bytes(), 16);
}

void Rows::widen(std::size_t slots) {
  Rows rows(vectors_.dim, wide_);
  rows.reserve(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    rows.set(static_cast<Node>(slot), get(static_cast<Node>(slot)));
  }
  buffer_ = std::move(rows.buffer_);
  vectors_ = rows.vectors_;
}

void Rows::reserve(std::size_t slots) {
  buffer_.reserve(bytes(slots));
  vectors_.base = buffer_.data();
}

void Rows::shrink(std::size_t slots) {
  buffer_.shrink(bytes(slots));
  vectors_.base = buffer_.data();
}

void Rows::move(Node from, Node to) noexcept {
  std::memcpy(place(to), place(from), vectors_.stride);
}

void Rows::write(std::span<const float> vector, Metric metric, float* out) const noexcept {
  write_row(vector, metric, out);
  if (wide_ == Element::f32) return;
  kernels::with_type(wide_, [&]<class T>(std::type_identity<T>) {
    // Adding zero turns -0 into 0.
    for (float& x : std::span(out, vector.size())) x = kernels::to_float(kernels::from_float<T>(x)) + 0.0F;
  });
}

void Rows::check(std::span<const float> given, std::size_t dim, Metric metric) const {
  if (wide_ == Element::f32 || metric == Metric::cosine) return;  // of length 1 all fit
  std::vector<float> held(dim);
  for (std::size_t row = 0; row < given.size() / dim; ++row) {
    const std::span<const float> vector = given.subspan(row * dim, dim);
    write(vector, metric, held.data());
    if (const std::size_t i = kernels::distances().first_not_finite(held.data(), dim); i < dim) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("row {}, component {} is {:g}, more than {} holds; take the dtype fp32, or scale the data", row,
                      i, vector[i], name(wide_)));
    }
    const auto is_zero = [](float x) { return x == 0; };
    if (std::ranges::all_of(held, is_zero) && !std::ranges::all_of(vector, is_zero)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("row {} is so short that {} makes zeros of it; take the dtype fp32, or scale the data",
                              row, name(wide_)));
    }
    check_rows(held.data(), 1, dim, dim, metric, "row", row);
  }
}

void Rows::set(Node slot, std::span<const float> row) noexcept {
  kernels::with_type(element(), [&]<class T>(std::type_identity<T>) {
    std::transform(row.begin(), row.end(), reinterpret_cast<T*>(place(slot)), [](float x) {
      BOON_DCHECK(kernels::to_float(kernels::from_float<T>(x)) == x);
      return kernels::from_float<T>(x);
    });
  });
}

void Rows::adopt(Element element, Bytes stored, bool copy) {
  start(element);
  if (copy) {
    reserve(stored.size() / vectors_.stride);
    if (!stored.empty()) std::memcpy(buffer_.data(), stored.data(), stored.size());
  } else {
    vectors_.base = stored.data();
  }
}

}  // namespace boon::index
