#include "boon/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "boon/core/buffer.h"
#include "boon/core/check.h"
#include "boon/core/error.h"
#include "boon/core/posix.h"

namespace boon {
namespace {

// One system call per mebibyte costs nothing beside the copy; larger writes go
// past the buffer.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// Renaming over a pipe or a device would remove it, so only a regular file is
// ever replaced; and one that its owner made read-only is left alone, though
// the folder would allow the rename.
void check_replaceable(const Path& name, const Path& target, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("cannot write {}: it is a folder; name a file in it", name.native()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("cannot write {}: it is not a regular file", name.native()));
  }
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) throw posix::io_error("write", name, errno);
}

// ".NAME.PID-N.tmp": two objects never share one, and N moves on past what
// killed processes left behind.
std::string temporary_name(const Path& target) {
  static std::atomic<std::uint64_t> count{0};
  constexpr std::size_t kNameMax = 200;  // file systems end at 255 bytes; the rest is for the ornaments
  const std::string name = target.filename().native().substr(0, kNameMax);
  return fmt::format(".{}.{}-{}.tmp", name, ::getpid(), count.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

MappedFile::MappedFile(const Path& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int descriptor = posix::retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw Error(ErrorCode::not_found, fmt::format("{}: there is no such file", path.native()));
    }
    throw posix::io_error("read", path, errno);
  }
  struct stat status = {};
  void* mapping = nullptr;
  int error = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  const bool regular = S_ISREG(status.st_mode);
  if (error == 0 && regular && status.st_size > 0) {
    mapping = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) error = errno;
  }
  ::close(descriptor);
  if (error != 0) throw posix::io_error("read", path, error);
  if (!regular) {
    throw Error(ErrorCode::invalid_argument, fmt::format("cannot read {}: it is {}", path.native(),
                                                         S_ISDIR(status.st_mode) ? "a folder" : "not a regular file"));
  }
  data_ = static_cast<const std::byte*>(mapping);
  size_ = static_cast<std::size_t>(status.st_size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  MappedFile moved(std::move(other));
  std::swap(data_, moved.data_);
  std::swap(size_, moved.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

namespace {

// Whole pages from `from` on.
void advise(std::uintptr_t from, std::uintptr_t to, int advice) noexcept {
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, advice);
}

}  // namespace

void MappedFile::will_read(Bytes part) const noexcept {
  // Not MADV_SEQUENTIAL: it stays on the mapping, and a search reads at random afterwards.
  const std::size_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  advise(begin / page * page, begin + part.size(), MADV_WILLNEED);
}

void MappedFile::will_read_scattered(Bytes part) const noexcept {
  // Those at the ends hold other parts too.
  const std::size_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  advise(align_up(begin, page), (begin + part.size()) / page * page, MADV_RANDOM);
}

AtomicFile::AtomicFile(const Path& target) : name_(target), target_(posix::resolve_links(target)) {
  if (target_.filename().empty()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("cannot write '{}': it does not name a file", name_.native()));
  }
  struct stat old = {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces) check_replaceable(name_, target_, old);
  buffer_.reserve(kBufferBytes);

  // Until it has the old file's mode, nobody else may look into its successor.
  const mode_t mode = replaces ? 0600 : 0666;
  do {
    temporary_ = target_.parent_path() / temporary_name(target_);
    descriptor_ = posix::retry(
        [&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode); });
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail(errno);
  if (replaces) {
    // Only root may give a file away, and only root needs to: a change made
    // with sudo must not lock the owner out.
    [[maybe_unused]] const int refused = ::fchown(descriptor_, old.st_uid, old.st_gid);
    if (::fchmod(descriptor_, old.st_mode & 07777) != 0) fail(errno);
  }
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(Bytes bytes) {
  BOON_CHECK(descriptor_ >= 0);
  if (bytes.size() > kBufferBytes - buffer_.size()) flush();
  if (bytes.size() >= kBufferBytes) {
    put(size_, bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  size_ += bytes.size();
}

void AtomicFile::write_at(std::uint64_t offset, Bytes bytes) {
  BOON_CHECK(descriptor_ >= 0);
  BOON_CHECK(offset <= size_ && bytes.size() <= size_ - offset);
  flush();
  put(offset, bytes);
}

void AtomicFile::commit() {
  BOON_CHECK(descriptor_ >= 0);
  flush();
  if (posix::retry([&] { return ::fsync(descriptor_); }) != 0) fail(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  ::close(std::exchange(descriptor_,
                        -1));  // after fsync, close has nothing left to report
  sync_folder();
}

void AtomicFile::flush() {
  put(size_ - buffer_.size(), buffer_);
  buffer_.clear();
}

void AtomicFile::put(std::uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        posix::retry([&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written <= 0) fail(written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::sync_folder() const {
  const Path folder = target_.has_parent_path() ? target_.parent_path() : Path(".");
  const int descriptor = posix::retry([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0 && errno == EACCES)
    return;  // a folder that may be written and not read: nothing to sync
             // through
  const bool synced = descriptor >= 0 && posix::retry([&] { return ::fsync(descriptor); }) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  // EINVAL: the file system does not sync folders.
  if (!synced && error != EINVAL) throw posix::io_error("make durable the folder of", name_, error);
}

void AtomicFile::discard() noexcept {
  if (descriptor_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

// Half a file must never be committed, and on a full disk its space is wanted:
// a failed write ends the attempt.
void AtomicFile::fail(int error) {
  discard();
  throw posix::io_error("write", name_, error);
}

}  // namespace boon
