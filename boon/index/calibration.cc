// Measuring what recall walks reach, beam by beam, beside an exact search.
#include "boon/index/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "boon/core/random.h"
#include "boon/index/impl.h"
#include "boon/index/ranking.h"

namespace boon {
namespace {

constexpr double kEnough = 0.999;  // no wider beams once a recall is vouched for up to this
constexpr std::size_t kBeamMax = 4096;
// Queries between two reports: of walks, and of exact searches, which take them in tiles.
constexpr std::size_t kStretch = 64;
constexpr std::size_t kExactStretch = 256;
// Rows with more copies than this are not drawn: the exact search would have to look past all of them.
constexpr std::size_t kCopiesMax = 15;
// Of answers and of rows drawn: a mistyped number shall not ask for all memory.
constexpr std::size_t kCountMax = std::size_t{1} << 24;

// Beams to measure, each a quarter wider than the one before. Beyond a tenth of the rows, walks are slower than exact
// searches.
std::vector<std::size_t> ladder(std::size_t first, std::size_t rows) {
  const std::size_t last = std::max(4 * first, std::min(kBeamMax, rows / 10));
  std::vector<std::size_t> beams{first};
  while (beams.back() < last) beams.push_back(std::min(last, beams.back() + (beams.back() + 3) / 4));
  return beams;
}

// Whether a wider beam found more, or is vouched for higher as queries differ less by it.
bool gains(const CalibrationPoint& point, const std::vector<CalibrationPoint>& before) noexcept {
  if (before.empty()) return true;
  const CalibrationPoint& last = before.back();
  return point.recall > last.recall || (point.recall == last.recall && point.recall_min > last.recall_min);
}

}  // namespace

void CalibrationOptions::validate() const {
  const auto check = [](const char* field, std::size_t value) {
    if (value >= 1 && value <= kCountMax) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is {}, but it must be from 1 to {}", field, value, kCountMax));
  };
  check("k", k);
  check("sample", sample);
}

// The queries of a calibration, and what answers to them are right.
struct Index::Impl::Trial {
  std::vector<float> queries;
  std::vector<std::vector<Node>> hidden = {};  // of each query the row that it is, and its copies; empty if it is none
  std::vector<std::size_t> wanted = {};        // right answers that there are, k at most
  std::vector<float> bounds = {};              // an answer is right up to this distance

  std::size_t size() const noexcept { return hidden.size(); }
};

// Rows that stand for queries. None has a row above the floor: a descent would end at it, and it is to be invisible.
// Levels are drawn from a row's number, so this leaves out none of a kind. Of equal rows there is one.
Index::Impl::Trial Index::Impl::draw_trial(std::size_t count, std::uint64_t seed) const {
  std::vector<bool> passed_by(slots_.used());
  for (const Node node : graph_.arrivals()) passed_by[node] = true;
  std::vector<Node> rows;
  for (std::size_t slot = 0; slot < slots_.used(); ++slot) {
    const auto node = static_cast<Node>(slot);
    if (passed_by[slot] || !slots_.is_live(node) || graph_.is_twin(node)) continue;
    if (graph_.twins_of(node).size() <= kCopiesMax) rows.push_back(node);
  }
  if (rows.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("of the {} vectors of the index none can stand for a query: add some first, or give queries",
                    slots_.live()));
  }
  count = std::min(count, rows.size());
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(count);

  Trial trial;
  for (const Node row : rows) {
    const std::vector<float> query = rows_.get(row);
    trial.queries.insert(trial.queries.end(), query.begin(), query.end());
    std::vector<Node>& hidden = trial.hidden.emplace_back(1, row);
    for (const Node twin : graph_.twins_of(row)) {
      if (slots_.is_live(twin)) hidden.push_back(twin);
    }
  }
  return trial;
}

void Index::Impl::find_truth(std::size_t k, ThreadPool& pool, const Report& report, Trial& trial) const {
  const Filter everything;
  const index::Admission admission(everything, slots_);
  std::size_t most_hidden = 0;
  for (const auto& hidden : trial.hidden) most_hidden = std::max(most_hidden, hidden.size());
  Matches table;
  table.k = std::min(k + most_hidden, slots_.used());
  for (std::size_t first = 0; first < trial.size(); first += kExactStretch) {
    const std::size_t count = std::min(kExactStretch, trial.size() - first);
    table.ids.assign(count * table.k, kNoId);
    table.distances.assign(count * table.k, 0);
    table.counts.assign(count, 0);
    const std::span<const float> queries(trial.queries.data() + first * options_.dim, count * options_.dim);
    answer_exact(queries, 0, count, {}, admission, pool, table);
    for (std::size_t row = 0; row < count; ++row) {
      const std::vector<Node>& hidden = trial.hidden[first + row];
      std::size_t wanted = 0;
      float bound = 0;
      for (std::size_t i = row * table.k; i < row * table.k + table.counts[row] && wanted < k; ++i) {
        if (std::ranges::any_of(hidden, [&](Node node) { return slots_.id(node) == table.ids[i]; })) continue;
        bound = table.distances[i];
        ++wanted;
      }
      trial.wanted.push_back(wanted);
      trial.bounds.push_back(bound);
    }
    report(count);
  }
}

