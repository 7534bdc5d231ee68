// Calibrations: that a target recall is reached on queries that are not in the index, and what is kept, refused and
// interrupted.
#include "boon/index/calibration.h"

#include <gmock/gmock.h>

#include <thread>

#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kDim = 16;

std::vector<float> clustered_rows(std::size_t rows, std::uint64_t seed) {
  return index::clustered_rows(rows, kDim, seed, 30, .7F);
}

// A weak graph, so that narrow beams miss something.
Index index_of(std::span<const float> rows, Metric metric = Metric::l2, const std::string& codes = "none") {
  Index index({.dim = kDim, .metric = metric, .graph = {.neighbours = 5, .build_beam = 30}, .codes = codes});
  index.add(rows);
  return index;
}
Index index_of(std::size_t rows) {
  return index_of(clustered_rows(rows, 1));
}

double recall_of(const Index& index, std::span<const float> queries, std::size_t k, const SearchOptions& options) {
  const std::size_t count = queries.size() / index.dim();
  const Matches truth = index.search_many(queries, k, {.exact = true});
  const Matches found = index.search_many(queries, k, options);
  std::size_t right = 0;
  for (std::size_t i = 0; i < count * k; ++i) {
    right += found.distances[i] <= truth.distances[i / k * k + k - 1] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(count * k);
}

// Held-out queries come from the same distribution. The tolerance is three deviations of a mean over 500 of them: what
// a query finds deviates by less than .12 at these recalls.
constexpr double kTolerance = .016;

TEST(Calibration, TargetsAreReachedOnOtherQueries) {
  const auto rows = clustered_rows(6000, 1);
  const auto held_out = clustered_rows(500, 2);
  const auto given = clustered_rows(500, 3);
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    for (const char* codes : {"none", "int8"}) {
      Index index = index_of(rows, metric, codes);
      for (const bool own_rows : {true, false}) {
        const Calibration made = index.calibrate(own_rows ? std::span<const float>() : given);
        EXPECT_EQ(made.own_rows, own_rows);
        EXPECT_EQ(made.queries, own_rows ? 1000U : 500U);
        for (const double target : {.8, .9, .95, .98}) {
          EXPECT_GE(recall_of(index, held_out, 10, {.target_recall = target}), target - kTolerance)
              << name(metric) << ", codes " << codes << ", " << (own_rows ? "own rows" : "given") << ", " << target;
        }
      }
    }
  }
}

// It is for less work, too.
TEST(Calibration, ALowerTargetTakesANarrowerBeam) {
  Index index = index_of(6000);
  index.calibrate();
  const auto queries = clustered_rows(100, 2);
  std::uint64_t before = 0;
  for (const double target : {.7, .9, .98}) {
    const auto distances = index.search_many(queries, 10, {.target_recall = target}).statistics.distances;
    EXPECT_GT(distances, before) << target;
    before = distances;
  }
}

// A little less, as their neighbours have spent links on them; most in a graph of few links such as this.
TEST(Calibration, OwnRowsShowNearlyWhatQueriesHeldOutShow) {
  const auto rows = clustered_rows(6000, 1);
  Index index = index_of(rows);
  const Calibration own = index.calibrate();
  const Calibration given = index.calibrate(clustered_rows(1000, 2));
  std::size_t compared = 0;
  for (const CalibrationPoint& point : own.points) {
    const auto same = std::ranges::find(given.points, point.beam, &CalibrationPoint::beam);
    if (same == given.points.end()) continue;  // it gained nothing there
    EXPECT_LE(point.recall, same->recall + .015) << point.beam;
    EXPECT_GE(point.recall, same->recall - .05) << point.beam;
    ++compared;
  }
  EXPECT_GT(compared, 5U);
}

TEST(Calibration, IsTheSameOnAnyNumberOfThreadsAndDependsOnTheSeed) {
  Index index = index_of(3000);
  const Calibration one = index.calibrate({}, {.sample = 200, .threads = 1});
  EXPECT_EQ(index.calibrate({}, {.sample = 200, .threads = 3}), one);
  EXPECT_NE(index.calibrate({}, {.sample = 200, .seed = 1}).points, one.points);
}

TEST(Calibration, BeamsAndRecallsRise) {
  for (const char* codes : {"none", "int8"}) {
    Index index = index_of(clustered_rows(3000, 1), Metric::l2, codes);
    const Calibration made = index.calibrate({}, {.k = 5});
    EXPECT_GE(made.points.front().beam, 5U);
    for (std::size_t i = 0; i < made.points.size(); ++i) {
      EXPECT_LE(made.points[i].recall_min, made.points[i].recall);
      if (i == 0) continue;
      EXPECT_GT(made.points[i].beam, made.points[i - 1].beam);
      EXPECT_GT(made.points[i].recall, made.points[i - 1].recall);
    }
    EXPECT_GT(made.points.back().recall, .99);
  }
}

