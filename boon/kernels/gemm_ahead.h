// Internal: fetches the blocks that will be packed next, a few cache lines with each tile, so that packing does not
// wait for L3: at the pace of a plain read it would take a twentieth of a product of 1024 x 1024 matrices.
#pragma once

#include <array>
#include <cstddef>

#include "boon/kernels/matrix.h"

namespace boon::kernels {
namespace {

class Ahead {
 public:
  // All blocks in `steps` steps.
  explicit Ahead(std::size_t steps) noexcept : steps_(steps) {}

  // One of at most two. A block without contiguous rows or columns is left out.
  template <class Element>
  void add(Matrix<const Element> block) noexcept {
    if (block.row_stride == 1) block = block.transposed();
    if (block.column_stride != 1) return;
    const std::size_t bytes = block.columns * sizeof(Element);
    const std::size_t lines = block.rows * (bytes / kLine + 1);
    blocks_[count_++] = {reinterpret_cast<const char*>(block.data), bytes, block.row_stride * sizeof(Element),
                         block.rows, (lines + steps_ - 1) / steps_};
  }

  void step() noexcept {
    for (std::size_t i = 0; i < count_; ++i) blocks_[i].step();
  }

 private:
  static constexpr std::size_t kLine = 64;

  struct Block {
    const char* run;  // bytes that follow each other; there are `runs` more of them, `stride` apart
    std::size_t run_bytes, stride, runs, lines_a_step;
    std::size_t offset = 0;

    void step() noexcept {
      for (std::size_t line = 0; line < lines_a_step && runs > 0; ++line) {
        __builtin_prefetch(run + offset, 0, 2);
        offset += kLine;
        if (offset >= run_bytes) {
          offset = 0;
          run += stride;
          --runs;
        }
      }
    }
  };

  std::size_t steps_;
  std::size_t count_ = 0;
  std::array<Block, 2> blocks_{};
};

}  // namespace
}  // namespace boon::kernels
