// Recall against speed: searches one query at a time on one thread, at wider and wider beams, several systems by turns.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "boon/cli/recall.h"
#include "boon/graph/options.h"
#include "boon/index/index.h"

namespace boon::cli {

// A system that is measured.
struct Runner {
  std::string name;
  // Writes the base rows of the nearest to `query`, nearest first, into all of `answers`; kNoId where there are none.
  std::function<void(std::span<const float> query, std::size_t beam, std::span<Id> answers)> search;
  // What searches for all of `queries` do, summed; may be left out.
  std::function<graph::SearchStatistics(std::span<const float> queries, std::size_t beam)> work = nullptr;
};

// boon itself. Borrows the index, whose ids are what the judge knows.
Runner runner_of(const Index& index, std::size_t k);

struct SweepOptions {
  std::vector<std::size_t> beams = {10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 800};
  std::size_t repeat = 5;  // timed passes over the queries at each beam, after an untimed one
  // A system is not asked for wider beams once it has come this far.
  double enough_recall = 0.99;
  // Time by the thread's own processor time instead of the wall's clock: for trying things out on a machine that others
  // use too. Time spent waiting for memory counts in both.
  bool processor_time = false;
};

struct SweepPoint {
  std::size_t beam = 0;
  double recall = 0;
  double qps = 0;         // queries a second in the fastest pass
  double qps_median = 0;  // in the median pass
  double hops = 0;        // per query
  double distances = 0;   // per query
};

// For each runner its points by rising beam. At each beam the runners take turns, pass by pass, so that whatever else
// the machine does meets them alike. `notice` gets a line about each point.
std::vector<std::vector<SweepPoint>> sweep(std::span<const Runner> runners, const Judge& judge,
                                           const SweepOptions& options,
                                           const std::function<void(std::string_view)>& notice);

// The points that no other beats in recall and speed at once, by rising recall and falling speed.
// `speed` is &SweepPoint::qps or &SweepPoint::qps_median.
std::vector<SweepPoint> frontier(std::span<const SweepPoint> points, double SweepPoint::*speed = &SweepPoint::qps);

// Queries a second at a recall: on the frontier, log(speed) taken as linear in recall between two points; the fastest
// point where each has more recall; none where each has less.
std::optional<double> speed_at(std::span<const SweepPoint> points, double recall,
                               double SweepPoint::*speed = &SweepPoint::qps);

}  // namespace boon::cli
