#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/file.h"
#include "boon/core/temporary_folder.h"

namespace boon {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What taking the lock throws; nothing if it can be had.
std::string refusal(const Path& target) {
  try {
    const WriterLock lock(target);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::busy);
    return error.what();
  }
}

// Another process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const Path& target) {
    int ends[2];
    if (::pipe(ends) != 0) throw Error(ErrorCode::io, "no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      const WriterLock lock(target);
      if (::write(ends[1], "!", 1) == 1) ::pause();  // until it is killed
      ::_exit(1);
    }
    char told = 0;
    ::close(ends[1]);
    if (::read(ends[0], &told, 1) != 1) throw Error(ErrorCode::busy, "the child did not get the lock");
    ::close(ends[0]);
  }
  ~Holder() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

TEST(WriterLock, IsHeldOnceAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  {
    const WriterLock lock(folder / "words.boon");
    EXPECT_THAT(folder.names(), ElementsAre("words.boon.lock"));
    EXPECT_EQ(folder.get("words.boon.lock"), std::to_string(::getpid()) + "\n");
    EXPECT_NE(refusal(folder / "words.boon"), "");
    EXPECT_EQ(refusal(folder / "other.boon"), "");
  }
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_EQ(refusal(folder / "words.boon"), "");
}

TEST(WriterLock, AnotherProcessIsNamed) {
  const TemporaryFolder folder;
  const Holder holder(folder / "words.boon");
  EXPECT_THAT(refusal(folder / "words.boon"),
              HasSubstr("words.boon is being changed by process " + std::to_string(holder.process()) +
                        "; try again when it has finished"));
}

TEST(WriterLock, OneLeftByAKilledProcessIsTakenOver) {
  const TemporaryFolder folder;
  { const Holder holder(folder / "words.boon"); }
  ASSERT_THAT(folder.names(), ElementsAre("words.boon.lock")) << "the killed process was to leave its lock";
  {
    const WriterLock lock(folder / "words.boon");
    EXPECT_EQ(folder.get("words.boon.lock"), std::to_string(::getpid()) + "\n");
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriterLock, AllNamesOfOneFileShareIt) {
  const TemporaryFolder folder;
  folder.put("words.boon", "x");
  std::filesystem::create_symlink("words.boon", folder / "link");
  const WriterLock lock(folder / "link");
  EXPECT_NE(refusal(folder / "words.boon"), "");
}

TEST(WriterLock, ThreadsExcludeEachOther) {
  const TemporaryFolder folder;
  std::atomic<int> inside{0};
  std::atomic<int> intrusions{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int taken = 0; taken < 200;) {
        try {
          const WriterLock lock(folder / "words.boon");
          if (++inside != 1) ++intrusions;
          std::this_thread::yield();
          --inside;
          ++taken;
        } catch (const Error& error) {
          ASSERT_EQ(error.code(), ErrorCode::busy) << error.what();
          std::this_thread::yield();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(intrusions, 0);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriterLock, ALinkPlantedUnderItsNameIsNotFollowed) {
  const TemporaryFolder folder;
  folder.put("precious", "keep");
  std::filesystem::create_symlink("precious", folder / "words.boon.lock");
  EXPECT_THROW(WriterLock(folder / "words.boon"), Error);
  EXPECT_EQ(folder.get("precious"), "keep");
}

TEST(WriterLock, AMissingFolderIsNamed) {
  const TemporaryFolder folder;
  try {
    const WriterLock lock(folder / "nowhere/words.boon");
    FAIL() << "locked in a folder that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("nowhere/words.boon"), HasSubstr("create the folder first")));
  }
}

}  // namespace
}  // namespace boon
