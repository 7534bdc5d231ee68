#include "boon/core/rw_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace boon {
namespace {

TEST(RwLock, ReadersShareAndAWriterExcludes) {
  RwLock lock;
  {
    const std::shared_lock reading(lock);
    std::thread([&] {
      EXPECT_FALSE(lock.try_lock());
      ASSERT_TRUE(lock.try_lock_shared());
      lock.unlock_shared();
    }).join();
  }
  const std::unique_lock writing(lock);
  std::thread([&] {
    EXPECT_FALSE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock_shared());
  }).join();
}

TEST(RwLock, NoReaderGetsInBeforeAWaitingWriter) {
  RwLock lock;
  std::atomic<bool> arrived{false};
  lock.lock_shared();
  std::thread writer([&] {
    arrived = true;
    arrived.notify_one();
    const std::unique_lock writing(lock);
  });
  arrived.wait(false);
  // The writer is on its way; from the moment it waits no reader may pass it.
  bool refused = false;
  for (int tries = 0; tries < 10'000'000 && !refused; ++tries) {
    std::this_thread::yield();
    refused = !lock.try_lock_shared();
    if (!refused) lock.unlock_shared();
  }
  lock.unlock_shared();
  writer.join();
  EXPECT_TRUE(refused);
}

TEST(RwLock, WritersNeverLoseAnUpdate) {
  RwLock lock;
  int count = 0;  // plain: a hole in the lock is a race as well
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        {
          const std::unique_lock writing(lock);
          ++count;
        }
        const std::shared_lock reading(lock);
        EXPECT_GT(count, 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 4000);
}

}  // namespace
}  // namespace boon
