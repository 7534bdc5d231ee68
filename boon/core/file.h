// Files: a read-only mapping, a file that appears whole or not at all, and a lock among writers.
// Paths are bytes, as Linux has them; messages show them as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "boon/core/bytes.h"

namespace boon {

using Path = std::filesystem::path;

// A whole file mapped for reading. Throws not_found, or io with the system's reason. An empty file has no bytes.
// A directory is refused as invalid_argument.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const Path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const noexcept { return {data_, size_}; }
  // Tells the kernel that the whole file, or a part of it, will soon be read, from front to back.
  void will_read() const noexcept { will_read(bytes()); }
  void will_read(Bytes part) const noexcept;
  // Tells the kernel that `part` of the file will be read here and there, so that what lies around what is asked for is
  // better left on disk.
  void will_read_scattered(Bytes part) const noexcept;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Writes beside the target under a temporary name; commit() makes the bytes durable and renames, so a reader (and a
// crash) sees the old file or the new one. Without commit the temporary file is removed. Every call may throw io;
// the message names the target and the reason ("no space left on device"), and the temporary file is gone then: what
// failed once is not committed.
//
// A target that is a symbolic link stays one, and the file that it leads to is replaced. The mode of an existing file
// is kept (and its owner, as far as the process may); a new one gets 0666 less the umask. Whatever is not a regular
// file is refused as invalid_argument, a file that may not be written as io.
class AtomicFile {
 public:
  explicit AtomicFile(const Path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(Bytes bytes);
  // Overwrites bytes written before (a header that is known last): offset + bytes.size() <= size().
  void write_at(std::uint64_t offset, Bytes bytes);
  std::uint64_t size() const noexcept { return size_; }
  // fsync of the file, rename, fsync of the folder. The last call: nothing can be written afterwards.
  void commit();

 private:
  void flush();
  void put(std::uint64_t offset, Bytes bytes);
  void sync_folder() const;
  void discard() noexcept;
  [[noreturn]] void fail(int error);

  Path name_;    // as the caller has it, for messages
  Path target_;  // links followed
  Path temporary_;
  int descriptor_ = -1;            // -1 after commit and after a failure
  std::uint64_t size_ = 0;         // with what is still in the buffer
  std::vector<std::byte> buffer_;  // the last bytes before size_
};

// The right to change `target`, held by one process at a time from reading it to replacing it. Kept in "TARGET.lock",
// which holds the owner's process number and is removed on release; one left behind by a killed process does not
// count. Throws busy at once, naming the holder, if another process or thread has it; io if the folder cannot be
// written.
class WriterLock {
 public:
  explicit WriterLock(const Path& target);
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();

 private:
  Path path_;
  int descriptor_ = -1;
};

}  // namespace boon
