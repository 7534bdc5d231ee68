#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <utility>

#include "boon/core/error.h"
#include "boon/core/file.h"
#include "boon/core/posix.h"

namespace boon {
namespace {

Path lock_path(const Path& target) {
  Path path = posix::resolve_links(target);  // all names of one file share one lock
  path += ".lock";
  return path;
}

// Whether `path` still leads to the file that is open: its owner may have
// removed it between our open and our flock.
bool leads_to(const Path& path, int descriptor) noexcept {
  struct stat named = {};
  struct stat opened = {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

// "process 1234"; an owner that has locked and not yet written its number is
// "another process".
std::string holder(int descriptor) {
  char text[24];
  const ssize_t size = posix::retry([&] { return ::pread(descriptor, text, sizeof text, 0); });
  pid_t process = 0;
  if (size > 0) std::from_chars(text, text + size, process);
  return process > 0 ? fmt::format("process {}", process) : "another process";
}

// The number only serves a message, so a disk too full to hold it does not
// matter.
void write_holder(int descriptor) {
  const std::string text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t written =
      posix::retry([&] { return ::pwrite(descriptor, text.data(), text.size(), 0); });
}

}  // namespace

WriterLock::WriterLock(const Path& target) : path_(lock_path(target)) {
  for (;;) {
    // O_NOFOLLOW: a link planted under this name must not have its file
    // emptied.
    const int descriptor =
        posix::retry([&] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666); });
    if (descriptor < 0) throw posix::io_error("lock", target, errno);
    if (posix::retry([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) != 0) {
      const int error = errno;
      const std::string owner = error == EWOULDBLOCK ? holder(descriptor) : "";
      ::close(descriptor);
      if (error != EWOULDBLOCK) throw posix::io_error("lock", target, error);
      throw Error(ErrorCode::busy,
                  fmt::format("{} is being changed by {}; try again when it has finished", target.native(), owner));
    }
    if (leads_to(path_, descriptor)) {
      descriptor_ = descriptor;
      write_holder(descriptor);
      return;
    }
    ::close(descriptor);
  }
}

// Removed while still locked: whoever opened it before sees in leads_to() that
// it is gone, and starts again.
WriterLock::~WriterLock() {
  if (leads_to(path_, descriptor_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace boon
