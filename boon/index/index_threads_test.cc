// Several threads at once, for ThreadSanitizer above all: searches beside every kind of change, and writers among
// themselves.
#include <set>
#include <thread>

#include "boon/core/temporary_folder.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

constexpr std::size_t kDim = 8;

std::vector<Id> range(Id first, Id last) {
  std::vector<Id> ids(last - first);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

// Runs the searches of several threads until `change` returns.
void search_during(Index& index, const std::function<void()>& change) {
  std::atomic<bool> over{false};
  std::vector<std::thread> readers;
  for (std::uint64_t t = 0; t < 3; ++t) {
    readers.emplace_back([&, t] {
      const auto queries = random_rows(50, kDim, 900 + t);
      for (std::size_t q = 0; !over; q = (q + 1) % 50) {
        const auto matches = index.search(row_of(queries, q, kDim), 10, {.beam = 20});
        std::set<Id> ids;
        for (std::size_t i = 0; i < matches.size(); ++i) {
          if (i > 0 && matches[i].distance < matches[i - 1].distance) std::abort();
          if (!ids.insert(matches[i].id).second) std::abort();
        }
        index.contains(q);
      }
    });
  }
  change();
  over = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(IndexThreads, SearchesGoOnBesideEveryChange) {
  TemporaryFolder folder;
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 30}});
  search_during(index, [&] {
    index.add(random_rows(500, kDim, 1), range(0, 500), {.threads = 2});
    for (Id id = 500; id < 600; ++id) index.add(random_rows(1, kDim, id), {&id, 1}, {.threads = 1});
    index.save(folder.path() / "a.boon");
    index.add(random_rows(200, kDim, 2), range(100, 300), {.threads = 2, .replace = true});
    index.remove(range(200, 450));
    index.compact();
    index.add(random_rows(300, kDim, 3), range(1000, 1300), {.threads = 2});
    index.save(folder.path() / "b.boon");
  });
  EXPECT_EQ(Index::load(folder.path() / "a.boon").size(), 600U);
  EXPECT_EQ(Index::load(folder.path() / "b.boon").size(), 650U);
  expect_all_find_themselves(index);
}

TEST(IndexThreads, ExactSearchesGoOnBesideEveryChange) {
  Index index({.dim = kDim, .metric = Metric::l2, .kind = IndexKind::exact});
  search_during(index, [&] {
    index.add(random_rows(500, kDim, 1), range(0, 500));
    for (Id id = 500; id < 600; ++id) index.add(random_rows(1, kDim, id), {&id, 1});
    index.add(random_rows(200, kDim, 2), range(100, 300), {.replace = true});
    index.remove(range(200, 450));
    index.compact();
    index.add(random_rows(300, kDim, 3), range(1000, 1300));
  });
  EXPECT_EQ(index.size(), 650U);
  expect_all_find_themselves(index);
}

// Rows move to another place and change their form while searches read them.
TEST(IndexThreads, SearchesGoOnWhileBytesBecomeFloats) {
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 30}});
  std::vector<float> whole = random_rows(300, kDim, 4);
  for (float& value : whole) value = std::round(std::abs(value) * 50);
  search_during(index, [&] {
    index.add(whole, {}, {.threads = 2});
    EXPECT_EQ(index.statistics().component, "u8");
    index.add(random_rows(100, kDim, 5), {}, {.threads = 2});
  });
  EXPECT_EQ(index.statistics().component, "fp32");
  expect_all_find_themselves(index);
}