// Copies would answer for the row that is asked for, and for each other.
TEST(Calibration, CopiesOfARowAreInvisibleWithIt) {
  const auto rows = clustered_rows(1500, 1);
  std::vector<float> thrice = rows;
  for (int i = 0; i < 2; ++i) thrice.insert(thrice.end(), rows.begin(), rows.end());
  Index index = index_of(thrice);
  ASSERT_EQ(index.statistics().twins, 3000U);
  const Calibration made = index.calibrate({}, {.k = 9});
  // With its copies each query would find three of nine at once; so narrow beams have to find as much in an index of
  // single rows when asked for three.
  const Calibration single = index_of(rows).calibrate({}, {.k = 3});
  EXPECT_LT(made.points.front().recall, 1);
  EXPECT_GE(made.points.back().recall, single.points.front().recall);
  EXPECT_GE(recall_of(index, clustered_rows(300, 2), 9, {.target_recall = .9}), .9 - kTolerance);
}

TEST(Calibration, RowsOfManyCopiesStandForNoQuery) {
  std::vector<float> many;
  for (int i = 0; i < 30; ++i) many.insert(many.end(), kDim, 1.5F);
  Index index = index_of(many);
  EXPECT_THAT(thrown_by([&] { index.calibrate(); }).message, HasSubstr("of the 30 vectors"));
  EXPECT_EQ(index.calibrate(clustered_rows(5, 1)).points.back().recall, 1);
}

TEST(Calibration, RemovedRowsAreNeitherAskedForNorRight) {
  Index index = index_of(3000);
  std::vector<Id> removed(280);
  std::iota(removed.begin(), removed.end(), 100);
  index.remove(removed);
  ASSERT_EQ(index.statistics().deleted, 280U);
  const Calibration made = index.calibrate({}, {.sample = 5000});
  EXPECT_LE(made.queries, 2720U);
  EXPECT_GT(made.queries, 2000U);
  EXPECT_GT(made.points.back().recall, .99);
}

TEST(Calibration, OtherKTakeTheNextLargerTableOrWidenInProportion) {
  Index index = index_of(4000);
  const Calibration made = index.calibrate();
  const auto enough =
      std::ranges::find_if(made.points, [](const CalibrationPoint& point) { return point.recall_min >= .9; });
  ASSERT_NE(enough, made.points.end());
  const auto queries = clustered_rows(50, 2);
  for (const std::size_t k : {1, 10, 30}) {
    const std::size_t beam = k <= 10 ? enough->beam : 3 * enough->beam;
    const Matches aimed = index.search_many(queries, k, {.target_recall = .9});
    const Matches widened = index.search_many(queries, k, {.beam = beam});
    EXPECT_EQ(aimed.ids, widened.ids) << k;
    EXPECT_EQ(aimed.statistics.distances, widened.statistics.distances) << k;
    EXPECT_GE(recall_of(index, clustered_rows(300, 3), k, {.target_recall = .9}), .9 - kTolerance) << k;
  }
}

TEST(Calibration, OneQueryIsAnsweredAsManyAre) {
  Index index = index_of(2000);
  index.calibrate();
  const auto queries = clustered_rows(20, 2);
  const Matches many = index.search_many(queries, 5, {.target_recall = .9});
  for (std::size_t q = 0; q < 20; ++q) {
    const auto one = index.search(row_of(queries, q, kDim), 5, {.target_recall = .9});
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(one[i].id, many.ids[q * 5 + i]);
  }
}

// Two queries vouch for little.
TEST(Calibration, ATargetThatNoBeamReachedForCertainIsMetByAnExactSearch) {
  Index index = index_of(2000);
  index.calibrate({}, {.sample = 2});
  const auto queries = clustered_rows(20, 2);
  const Matches found = index.search_many(queries, 10, {.target_recall = .99});
  EXPECT_EQ(found.ids, index.search_many(queries, 10, {.exact = true}).ids);
  EXPECT_EQ(found.statistics.hops, 0U);
}

// What a sample can vouch for at most is found by a walk, as the ladder goes on while bounds rise.
TEST(Calibration, ATargetNearTheMostThatASampleSaysIsReachedByAWalk) {
  Index index = index_of(4000);
  const Calibration made = index.calibrate();
  EXPECT_GT(std::ranges::count_if(made.points, [](const auto& point) { return point.recall >= .999; }), 1);
  const Matches found = index.search_many(clustered_rows(20, 2), 10, {.target_recall = made.points.back().recall_min});
  EXPECT_GT(found.statistics.hops, 0U);
}

