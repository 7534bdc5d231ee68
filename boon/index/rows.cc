#include "boon/index/rows.h"

#include <algorithm>
#include <cstring>

namespace boon::index {

bool fits_bytes(std::span<const float> vector) noexcept {
  // A block at a time: without branches inside, and vectors that do not fit mostly show it at once.
  constexpr std::size_t kBlock = 64;
  for (std::size_t first = 0; first < vector.size(); first += kBlock) {
    bool fit = true;
    for (const float x : vector.subspan(first, std::min(kBlock, vector.size() - first))) {
      // Beyond the range of an int the conversion would be undefined.
      const float within = std::min(std::max(x, 0.0F), 255.0F);
      fit &= static_cast<float>(static_cast<int>(within)) == x;
    }
    if (!fit) return false;
  }
  return true;
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