// What one writer widens, others ask before their turn.
TEST(IndexThreads, WritersTakeTurnsWhileBytesBecomeHalves) {
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 30}, .dtype = "fp16"});
  std::vector<float> whole = random_rows(60, kDim, 4);
  for (float& value : whole) value = std::round(std::abs(value) * 50);
  std::vector<std::thread> writers;
  for (std::uint64_t t = 0; t < 3; ++t) {
    writers.emplace_back([&, t] {
      for (std::uint64_t round = 0; round < 5; ++round) {
        const bool last = t == 2 && round == 2;
        index.add(last ? random_rows(20, kDim, 9) : whole,
                  range(1000 * t + 100 * round, 1000 * t + 100 * round + (last ? 20 : 60)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.size(), 14U * 60 + 20);
  EXPECT_EQ(index.statistics().component, "fp16");
  expect_all_find_themselves(index);
}

// Every id is there at all times, once, while all are being replaced; found by walking and by comparing with all.
TEST(IndexThreads, ReplacedIdsNeverVanishAndNeverComeTwice) {
  constexpr std::size_t kRows = 120;
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 30}});
  index.add(random_rows(kRows, kDim, 1), range(0, kRows));
  std::atomic<bool> over{false};
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint64_t t = 0; t < 3; ++t) {
    readers.emplace_back([&, t] {
      const auto query = random_rows(1, kDim, 50 + t);
      while (!over) {
        const auto matches = index.search(query, kRows, {.beam = 10, .exact = t == 0});
        std::set<Id> ids;
        for (const Match& match : matches) ids.insert(match.id);
        wrong += matches.size() != kRows || ids.size() != kRows ? 1 : 0;
      }
    });
  }
  for (std::uint64_t round = 0; round < 30; ++round) {
    index.add(random_rows(kRows, kDim, 100 + round), range(0, kRows), {.threads = 2, .replace = true});
    const Id one = round;
    index.add(random_rows(1, kDim, round), {&one, 1}, {.threads = 1, .replace = true});
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(index.size(), kRows);
  expect_all_find_themselves(index);
}

TEST(IndexThreads, CheckingBesideAWriterSeesNoFaults) {
  Index index({.dim = kDim, .metric = Metric::inner_product, .graph = {.neighbours = 6, .build_beam = 30}});
  index.add(random_rows(50, kDim, 1));
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < 60; ++i) index.add(random_rows(5, kDim, 2 + i), {}, {.threads = 1});
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(index.check(0, 2).broken_links, 0U);
  writer.join();
  expect_all_find_themselves(index);
}

TEST(IndexThreads, WritersTakeTurnsAndNothingIsLost) {
  Index index({.dim = kDim, .metric = Metric::cosine, .graph = {.neighbours = 6, .build_beam = 30}});
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < 10; ++t) {
    writers.emplace_back([&, t] {
      const auto rows = random_rows(100, kDim, t);
      for (std::size_t i = 0; i < 100; ++i) {
        const Id id = t * 100 + i;
        index.add(row_of(rows, i, kDim), {&id, 1}, {.threads = 1});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.size(), 1000U);
  expect_all_find_themselves(index);
}

TEST(IndexThreads, AddingRemovedIdsAgainFromManyThreadsEnds) {
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 30}});
  index.add(random_rows(320, kDim, 1), range(0, 320));
  index.remove(range(0, 160));
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < 16; ++t) {
    writers.emplace_back([&, t] {
      const auto rows = random_rows(10, kDim, 50 + t);
      index.add(rows, range(t * 10, t * 10 + 10), {.threads = 1});
      index.remove(range(160 + t * 10, 170 + t * 10));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.size(), 160U);
  expect_all_find_themselves(index);
}

TEST(IndexThreads, SavingWhileWritersWorkGivesFilesThatOpen) {
  TemporaryFolder folder;
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 6, .build_beam = 20}});
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      for (Id id = t * 50; id < t * 50 + 50; ++id) index.add(random_rows(1, kDim, id), {&id, 1}, {.threads = 1});
    });
  }
  search_during(index, [&] {
    for (int i = 0; i < 10; ++i) {
      const Path path = folder.path() / ("save" + std::to_string(i));
      index.save(path);
      const Index loaded = Index::load(path);
      expect_all_find_themselves(loaded);
    }
    for (std::thread& writer : writers) writer.join();
  });
  EXPECT_EQ(index.size(), 200U);
}

// Codes come to be in the middle of it.
TEST(IndexThreads, TwoWritersAndReadersSeeCodesComeToBe) {
  const auto rows = random_rows(2400, kDim, 40);
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 4, .build_beam = 10}});
  index.add(std::span(rows).first(200 * kDim));
  std::atomic<bool> done{false};
  std::thread reader([&] {
    for (std::size_t row = 0; !done; row = (row + 1) % 200) {
      EXPECT_EQ(index.search(row_of(rows, row, kDim), 5).size(), 5U);
      EXPECT_FALSE(index.codes().empty());
    }
  });
  const auto write = [&](std::size_t first, std::size_t last) {
    for (; first < last; first += 100) index.add(std::span(rows).subspan(first * kDim, 100 * kDim));
  };
  std::thread other(write, 200, 1300);
  write(1300, 2400);
  other.join();
  done = true;
  reader.join();
  EXPECT_EQ(index.size(), 2400U);
  EXPECT_NE(index.codes(), "none");
  expect_all_find_themselves(index);
}

}  // namespace
}  // namespace boon::index
