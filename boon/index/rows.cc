#include "boon/index/rows.h"

#include <emmintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

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

Rows::Rows(std::size_t dim) : vectors_{.dim = dim, .kernels = &kernels::distances()} {
  start(Element::f32);
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
  Rows wide(vectors_.dim);
  wide.reserve(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto* bytes = vectors_.bytes(static_cast<Node>(slot));
    std::copy_n(bytes, vectors_.dim, reinterpret_cast<float*>(wide.place(static_cast<Node>(slot))));
  }
  *this = std::move(wide);
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

void Rows::set(Node slot, std::span<const float> row) noexcept {
  if (element() == Element::f32) {
    std::copy(row.begin(), row.end(), reinterpret_cast<float*>(place(slot)));
  } else {
    std::transform(row.begin(), row.end(), reinterpret_cast<std::uint8_t*>(place(slot)),
                   [](float x) { return static_cast<std::uint8_t>(x); });
  }
}

std::vector<float> Rows::get(Node slot) const {
  std::vector<float> row(vectors_.dim);
  if (element() == Element::f32) {
    std::copy_n(vectors_.floats(slot), vectors_.dim, row.begin());
  } else {
    std::copy_n(vectors_.bytes(slot), vectors_.dim, row.begin());
  }
  return row;
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