TEST(Calibration, FiltersWidenTheBeamAsAnyOther) {
  Index index = index_of(6000);
  const Calibration made = index.calibrate();
  const auto enough =
      std::ranges::find_if(made.points, [](const CalibrationPoint& point) { return point.recall_min >= .9; });
  const auto queries = clustered_rows(50, 2);
  const Filter filter = Filter::where([](Id id) { return id % 3 == 0; });
  const Matches aimed = index.search_many(queries, 10, {.target_recall = .9, .filter = filter});
  EXPECT_EQ(aimed.ids, index.search_many(queries, 10, {.beam = enough->beam, .filter = filter}).ids);
  for (const Id id : aimed.ids) EXPECT_EQ(id % 3, 0U);
}

TEST(Calibration, RangesAreSearchedWithATarget) {
  Index index = index_of(3000);
  index.calibrate();
  const auto query = clustered_rows(1, 2);
  const auto nearest = index.search(query, 100, {.exact = true});
  const auto found = index.search_range(query, {.target_recall = .95, .max_distance = nearest.back().distance});
  EXPECT_GE(found.size(), 90U);
  EXPECT_LE(found.size(), 100U);
}

TEST(Calibration, IsKeptInFiles) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "a.boon", again = folder.path() / "b.boon";
  Index index = index_of(2000);
  index.calibrate();
  index.calibrate({}, {.k = 30, .sample = 100});
  index.remove(std::vector<Id>{1, 2, 3});
  index.save(path);
  const auto queries = clustered_rows(20, 2);
  const Matches before = index.search_many(queries, 10, {.target_recall = .9});
  Index loaded = Index::load(path);
  Index viewed = Index::view(path);
  for (Index* opened : {&loaded, &viewed}) {
    EXPECT_EQ(opened->calibrations(), index.calibrations());
    EXPECT_EQ(opened->calibrations()[1].changed, 3U);
    EXPECT_EQ(opened->search_many(queries, 10, {.target_recall = .9}).ids, before.ids);
    opened->save(again);
    EXPECT_EQ(Index::load(again).calibrations(), index.calibrations());
  }
  EXPECT_EQ(thrown_by([&] { viewed.calibrate(); }).code, ErrorCode::read_only);
  EXPECT_EQ(loaded.calibrate(), index.calibrate());
}

TEST(Calibration, WithoutOneTheErrorSaysWhatToDo) {
  const Index index = index_of(100);
  const auto query = clustered_rows(1, 2);
  const auto expect_error = [&](const Thrown& thrown) {
    EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
    EXPECT_THAT(thrown.message, HasSubstr("not calibrated"));
    EXPECT_THAT(thrown.message, HasSubstr("boon calibrate FILE"));
  };
  expect_error(thrown_by([&] { index.search(query, 5, {.target_recall = .9}); }));
  expect_error(thrown_by([&] { index.search_many(query, 5, {.target_recall = .9}); }));
  expect_error(thrown_by([&] { index.search_range(query, {.target_recall = .9, .max_distance = 1}); }));
}

TEST(Calibration, TargetsThatAreNoneAreRefused) {
  Index index = index_of(200);
  index.calibrate();
  const auto query = clustered_rows(1, 2);
  for (const double target : {-.5, 1.0, 1.5, std::nan("")}) {
    for (const bool exact : {false, true}) {
      const Thrown thrown = thrown_by([&] { index.search(query, 5, {.target_recall = target, .exact = exact}); });
      EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
      EXPECT_THAT(thrown.message, HasSubstr("between 0 and 1"));
    }
  }
}

TEST(Calibration, SearchesThatCompareWithAllNeedNone) {
  const auto rows = clustered_rows(50, 1);
  const auto query = clustered_rows(1, 2);
  Index exact({.dim = kDim, .metric = Metric::l2, .kind = IndexKind::exact});
  exact.add(rows);
  EXPECT_THAT(exact.search(query, 5, {.target_recall = .99}), SizeIs(5));
  EXPECT_THAT(thrown_by([&] { exact.calibrate(); }).message, HasSubstr("nothing to calibrate"));
  const Index index = index_of(rows);
  EXPECT_THAT(index.search(query, 5, {.target_recall = .99, .exact = true}), SizeIs(5));
  EXPECT_THAT(index.search(query, 50, {.target_recall = .99}), SizeIs(50));
  EXPECT_THAT(index_of(std::span<const float>()).search(query, 5, {.target_recall = .99}), IsEmpty());
}

