#include "boon/core/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "boon/core/error.h"
#include "boon/core/temporary_folder.h"

namespace boon {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Bytes bytes_of(std::string_view text) {
  return as_bytes(text.data(), text.size());
}

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void replace(const Path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(bytes_of(text));
  file.commit();
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "nothing was thrown"};
}

mode_t mode_of(const Path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// Root may write anywhere; as nobody a test meets the permissions that users
// meet.
class WithoutRoot {
 public:
  WithoutRoot() : dropped_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~WithoutRoot() {
    if (dropped_ && ::seteuid(0) != 0) std::abort();
  }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;

 private:
  bool dropped_;
};

// A file system of one mebibyte, mounted on a folder where the process may do that.
class SmallDisk {
 public:
  explicit SmallDisk(const Path& folder)
      : folder_(folder), mounted_(::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") == 0) {}
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);  // also when a failing test left a file open
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  Path folder_;
  bool mounted_;
};

TEST(MappedFile, ShowsTheBytes) {
  const TemporaryFolder folder;
  folder.put("a", "some bytes");
  MappedFile file(folder / "a");
  file.will_read();
  EXPECT_EQ(text_of(file), "some bytes");
  MappedFile moved(std::move(file));
  file = std::move(moved);
  EXPECT_EQ(text_of(file), "some bytes");
}

TEST(MappedFile, ShowsTheBytesHoweverTheyAreToBeRead) {
  const TemporaryFolder folder;
  std::string text(50'000, '.');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i * i % 23);
  folder.put("a", text);
  const MappedFile file(folder / "a");
  for (const std::size_t from : {0U, 1U, 4096U, 4097U}) {
    for (const std::size_t size : {0U, 1U, 4095U, 4096U, 20'000U, 45'903U}) {
      file.will_read_scattered(file.bytes().subspan(from, size));
    }
  }
  EXPECT_EQ(text_of(file), text);
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  folder.put("a", "");
  const MappedFile file(folder / "a");
  file.will_read();
  EXPECT_TRUE(file.bytes().empty());
}

TEST(MappedFile, WhatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  const Error missing = error_of([&] { MappedFile file(folder / "missing.boon"); });
  EXPECT_EQ(missing.code(), ErrorCode::not_found);
  EXPECT_THAT(missing.what(), HasSubstr("missing.boon"));
  const Error directory = error_of([&] { MappedFile file(folder.path()); });
  EXPECT_EQ(directory.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(directory.what(), HasSubstr("it is a folder"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { MappedFile file(folder / "pipe"); }).code(), ErrorCode::invalid_argument);
  folder.put("secret", "x");
  ASSERT_EQ(::chmod((folder / "secret").c_str(), 0), 0);
  const WithoutRoot scope;
  const Error refused = error_of([&] { MappedFile file(folder / "secret"); });
  EXPECT_EQ(refused.code(), ErrorCode::io);
  EXPECT_THAT(refused.what(), AllOf(HasSubstr("secret: permission denied"), HasSubstr("check the permissions")));
}

TEST(AtomicFile, AppearsAtCommitAndLeavesNothingElse) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  {
    AtomicFile file(folder / "a");
    file.write(bytes_of("new"));
    EXPECT_EQ(folder.get("a"), "old");
    file.commit();
  }
  EXPECT_EQ(folder.get("a"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  {
    AtomicFile file(folder / "a");
    AtomicFile other(folder / "b");
    file.write(bytes_of(std::string(3 << 20, 'x')));
    other.write(bytes_of("new"));
  }
  EXPECT_EQ(folder.get("a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(AtomicFile, WritesOfAllSizesComeOutInOrder) {
  const TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "a");
  for (const std::size_t size : {0, 1, 100, 1 << 20, (1 << 20) - 101, 7, 3 << 20, (1 << 20) - 1, 1, 2}) {
    const std::string part(size, static_cast<char>('a' + expected.size() % 23));
    file.write(bytes_of(part));
    expected += part;
    EXPECT_EQ(file.size(), expected.size());
  }
  file.write_at(0, bytes_of("HEAD"));
  file.write_at(expected.size() - 4, bytes_of("TAIL"));
  file.write(bytes_of("more"));
  file.commit();
  expected.replace(0, 4, "HEAD").replace(expected.size() - 4, 4, "TAIL");
  EXPECT_TRUE(folder.get("a") == expected + "more");
}

TEST(AtomicFile, NothingIsWrittenAtPastTheEnd) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write(bytes_of("1234"));
  EXPECT_EQ(error_of([&] { file.write_at(1, bytes_of("abcd")); }).code(), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { file.write_at(5, {}); }).code(), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { file.write_at(UINT64_MAX, bytes_of("ab")); }).code(), ErrorCode::internal);
}

TEST(AtomicFile, TwoWritersOfOneTargetDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a");
  AtomicFile second(folder / "a");
  first.write(bytes_of("first"));
  second.write(bytes_of("second"));
  first.commit();
  EXPECT_EQ(folder.get("a"), "first");
  second.commit();
  EXPECT_EQ(folder.get("a"), "second");
}

TEST(AtomicFile, KeepsTheModeOrTakesTheUmasks) {
  const TemporaryFolder folder;
  const mode_t umask_before = ::umask(027);
  replace(folder / "new", "x");
  folder.put("old", "x");
  ASSERT_EQ(::chmod((folder / "old").c_str(), 0664), 0);
  replace(folder / "old", "y");
  ::umask(umask_before);
  EXPECT_EQ(mode_of(folder / "new"), 0640u);
  EXPECT_EQ(mode_of(folder / "old"), 0664u);
}

TEST(AtomicFile, ThroughALinkReplacesWhatItLeadsTo) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  folder.put("deep/a", "old");
  std::filesystem::create_symlink("deep/b",
                                  folder / "first");  // a link to a link
  std::filesystem::create_symlink("a", folder / "deep/b");
  std::filesystem::create_symlink(folder / "deep/none", folder / "dangling");
  replace(folder / "first", "new");
  replace(folder / "dangling", "born");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "deep/b"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_EQ(folder.get("deep/a"), "new");
  EXPECT_EQ(folder.get("deep/none"), "born");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(error_of([&] { replace(folder / "circle", "x"); }).code(), ErrorCode::io);
}

TEST(AtomicFile, NamesNeedNotBeTextOfAnyEncoding) {
  const TemporaryFolder folder;
  for (const char* name : {"\xff\xfe\x80", "w\xc3\xb6rter \xe8\xaa\x9e", "with\nline and 'quotes'", "{}"}) {
    const Path place = folder / name;
    std::filesystem::create_directory(place);
    replace(place / name, "inside");
    EXPECT_EQ(text_of(MappedFile(place / name)), "inside");
    EXPECT_THAT(error_of([&] { MappedFile file(place / "none" / name); }).what(), HasSubstr(name));
    const WriterLock lock(place / name);
    EXPECT_THAT(error_of([&] { WriterLock second(place / name); }).what(), HasSubstr(name));
  }
  const std::string longest(255, 'n');
  replace(folder / longest, "inside");
  EXPECT_EQ(folder.get(longest), "inside");
}

TEST(AtomicFile, WhatIsNotARegularFileIsRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "directory");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { AtomicFile file(folder / "directory"); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { AtomicFile file(folder / "directory/"); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { AtomicFile file(folder / "pipe"); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { AtomicFile file(Path{}); }).code(), ErrorCode::invalid_argument);
  EXPECT_THAT(folder.names(), ElementsAre("directory", "pipe"));
}

TEST(AtomicFile, UnwritablePlacesAreNamed) {
  const TemporaryFolder folder;
  const Error missing = error_of([&] { AtomicFile file(folder / "nowhere/a.boon"); });
  EXPECT_EQ(missing.code(), ErrorCode::io);
  EXPECT_THAT(missing.what(), AllOf(HasSubstr("nowhere/a.boon"), HasSubstr("create the folder first")));
  folder.put("locked", "old");
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  {
    const WithoutRoot scope;
    for (const char* name : {"a.boon", "locked"}) {
      const Error refused = error_of([&] { AtomicFile file(folder / name); });
      EXPECT_EQ(refused.code(), ErrorCode::io);
      EXPECT_THAT(refused.what(), AllOf(HasSubstr(name), HasSubstr("permission denied")));
    }
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const WithoutRoot scope;
  // The folder would allow the rename; the file's owner does not.
  EXPECT_EQ(error_of([&] { AtomicFile file(folder / "locked"); }).code(), ErrorCode::io);
}

TEST(AtomicFile, AFullDiskIsNamedAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const SmallDisk disk(folder.path());
  if (!disk.mounted()) GTEST_SKIP() << "NOT TESTED: a full disk (mounting a small tmpfs needs root)";
  folder.put("a.boon", "old");
  {
    AtomicFile file(folder / "a.boon");
    const Error error = error_of([&] { file.write(bytes_of(std::string(4 << 20, 'x'))); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.boon: no space left on device"), HasSubstr("free some space")));
    EXPECT_THAT(folder.names(), ElementsAre("a.boon")) << "the space is given back at once";
    EXPECT_EQ(error_of([&] { file.commit(); }).code(), ErrorCode::internal) << "half a file was committed";
  }
  EXPECT_EQ(folder.get("a.boon"), "old");
  AtomicFile late(folder / "a.boon");
  const std::string part(100 << 10, 'x');
  for (int i = 0; i < 10; ++i) late.write(bytes_of(part));  // all of it fits the buffer, and not the disk
  folder.put("other", part);
  EXPECT_EQ(error_of([&] { late.commit(); }).code(), ErrorCode::io);
  EXPECT_EQ(folder.get("a.boon"), "old");
}

TEST(AtomicFile, ALimitOnFileSizesIsNamed) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {.rlim_cur = 3 << 19, .rlim_max = before.rlim_max};
  const auto handler_before = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  // The first call to the system writes a part, the second nothing.
  const Error error = error_of([&] { replace(folder / "a", std::string(4 << 20, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler_before);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("ulimit -f"));
  EXPECT_EQ(folder.get("a"), "old");
}

TEST(AtomicFile, AKilledWriterLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.write(bytes_of(std::string(3 << 20, 'x')));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.get("a"), "old");
  EXPECT_EQ(folder.names().size(), 2u) << "the child was to die with its temporary file";
  replace(folder / "a", "new");
  EXPECT_EQ(folder.get("a"), "new");
}

}  // namespace
}  // namespace boon
