// The vectors of an index, a row for each slot: of fp32, or of fp16 or bf16, to which they are rounded; or bytes where
// every component of every vector is a whole number from 0 to 255 (pixels, SIFT). Bytes are read four times as fast and
// lose nothing; the first vector that does not fit them widens all rows.
//
// One writer. The calls marked so need the index for themselves; set() may run beside readers of other rows.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/bytes.h"
#include "boon/index/metric.h"
#include "boon/index/spaces.h"

namespace boon::index {

// True if every component is a whole number from 0 to 255.
bool fits_bytes(std::span<const float> vector) noexcept;

// "fp32", "u8", "fp16" or "bf16".
std::string_view name(Element element) noexcept;
// What rows may be held as where they do not fit bytes: all but "u8".
std::span<const std::string_view> dtype_names() noexcept;
Element element_of(std::string_view dtype) noexcept;

class Rows {
 public:
  // `wide` is what rows are that do not fit bytes. Throws what kernels::distances() throws.
  Rows(std::size_t dim, Element wide);

  Element element() const noexcept { return vectors_.element; }
  // Of rows that do not fit bytes.
  Element wide() const noexcept { return wide_; }
  const Vectors& vectors() const noexcept { return vectors_; }
  // Bytes of `slots` rows.
  std::size_t bytes(std::size_t slots) const noexcept { return slots * vectors_.stride; }

  // How rows are held from now on; all that is there is forgotten. Alone.
  void start(Element element) noexcept;
  // Turns the first `slots` rows, held as bytes, into wide ones. Throws out_of_memory and leaves them. Alone.
  void widen(std::size_t slots);
  // Room for `slots` rows. Throws out_of_memory. Alone.
  void reserve(std::size_t slots);
  // Gives back what is past the first `slots` rows. Alone.
  void shrink(std::size_t slots);
  void move(Node from, Node to) noexcept;

  // Writes a checked vector as it is held: of length 1 under cosine, and rounded where wide rows are no floats, which
  // whole numbers up to 255 outlive. Neither this nor check() looks at a row, so others may write them.
  void write(std::span<const float> vector, Metric metric, float* out) const noexcept;
  // Throws Error{invalid_argument} that names the row if one of the checked vectors cannot be rounded: it is too far
  // out, or all of it would vanish.
  void check(std::span<const float> given, std::size_t dim, Metric metric) const;
  // Stores `dim` floats, as write() gives them, or that fit bytes where rows are these.
  void set(Node slot, std::span<const float> row) noexcept;
  std::vector<float> get(Node slot) const { return vectors_.values(slot); }

  // Rows as they are stored in a file.
  Bytes stored(std::size_t slots) const noexcept { return {vectors_.base, bytes(slots)}; }
  // Takes stored rows over, copied or referred to. `stored` is a whole number of rows. Throws out_of_memory.
  void adopt(Element element, Bytes stored, bool copy);

 private:
  std::byte* place(Node slot) noexcept { return buffer_.data() + bytes(slot); }

  const Element wide_;
  PageBuffer buffer_;  // empty for a view
  Vectors vectors_;
};

}  // namespace boon::index