TEST(Calibration, WhatCannotBeMeasuredIsRefused) {
  Index index = index_of(100);
  const auto refused = [](const auto& call, const char* why) {
    const Thrown thrown = thrown_by(call);
    EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
    EXPECT_THAT(thrown.message, HasSubstr(why));
  };
  refused([&] { index.calibrate({}, {.k = 0}); }, "k is 0");
  refused([&] { index.calibrate({}, {.k = 100}); }, "k is 100, and the index has 100 vectors");
  refused([&] { index.calibrate({}, {.sample = 0}); }, "sample is 0");
  refused([&] { index.calibrate(std::vector<float>(kDim + 1)); }, "not whole queries");
  std::vector<float> bad = clustered_rows(3, 1);
  bad[kDim + 2] = std::nanf("");
  refused([&] { index.calibrate(bad); }, "query 1");
  Index empty = index_of(std::span<const float>());
  refused([&] { empty.calibrate(); }, "empty");
  refused([&] { empty.calibrate(clustered_rows(3, 1)); }, "empty");
  Index few = index_of(2);  // of which one is where searches begin, and one may be above the floor
  few.remove(std::vector<Id>{1});
  refused([&] { few.calibrate({}, {.k = 1}); }, "all of them would be answers");
  EXPECT_THAT(index.calibrations(), IsEmpty());
}

TEST(Calibration, AFewRowsAreEnough) {
  Index index = index_of(12);
  const Calibration made = index.calibrate({}, {.k = 5});
  EXPECT_LE(made.queries, 11U);
  EXPECT_EQ(made.points.back().recall, 1);
}

TEST(Calibration, GoesStaleWhenATenthHasChanged) {
  Index index = index_of(1000);
  const auto query = clustered_rows(1, 2);
  const auto works = [&] { return index.search(query, 5, {.target_recall = .5}).size() == 5; };
  const auto stale = [&] {
    EXPECT_THAT(thrown_by(works).message, HasSubstr("have changed since"));
    EXPECT_TRUE(index.calibrations()[0].stale());
  };
  std::vector<Id> first(50);
  std::iota(first.begin(), first.end(), 0);
  index.calibrate();
  index.remove(first);
  index.add(clustered_rows(50, 3));
  EXPECT_TRUE(works());
  const Id one = 500;
  index.add(clustered_rows(1, 4), {&one, 1}, {.replace = true});
  stale();
  index.calibrate();
  EXPECT_EQ(index.calibrations()[0].changed, 0U);
  EXPECT_TRUE(works());
  index.add(clustered_rows(101, 5));
  stale();
}

// The beams of walks over vectors are not those of walks over codes.
TEST(Calibration, GoesStaleWhenCodesComeToBe) {
  const auto rows = clustered_rows(1030, 1);
  Index index = index_of(std::span(rows).first(1000 * kDim), Metric::l2, "auto");
  index.calibrate();
  index.add(std::span(rows).subspan(1000 * kDim));
  ASSERT_NE(index.codes(), "none");
  EXPECT_TRUE(index.calibrations()[0].stale());
}

TEST(Calibration, StoppedByProgressItLeavesWhatWasThere) {
  Index index = index_of(2000);
  std::size_t calls = 0, last = 0;
  const Progress counting = [&](std::size_t done, std::size_t total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
    ++calls;
    return true;
  };
  const Calibration made = index.calibrate({}, {.sample = 300, .progress = counting});
  ASSERT_GT(calls, 5U);
  for (std::size_t stop_at = 1; stop_at < calls; ++stop_at) {
    std::size_t called = 0;
    const Progress stopping = [&](std::size_t, std::size_t) { return ++called < stop_at; };
    const Thrown thrown = thrown_by([&] { index.calibrate({}, {.sample = 300, .progress = stopping}); });
    EXPECT_EQ(thrown.code, ErrorCode::cancelled);
    EXPECT_EQ(index.calibrations(), std::vector{made});
  }
}

TEST(CalibrationThreads, SearchesGoOnBesideItAndWritersTakeTurns) {
  const auto rows = clustered_rows(1200, 1);
  Index index = index_of(std::span(rows).first(1000 * kDim));
  index.calibrate({}, {.sample = 30});
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&, i] {
      const auto queries = clustered_rows(40, 10 + i);
      while (!over) {
        EXPECT_EQ(index.search_many(queries, 5, {.target_recall = .6}).counts[0], 5U);
        EXPECT_FALSE(index.calibrations().empty());
      }
    });
  }
  others.emplace_back([&] {
    for (std::size_t row = 1000; row < 1050; row += 10) {
      index.add(std::span(rows).subspan(row * kDim, 10 * kDim), {}, {.threads = 1});
      index.remove(std::vector<Id>{row});
    }
  });
  for (int i = 0; i < 8; ++i) index.calibrate({}, {.k = i % 2 == 0 ? 10U : 3U, .sample = 60, .threads = 2});
  over = true;
  for (std::thread& other : others) other.join();
  expect_all_find_themselves(index);
}

}  // namespace
}  // namespace boon::index
