// Large zeroed memory that grows: an anonymous mapping that starts on a huge-page boundary.
//
// A graph search touches rows at random; with 4 KiB pages nearly each touch also misses the TLB, so the kernel is asked
// for huge pages (transparent, where it allows them). Growth moves page tables and not bytes (mremap); pages that were
// never touched take no memory, so a doubling reserve costs none.
#pragma once

#include <cstddef>
#include <utility>

namespace boon {

// Of memory and of mapped files.
std::size_t page_bytes() noexcept;

class PageBuffer {
 public:
  PageBuffer() = default;
  PageBuffer(PageBuffer&& other) noexcept { swap(other); }
  PageBuffer& operator=(PageBuffer&& other) noexcept {
    PageBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~PageBuffer();

  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  std::size_t capacity() const noexcept { return capacity_; }

  // At least `bytes` of capacity, new bytes zero. Moves the data: no reader may hold a pointer. Throws out_of_memory,
  // in which case nothing has changed.
  void reserve(std::size_t bytes);
  // Gives memory past `bytes` back to the system and lowers the capacity to what is left; bytes past `bytes` are zero
  // again. The data stays where it is.
  void shrink(std::size_t bytes);

 private:
  void swap(PageBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace boon
