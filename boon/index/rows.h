// The vectors of an index, a row for each slot: floats, or bytes where every component of every vector is a whole
// number from 0 to 255 (pixels, SIFT). Bytes are read four times as fast and lose nothing; the first vector that does
// not fit them makes floats of all rows.
//
// One writer. The calls marked so need the index for themselves; set() may run beside readers of other rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/bytes.h"
#include "boon/index/spaces.h"

namespace boon::index {

// True if every component is a whole number from 0 to 255.
bool fits_bytes(std::span<const float> vector) noexcept;

class Rows {
 public:
  // Throws what kernels::distances() throws.
  explicit Rows(std::size_t dim);

  Element element() const noexcept { return vectors_.element; }
  const Vectors& vectors() const noexcept { return vectors_; }
  // Bytes of `slots` rows.
  std::size_t bytes(std::size_t slots) const noexcept { return slots * vectors_.stride; }

  // How rows are held from now on; all that is there is forgotten. Alone.
  void start(Element element) noexcept;
  // Turns the first `slots` rows, held as bytes, into floats. Throws out_of_memory and leaves them. Alone.
  void widen(std::size_t slots);
  // Room for `slots` rows. Throws out_of_memory. Alone.
  void reserve(std::size_t slots);
  // Gives back what is past the first `slots` rows. Alone.
  void shrink(std::size_t slots);
  void move(Node from, Node to) noexcept;

  // Stores `dim` floats, which must fit the element.
  void set(Node slot, std::span<const float> row) noexcept;
  std::vector<float> get(Node slot) const;

  // Rows as they are stored in a file.
  Bytes stored(std::size_t slots) const noexcept { return {vectors_.base, bytes(slots)}; }
  // Takes stored rows over, copied or referred to. `stored` is a whole number of rows. Throws out_of_memory.
  void adopt(Element element, Bytes stored, bool copy);

 private:
  std::byte* place(Node slot) noexcept { return buffer_.data() + bytes(slot); }

  PageBuffer buffer_;  // empty for a view
  Vectors vectors_;
};

}  // namespace boon::index
