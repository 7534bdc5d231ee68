#include "boon/index/recall_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "boon/core/error.h"
#include "boon/graph/scorer.h"

namespace boon::index {
namespace {

// The 95th percentile of a normal distribution.
constexpr double kZ = 1.6448536269514722;

// A table as it lies in the section, followed by its points.
struct StoredTable {
  std::uint64_t k;
  std::uint64_t queries;
  std::uint64_t live;
  std::uint64_t changed;
  std::uint32_t own_rows;
  std::uint32_t points;
};
struct StoredPoint {
  std::uint64_t beam;
  double recall;
  double recall_min;
};
static_assert(sizeof(StoredTable) == 40 && std::is_trivially_copyable_v<StoredTable>);
static_assert(sizeof(StoredPoint) == 24 && std::is_trivially_copyable_v<StoredPoint>);

void append(std::vector<std::byte>& bytes, Bytes more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// The next value of the bytes, which get shorter.
template <class T>
T take(Bytes& bytes) {
  if (bytes.size() < sizeof(T)) throw Error(ErrorCode::corrupted, "its calibration is cut short");
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return value;
}

void require(bool fine, const char* what) {
  if (!fine) throw Error(ErrorCode::corrupted, fmt::format("its calibration cannot have been measured: {}", what));
}

// Comparisons are false for what is not a number.
CalibrationPoint checked(const StoredPoint& point, const Calibration& table) {
  const CalibrationPoint before = table.points.empty() ? CalibrationPoint{.beam = 0} : table.points.back();
  require(point.beam > before.beam && point.beam <= graph::kMaxNodes, "beams do not rise to what a graph holds");
  require(point.recall >= before.recall && point.recall <= 1, "recalls do not rise from 0 to 1");
  require(point.recall_min >= 0 && point.recall_min <= point.recall, "a recall is below its bound");
  return {point.beam, point.recall, point.recall_min};
}

}  // namespace

CalibrationPoint point_of(std::size_t beam, std::span<const double> recalls) {
  const double added = kZ * kZ;
  const double count = static_cast<double>(recalls.size()) + added;
  double sum = 0;
  for (const double recall : recalls) sum += recall;
  const double centre = (sum + added / 2) / count;
  double squares = added / 2 * (centre * centre + (1 - centre) * (1 - centre));
  for (const double recall : recalls) squares += (recall - centre) * (recall - centre);
  const double recall = recalls.empty() ? 0 : sum / static_cast<double>(recalls.size());
  return {beam, recall, std::clamp(centre - kZ * std::sqrt(squares) / count, 0.0, recall)};
}

void check_target(double recall) {
  if (recall > 0 && recall < 1) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("target_recall is {}, but it must be between 0 and 1; an exact search finds all", recall));
}

bool RecallTables::stale(const Calibration& table) const noexcept {
  return table.changed + changed_.load(std::memory_order_relaxed) > table.live / 10;
}

void RecallTables::put(Calibration made) {
  std::erase_if(tables_, [&](const Calibration& table) { return table.k == made.k || stale(table); });
  const std::size_t changed = changed_.exchange(0);
  for (Calibration& table : tables_) table.changed += changed;
  const auto place = std::find_if(tables_.begin(), tables_.end(), [&](const auto& table) { return table.k > made.k; });
  tables_.insert(place, std::move(made));
}

std::vector<Calibration> RecallTables::all() const {
  std::vector<Calibration> result = tables_;
  for (Calibration& table : result) table.changed += changed_.load(std::memory_order_relaxed);
  return result;
}

std::optional<std::size_t> RecallTables::beam_for(std::size_t k, double recall) const {
  // The tables for the next k up and down. Beams for a larger k do for a smaller one, and may be far too wide for it.
  const Calibration* below = nullptr;
  const Calibration* above = nullptr;
  for (const Calibration& table : tables_) {
    if (stale(table)) continue;
    if (table.k < k) below = &table;
    if (table.k >= k && above == nullptr) above = &table;
  }
  if (tables_.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the index is not calibrated, so no beam is known for a recall of {}: calibrate() or "
                            "`boon calibrate FILE` measures it",
                            recall));
  }
  if (below == nullptr && above == nullptr) {
    const Calibration table = all().back();
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the index was calibrated with {} vectors and {} have changed since, more than a tenth: "
                            "calibrate() or `boon calibrate FILE` measures it anew",
                            table.live, table.changed));
  }
  std::optional<std::size_t> least;
  for (const Calibration* table : {below, above}) {
    if (table == nullptr) continue;
    const auto enough =
        std::ranges::find_if(table->points, [&](const auto& point) { return point.recall_min >= recall; });
    if (enough == table->points.end()) continue;
    const double times = std::max(1.0, static_cast<double>(k) / static_cast<double>(table->k));
    const auto beam = static_cast<std::size_t>(std::ceil(static_cast<double>(enough->beam) * times));
    least = std::min(least.value_or(beam), beam);
  }
  return least;
}

std::vector<std::byte> RecallTables::stored() const {
  std::vector<std::byte> bytes;
  for (const Calibration& table : all()) {
    const StoredTable head{table.k,
                           table.queries,
                           table.live,
                           table.changed,
                           table.own_rows ? 1U : 0U,
                           static_cast<std::uint32_t>(table.points.size())};
    append(bytes, as_bytes(&head, 1));
    for (const CalibrationPoint& point : table.points) {
      const StoredPoint stored{point.beam, point.recall, point.recall_min};
      append(bytes, as_bytes(&stored, 1));
    }
  }
  return bytes;
}

void RecallTables::adopt(Bytes stored) {
  std::vector<Calibration> tables;
  while (!stored.empty()) {
    const auto head = take<StoredTable>(stored);
    require(head.k > (tables.empty() ? 0 : tables.back().k), "k does not rise from 1 on");
    require(head.queries > 0 && head.live > 0 && head.points > 0, "it is of nothing");
    require(head.own_rows <= 1, "its queries are of an unknown kind");
    Calibration table{head.k, head.queries, head.own_rows == 1, head.live, head.changed, {}};
    for (std::size_t i = 0; i < head.points; ++i) table.points.push_back(checked(take<StoredPoint>(stored), table));
    tables.push_back(std::move(table));
  }
  tables_ = std::move(tables);
  changed_ = 0;
}

}  // namespace boon::index
