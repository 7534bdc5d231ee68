#include "boon/cli/sweep.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

// Hops and distances hardly vary, so a part of the queries tells them.
constexpr std::size_t kQueriesForWork = 1000;

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_for_all(const Runner& runner, const Judge& judge, std::size_t beam, clockid_t clock,
                       std::span<Id> answers) {
  const double start = seconds_of(clock);
  for (std::size_t i = 0; i < judge.size(); ++i) {
    runner.search(judge.query(i), beam, answers.subspan(i * judge.k(), judge.k()));
  }
  return seconds_of(clock) - start;
}

void add_work(const Runner& runner, const Judge& judge, SweepPoint& point) {
  if (!runner.work) return;
  const std::size_t count = std::min(judge.size(), kQueriesForWork);
  const auto work = runner.work(judge.queries().first(count * judge.dim()), point.beam);
  point.hops = static_cast<double>(work.hops) / static_cast<double>(count);
  point.distances = static_cast<double>(work.distances) / static_cast<double>(count);
}

// One beam, for the runners in `active`; a point for each.
std::vector<SweepPoint> measure_beam(std::span<const Runner*> active, const Judge& judge, std::size_t beam,
                                     const SweepOptions& options) {
  const clockid_t clock = options.processor_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<Id> answers(judge.size() * judge.k());
  std::vector<SweepPoint> points(active.size());
  std::vector<std::vector<double>> seconds(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) {
    points[i].beam = beam;
    seconds_for_all(*active[i], judge, beam, clock, answers);  // warms up, and is judged
    points[i].recall = judge.recall(answers);
    add_work(*active[i], judge, points[i]);
  }
  for (std::size_t pass = 0; pass < std::max<std::size_t>(options.repeat, 1); ++pass) {
    for (std::size_t i = 0; i < active.size(); ++i) {
      if (interrupted()) throw Error(ErrorCode::cancelled, "interrupted while measuring");
      seconds[i].push_back(seconds_for_all(*active[i], judge, beam, clock, answers));
    }
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    std::sort(seconds[i].begin(), seconds[i].end());
    points[i].qps = static_cast<double>(judge.size()) / seconds[i].front();
    points[i].qps_median = static_cast<double>(judge.size()) / seconds[i][seconds[i].size() / 2];
  }
  return points;
}

}  // namespace

Runner runner_of(const Index& index, std::size_t k) {
  const auto search = [&index, k](std::span<const float> query, std::size_t beam, std::span<Id> answers) {
    const auto matches = index.search(query, k, {.beam = beam});
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = i < matches.size() ? matches[i].id : kNoId;
  };
  const auto work = [&index, k](std::span<const float> queries, std::size_t beam) {
    return index.search_many(queries, k, {.beam = beam}).statistics;
  };
  return {.name = "boon", .search = search, .work = work};
}

std::vector<std::vector<SweepPoint>> sweep(std::span<const Runner> runners, const Judge& judge,
                                           const SweepOptions& options,
                                           const std::function<void(std::string_view)>& notice) {
  std::vector<std::vector<SweepPoint>> curves(runners.size());
  for (const std::size_t beam : options.beams) {
    std::vector<const Runner*> active;
    std::vector<std::size_t> curve_of;
    for (std::size_t i = 0; i < runners.size(); ++i) {
      if (!curves[i].empty() && curves[i].back().recall >= options.enough_recall) continue;
      active.push_back(&runners[i]);
      curve_of.push_back(i);
    }
    if (active.empty()) break;
    const auto points = measure_beam(active, judge, beam, options);
    for (std::size_t i = 0; i < active.size(); ++i) {
      const SweepPoint& point = points[i];
      curves[curve_of[i]].push_back(point);
      notice(fmt::format("{}: beam {}, recall {:.4f}, {:.0f} queries/s, {:.0f} distances", active[i]->name, beam,
                         point.recall, point.qps, point.distances));
    }
  }
  return curves;
}

std::vector<SweepPoint> frontier(std::span<const SweepPoint> points, double SweepPoint::*speed) {
  std::vector<SweepPoint> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(), [&](const SweepPoint& a, const SweepPoint& b) {
    return a.recall != b.recall ? a.recall > b.recall : a.*speed > b.*speed;
  });
  std::vector<SweepPoint> kept;
  for (const SweepPoint& point : sorted) {
    if (kept.empty() || point.*speed > kept.back().*speed) kept.push_back(point);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::optional<double> speed_at(std::span<const SweepPoint> points, double recall, double SweepPoint::*speed) {
  const auto best = frontier(points, speed);
  const auto above =
      std::find_if(best.begin(), best.end(), [&](const SweepPoint& point) { return point.recall >= recall; });
  if (above == best.end()) return std::nullopt;
  if (above == best.begin()) return *above.*speed;
  const SweepPoint& a = *(above - 1);
  const SweepPoint& b = *above;
  const double share = (recall - a.recall) / (b.recall - a.recall);
  return std::exp(std::log(a.*speed) * (1 - share) + std::log(b.*speed) * share);
}

}  // namespace boon::cli
