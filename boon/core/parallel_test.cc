#include "boon/core/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "boon/core/cpu_quota.h"
#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/core/temporary_folder.h"

namespace boon {
namespace {

// Holds back whoever meets until `expected` have come.
class Meeting {
 public:
  explicit Meeting(std::size_t expected) : missing_(expected) {}
  void meet() {
    --missing_;
    missing_.notify_all();
    for (std::size_t seen = missing_; seen != 0; seen = missing_) missing_.wait(seen);
  }

 private:
  std::atomic<std::size_t> missing_;
};

TEST(ThreadPool, CoversEveryIndexExactlyOnce) {
  for (std::size_t threads = 1; threads <= 8; ++threads) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    for (const std::size_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const std::size_t grain : {0, 1, 3, 64, 5000}) {
        std::vector<int> calls(count);  // plain: an index given out twice is a race as well
        pool.for_each(count, grain, [&](std::size_t i, std::size_t) { ++calls[i]; });
        EXPECT_THAT(calls, testing::Each(1)) << threads << " threads, " << count << " by " << grain;
      }
    }
  }
}

TEST(ThreadPool, AWorkerNumberIsNeverInTwoPlacesAtOnce) {
  ThreadPool pool(4);
  std::vector<std::uint64_t> sums(pool.size());
  pool.for_each(10000, 1, [&](std::size_t i, std::size_t worker) { sums.at(worker) += i; });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 9999u * 10000u / 2);
}

TEST(ThreadPool, EveryThreadTakesPartInALoop) {
  ThreadPool pool(3);
  Meeting meeting(3);  // fewer threads would wait for ever
  std::vector<int> calls(3);
  pool.for_each(3, 1, [&](std::size_t, std::size_t worker) {
    meeting.meet();
    ++calls.at(worker);
  });
  EXPECT_THAT(calls, testing::Each(1));
}

TEST(ThreadPool, ReturnsWhenTheLastCallHas) {
  ThreadPool pool(2);
  Meeting meeting(2);
  bool finished = false;  // plain: returning early is a race as well
  pool.for_each(2, 1, [&](std::size_t, std::size_t worker) {
    meeting.meet();
    if (worker == 0) return;
    for (int i = 0; i < 10000; ++i) std::this_thread::yield();
    finished = true;
  });
  EXPECT_TRUE(finished);
}

TEST(ThreadPool, ServesLoopAfterLoop) {
  ThreadPool pool(4);
  std::vector<std::uint64_t> values(16);
  for (int loop = 0; loop < 2000; ++loop) {
    pool.for_each(values.size(), 1, [&](std::size_t i, std::size_t) { values[i] += i; });
  }
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 2000 * i);
}

// Loops that come while the other thread waits awake, as it falls asleep, and once it sleeps; pools that end meanwhile.
TEST(ThreadPool, ServesLoopsAfterPausesOfAnyLength) {
  const auto pause = [](int microseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(2);
    const std::size_t loops = random.below(10);
    for (std::size_t loop = 0; loop < loops; ++loop) {
      const bool fails = random.below(5) == 0;
      std::vector<int> calls(2 + random.below(5));
      const auto body = [&](std::size_t i, std::size_t) {
        ++calls[i];
        if (fails && i == 1) throw Error(ErrorCode::cancelled, "enough");
      };
      if (fails) {
        EXPECT_THROW(pool.for_each(calls.size(), 1, body), Error);
      } else {
        pool.for_each(calls.size(), 1, body);
        EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), std::ssize(calls));
      }
      pause(static_cast<int>(random.below(120)));
    }
  }
}

TEST(ThreadPool, FirstExceptionEndsTheLoopAndReachesTheCaller) {
  for (const std::size_t threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    // All threads are in the loop when it ends, and none would live to see all of it.
    const std::size_t count = std::size_t{1} << 62;
    Meeting meeting(threads);
    const auto body = [&](std::size_t i, std::size_t) {
      if (i < threads) meeting.meet();
      if (i == 100) throw Error(ErrorCode::cancelled, "enough");
    };
    EXPECT_THROW(pool.for_each(count, 1, body), Error);
    std::atomic<int> calls{0};
    pool.for_each(50, 1, [&](std::size_t, std::size_t) { ++calls; });
    EXPECT_EQ(calls, 50) << "after the exception";
  }
}

TEST(ThreadPool, ALoopInsideALoopIsRefused) {
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto nested = [&](std::size_t, std::size_t) { pool.for_each(1, 1, [](std::size_t, std::size_t) {}); };
    EXPECT_THROW(pool.for_each(5, 1, nested), Error);
  }
}

TEST(ThreadPool, ZeroThreadsMeansAllOfTheMachine) {
  EXPECT_GE(hardware_threads(), 1u);
  EXPECT_EQ(ThreadPool(0).size(), hardware_threads());
}

TEST(HardwareThreads, FollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &before)) continue;
    CPU_SET(processor, &one);
    break;
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(hardware_threads(), 1u);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(CpuQuota, IsRoundedUpToWholeProcessors) {
  const TemporaryFolder root;
  root.put("cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "/"), 2u);
  root.put("cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "/"), 2u);
  root.put("cpu.max", "1000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "/"), 1u);
}

TEST(CpuQuota, TheTightestGroupOnTheWayCounts) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root / "slice/service");
  root.put("slice/cpu.max", "300000 100000\n");
  root.put("slice/service/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "/slice/service"), 3u);
  root.put("slice/service/cpu.max", "100000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "/slice/service"), 1u);
}

TEST(CpuQuota, NoneOrNonsenseIsNoLimit) {
  const TemporaryFolder root;
  EXPECT_EQ(cpu_quota(root.path(), "/"), SIZE_MAX);
  for (const char* text : {"max 100000\n", "", "100000\n", "100000 0\n", "0 100000\n", "nonsense"}) {
    root.put("cpu.max", text);
    EXPECT_EQ(cpu_quota(root.path(), "/missing/group"), SIZE_MAX) << text;
  }
}

TEST(ThreadPool, MoreThreadsThanAnyMachineHasAreRefused) {
  for (const std::size_t threads : {ThreadPool::kThreadsMax + 1, std::numeric_limits<std::size_t>::max()}) {
    try {
      ThreadPool pool(threads);
      ADD_FAILURE() << threads;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace boon