// The share of right answers to each query.
std::vector<double> Index::Impl::recalls(const Trial& trial, std::size_t k, std::size_t beam, ThreadPool& pool,
                                         const Report& report) const {
  const SearchOptions options{.beam = beam};
  std::vector<double> result(trial.size());
  std::vector<graph::Scratch> scratches(pool.size());
  for (std::size_t first = 0; first < trial.size(); first += kStretch) {
    const std::size_t count = std::min(kStretch, trial.size() - first);
    pool.for_each(count, 1, [&](std::size_t i, std::size_t worker) {
      const std::size_t row = first + i;
      graph::Scratch& scratch = scratches[worker];
      index::Admission admission(options.filter, slots_);
      admission.hide(trial.hidden[row]);
      scratch.hidden = trial.hidden[row].empty() ? graph::kNone : trial.hidden[row].front();
      const std::span<const float> query(trial.queries.data() + row * options_.dim, options_.dim);
      find(prepare(query, "the query"), std::min(k, slots_.used()), options, admission, false, scratch);
      const auto right = std::ranges::count_if(
          scratch.found, [&](const auto& found) { return distance_of(found.distance) <= trial.bounds[row]; });
      const std::size_t wanted = trial.wanted[row];
      result[row] = wanted == 0 ? 1 : std::min(1.0, static_cast<double>(right) / static_cast<double>(wanted));
    });
    report(count);
  }
  return result;
}

// Holds off writers, and lets searches go on until the table is put in its place.
Calibration Index::Impl::calibrate(std::span<const float> queries, const CalibrationOptions& options) {
  require_writable();
  options.validate();
  if (!has_graph()) {
    throw Error(ErrorCode::invalid_argument, "an exact index finds everything: there is nothing to calibrate");
  }
  const std::size_t dim = options_.dim;
  if (queries.size() % dim != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} values are not whole queries: the index has dimension {}", queries.size(), dim));
  }
  check_rows(queries.data(), queries.size() / dim, dim, dim, options_.metric, "query");

  std::lock_guard writer(writer_);
  Calibration made{.k = options.k, .queries = 0, .own_rows = queries.empty(), .live = slots_.live(), .points = {}};
  if (made.live == 0) throw Error(ErrorCode::invalid_argument, "the index is empty: add vectors, then calibrate");
  if (options.k >= made.live) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("k is {}, and the index has {} vectors: all of them would be answers", options.k, made.live));
  }
  {
    std::shared_lock shared(layout_);
    Trial trial = queries.empty() ? draw_trial(options.sample, options.seed)
                                  : Trial{.queries = {queries.begin(), queries.end()},
                                          .hidden = std::vector<std::vector<Node>>(queries.size() / dim)};
    made.queries = trial.size();
    const std::size_t first = codes_.none() ? options.k : index::candidates_for(options.k);
    const std::vector<std::size_t> beams = ladder(first, slots_.live());
    std::size_t done = 0;
    const Report report = [&](std::size_t asked) {
      done += asked;
      if (!options.progress || options.progress(done, trial.size() * (beams.size() + 1))) return;
      throw Error(ErrorCode::cancelled, "stopped while calibrating; the index is as it was");
    };
    ThreadPool pool(options.threads);
    find_truth(options.k, pool, report, trial);
    for (const std::size_t beam : beams) {
      const CalibrationPoint point = index::point_of(beam, recalls(trial, options.k, beam, pool, report));
      if (gains(point, made.points)) made.points.push_back(point);
      if (point.recall_min >= kEnough || point.recall == 1) break;
    }
  }
  std::unique_lock alone(layout_);
  recall_tables_.put(made);
  return made;
}

std::vector<Calibration> Index::Impl::calibrations() const {
  std::shared_lock shared(layout_);
  return recall_tables_.all();
}

// What options with a target recall come to; nothing where they have none. The shared lock is held.
std::optional<SearchOptions> Index::Impl::aimed(const SearchOptions& options, std::size_t k) const {
  if (options.target_recall == 0) return std::nullopt;
  index::check_target(options.target_recall);
  SearchOptions result = options;
  result.target_recall = 0;
  if (options.exact || !has_graph() || k >= slots_.live()) return result;
  const std::optional<std::size_t> beam = recall_tables_.beam_for(k, options.target_recall);
  if (beam) {
    result.beam = std::min(*beam, slots_.used());
  } else {
    result.exact = true;
  }
  return result;
}

}  // namespace boon
