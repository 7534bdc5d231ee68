#include "boon/core/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "boon/core/bytes.h"
#include "boon/core/error.h"

#if defined(__SANITIZE_THREAD__)
#define BOON_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOON_THREAD_SANITIZER 1
#endif
#endif

namespace boon {

std::size_t page_bytes() noexcept {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Whole huge pages for what fills one, whole pages for less.
std::size_t rounded(std::size_t bytes) noexcept {
  return align_up(bytes, bytes >= kHugePageBytes ? kHugePageBytes : page_bytes());
}

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw Error(ErrorCode::out_of_memory,
              fmt::format("no memory for {} bytes ({:.1f} GiB)", bytes, static_cast<double>(bytes) / 0x1p30));
}

// A fresh mapping, from one huge page up on a huge-page boundary (more is
// reserved and the ends cut off); null if there is no room. `capacity` is
// rounded.
std::byte* map(std::size_t capacity, int protection) noexcept {
  const std::size_t slack = capacity >= kHugePageBytes ? kHugePageBytes : 0;
  void* mapping = ::mmap(nullptr, capacity + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::byte*>(mapping);
  if (slack == 0) return start;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t head = align_up(address, kHugePageBytes) - address;
  if (head > 0) ::munmap(start, head);
  if (head < slack) ::munmap(start + head + capacity, slack - head);
  return start + head;
}

#ifdef BOON_THREAD_SANITIZER

// ThreadSanitizer does not see mremap and would hold the new place to what
// happened there before: copy instead.
std::byte* grow(std::byte* data, std::size_t from, std::size_t to) noexcept {
  std::byte* const place = map(to, PROT_READ | PROT_WRITE);
  if (place == nullptr) return nullptr;
  std::memcpy(place, data, from);
  ::munmap(data, from);
  return place;
}

#else

bool is_huge_aligned(const std::byte* data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data) % kHugePageBytes == 0;
}

// Longer where it stands, if it stands well and there is room behind it; else
// moved to a place reserved for it.
std::byte* grow(std::byte* data, std::size_t from, std::size_t to) noexcept {
  if (to < kHugePageBytes || is_huge_aligned(data)) {
    if (::mremap(data, from, to, 0) != MAP_FAILED) return data;
  }
  // Without access it counts against no limit on memory; mremap puts the pages
  // over it.
  std::byte* const place = map(to, PROT_NONE);
  if (place == nullptr) return nullptr;
  if (::mremap(data, from, to, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED) return place;
  // The kernel may have unmapped the place before it failed and another thread
  // may have it by now, so it is left: at worst some addresses are lost.
  return nullptr;
}

#endif

// Zero again, whole pages by giving them back.
void clear(std::byte* data, std::size_t from, std::size_t to) noexcept {
  const std::size_t whole = align_up(from, page_bytes());
  std::memset(data + from, 0, whole - from);
  if (whole == to || ::madvise(data + whole, to - whole, MADV_DONTNEED) == 0) return;
  std::memset(data + whole, 0,
              to - whole);  // pages locked in memory are not given back
}

}  // namespace

PageBuffer::~PageBuffer() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

void PageBuffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * kHugePageBytes) {
    out_of_memory(bytes);
  }
  const std::size_t wanted = rounded(bytes);
  std::byte* const grown = data_ == nullptr ? map(wanted, PROT_READ | PROT_WRITE) : grow(data_, capacity_, wanted);
  if (grown == nullptr) out_of_memory(bytes);
  data_ = grown;
  capacity_ = wanted;
  // Advice: where the kernel has no huge pages it stays with small ones.
  if (capacity_ >= kHugePageBytes) ::madvise(data_, capacity_, MADV_HUGEPAGE);
}

void PageBuffer::shrink(std::size_t bytes) {
  if (bytes >= capacity_) return;
  if (bytes == 0) {
    PageBuffer released(std::move(*this));
    return;
  }
  // If the kernel refuses (it may have run out of mappings), the capacity stays
  // and the pages go all the same.
  const std::size_t kept = rounded(bytes);
  if (kept < capacity_ && ::munmap(data_ + kept, capacity_ - kept) == 0) capacity_ = kept;
  clear(data_, bytes, capacity_);
}

}  // namespace boon
