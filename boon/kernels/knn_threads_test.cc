// The threads of a base: kept, and shared by nobody.
#include "boon/kernels/knn_threads.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "boon/kernels/knn_testing.h"

namespace boon::kernels {
namespace {

TEST(KnnThreads, AreKeptUntilAnotherNumberIsAsked) {
  KnnThreads threads;
  const auto pool_of = [&](std::size_t count) {
    const ThreadPool* used = nullptr;
    threads.with(count, [&](ThreadPool& pool) {
      EXPECT_EQ(pool.size(), count);
      used = &pool;
    });
    return used;
  };
  const ThreadPool* const pool = pool_of(2);
  EXPECT_EQ(pool_of(2), pool);
  pool_of(1);
  EXPECT_EQ(pool_of(2), pool) << "a search alone needs no threads and ends none";
  pool_of(3);
}

TEST(KnnThreads, OneOfItsOwnIsMadeForWhoFindsThemTaken) {
  KnnThreads threads;
  threads.with(2, [&](ThreadPool& pool) {
    std::thread([&] {
      threads.with(2, [&](ThreadPool& other) {
        EXPECT_NE(&other, &pool);
        EXPECT_EQ(other.size(), 2u);
      });
    }).join();
  });
}

TEST(KnnThreads, AreFreeAgainAfterAnException) {
  KnnThreads threads;
  EXPECT_THROW(threads.with(2, [](ThreadPool&) { throw 1; }), int);
  int calls = 0;
  threads.with(2, [&](ThreadPool&) { ++calls; });
  EXPECT_EQ(calls, 1);
}

class KnnSearches : public testing::Test {
 protected:
  Answers ask_for(KnnPath path, std::size_t threads) const {
    return ask(base_, {.data = set_.queries.data(), .count = set_.asked(), .k = 5, .threads = threads, .path = path});
  }

  TestSet set_ = make_set(Kind::gaussian, 600, 3, 24);
  KnnBase base_{KnnRows::of(set_.base.data(), set_.rows(), set_.dim), {}};
};

TEST_F(KnnSearches, ManyAtOnceOfOneBaseAnswerAsOne) {
  const Answers expected = ask_for(KnnPath::plain, 1);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < wrong.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (std::size_t turn = 0; turn < 25; ++turn) {
        constexpr KnnPath kPaths[] = {KnnPath::plain, KnnPath::rows, KnnPath::floats, KnnPath::codes};
        wrong[caller] += difference(ask_for(kPaths[turn % 4], 1 + (turn + caller) % 3), expected);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, std::vector<std::string>(wrong.size()));
}

TEST_F(KnnSearches, GoOnInAProcessThatWasForked) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a forked process that starts a thread";
#endif
  const Answers expected = ask_for(KnnPath::codes, 2);
  const auto search_and_exit = [&] {
    {
      const KnnBase base(std::move(base_));
      Answers found = expected;
      found.count = knn(base, {.data = set_.queries.data(), .count = set_.asked(), .k = 5, .threads = 2},
                        found.rows.data(), found.distances.data());
      if (found != expected) std::_Exit(1);
    }
    std::_Exit(0);  // the base ended too
  };
  EXPECT_EXIT(search_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace boon::kernels
