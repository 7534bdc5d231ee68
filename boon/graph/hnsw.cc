#include "boon/graph/hnsw.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "boon/core/error.h"
#include "boon/core/random.h"

namespace boon::graph {
namespace {

// A batch plans on the graph before it, so it must stay small beside it; past some hundreds there is nothing to gain.
constexpr std::size_t kBatchShare = 50;
constexpr std::size_t kBatchMax = 512;

}  // namespace

std::size_t draw_level(std::uint64_t seed, Node node, double level_mult) noexcept {
  // 1 - U lies in (0, 1], so the logarithm is finite.
  const double u = unit_interval(splitmix64(splitmix64(seed) ^ node));
  const double level = std::floor(-std::log(1.0 - u) / std::log(level_mult));
  return level < static_cast<double>(kMaxLevel) ? static_cast<std::size_t>(level) : kMaxLevel;
}

Hnsw::Hnsw(const HnswOptions& options) : options_(options) {
  options_.validate();
  floor_ = LinkRows(1, 2 * options_.neighbours);
  for (UpperRows& upper : uppers_) upper.rows = LinkRows(2, options_.neighbours);
}

std::vector<Node> Hnsw::links(Node node) const {
  std::vector<Node> result;
  if (is_twin(node)) return result;
  result.resize(floor_.max_links());
  result.resize(floor_.copy(node, result.data()));
  return result;
}

std::vector<Node> Hnsw::twins_of(Node node) const {
  std::vector<Node> result;
  if (is_twin(node)) return result;
  for (Node twin = floor_.header(node); twin != kNone; twin = floor_.header(twin)) result.push_back(twin);
  return result;
}

std::vector<Node> Hnsw::arrivals() const {
  std::vector<Node> result;
  if (!has_entry()) return result;
  if (entry().level == 0) result.push_back(entry().row);
  for (std::size_t row = 0; row < rows_on_level(1); ++row) {
    const Node node = upper(1).node(static_cast<Node>(row));
    if (node != kNone) result.push_back(node);
  }
  return result;
}

std::size_t Hnsw::bytes(std::size_t nodes) const noexcept {
  std::size_t total = nodes * floor_.bytes_per_row() + edge_distances_.capacity();
  for (const UpperRows& upper : uppers_) total += upper.used.load() * upper.rows.bytes_per_row();
  return total;
}

Hnsw::Worker& Hnsw::worker(std::size_t i) {
  while (workers_.size() <= i) workers_.push_back(std::make_unique<Worker>());
  return *workers_[i];
}

void Hnsw::grow(std::size_t nodes, std::span<const Node> to_insert) {
  if (nodes > kMaxNodes) {
    throw Error(ErrorCode::unsupported, "an index holds at most 2147483647 vectors");
  }
  floor_.grow(nodes);
  std::array<std::size_t, kMaxLevel> more{};
  for (const Node node : to_insert) {
    for (std::size_t level = level_of(node); level > 0; --level) ++more[level - 1];
  }
  for (std::size_t i = 0; i < kMaxLevel; ++i) {
    const std::size_t needed = uppers_[i].used.load() + more[i];
    const std::size_t held = uppers_[i].rows.size();
    if (needed > held) uppers_[i].rows.grow(std::max(needed, held + held / 2));
  }
  // While much is inserted the lengths of links are kept; they are as large as the links, so not for good.
  constexpr std::size_t kMuch = 8;
  if (edge_distances_.capacity() > 0 || to_insert.size() * kMuch >= nodes) {
    edge_distances_.reserve(floor_.size() * floor_.max_links() * sizeof(float));
  }
}

std::size_t Hnsw::batch_size(std::span<const Node> rest) const {
  if (!has_entry()) return 1;
  const std::size_t limit = std::min({rest.size(), kBatchMax, std::max<std::size_t>(1, linked_ / kBatchShare)});
  const std::size_t top = entry().level;
  for (std::size_t i = 0; i < limit; ++i) {
    if (level_of(rest[i]) > top) return std::max<std::size_t>(i, 1);
  }
  return limit;
}

// Gives a node its rows. No link leads to them yet.
void Hnsw::place(Plan& plan) {
  BOON_CHECK(plan.node < floor_.size());
  plan.rows.push_back(plan.node);
  for (std::size_t level = 1; level <= plan.level; ++level) {
    UpperRows& upper = uppers_[level - 1];
    const Node row = upper.used.load(std::memory_order_relaxed);
    BOON_CHECK(row < upper.rows.size());
    upper.rows.set_header(row, Upper::kNode, plan.node);
    upper.rows.set_header(row, Upper::kBelow, plan.rows.back());
    upper.used.store(row + 1, std::memory_order_release);
    plan.rows.push_back(row);
  }
}

void Hnsw::write_forward(const Plan& plan, std::vector<std::vector<BackLink>>& back) {
  std::vector<Node> links;
  for (std::size_t level = 0; level < plan.links.size(); ++level) {
    const Node row = plan.rows[level];
    links.clear();
    for (const Candidate& link : plan.links[level]) {
      links.push_back(link.node);
      back[level].push_back({link.node, {link.distance, row}});
    }
    if (float* lengths = level == 0 ? edge_distances(row) : nullptr) {
      for (std::size_t i = 0; i < links.size(); ++i) lengths[i] = plan.links[0][i].distance;
    }
    (level == 0 ? floor_ : uppers_[level - 1].rows).assign(row, links);
  }
  ++linked_;
}

void Hnsw::add_twin(Node node, Node of) noexcept {
  floor_.set_link(node, 0, node);
  floor_.set_header(node, 0, floor_.header(of));
  floor_.set_header(of, 0, node);
  has_twins_.store(true, std::memory_order_release);
}

Node Hnsw::entry_node() const noexcept {
  const Entry top = entry();
  return top.level == 0 ? top.row : upper(top.level).node(top.row);
}

void Hnsw::reach(Node from, std::vector<std::uint8_t>& reached) const {
  std::vector<Node> open{from};
  std::vector<Node> row(floor_.max_links());
  reached[from] = 1;
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const std::size_t count = floor_.copy(node, row.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (reached[row[i]] != 0) continue;
      reached[row[i]] = 1;
      open.push_back(row[i]);
    }
  }
}

Reachability Hnsw::reachability(std::size_t nodes, const std::function<bool(Node)>& wanted) const {
  Reachability result;
  std::vector<std::uint8_t> reached(floor_.size(), 0);
  if (has_entry()) reach(entry_node(), reached);
  for (Node node = 0; node < nodes; ++node) {
    if (!wanted(node) || is_twin(node)) continue;
    ++result.nodes;
    result.unreachable += reached[node] == 0 ? 1 : 0;
  }
  return result;
}

Node Hnsw::first_living_twin(Node node, const std::function<bool(Node)>& dead) const noexcept {
  Node twin = floor_.header(node);
  while (twin != kNone && dead(twin)) twin = floor_.header(twin);
  return twin;
}

std::vector<std::uint8_t> Hnsw::leaving(const std::function<bool(Node)>& dead) const {
  std::vector<std::uint8_t> gone(floor_.size(), 0);
  for (Node node = 0; node < floor_.size(); ++node) {
    gone[node] = dead(node) && (is_twin(node) || first_living_twin(node, dead) == kNone) ? 1 : 0;
  }
  return gone;
}

void Hnsw::unlink(const std::function<bool(Node)>& dead, const std::function<bool(Node)>& living) {
  if (has_twins_) {
    drop_twins(dead);
    promote_twins(dead);
  }
  drop_upper_rows(dead);
  find_entry(living);
  for (Node node = 0; node < floor_.size(); ++node) {
    if (!dead(node)) continue;
    if (linked_ > 0 && !is_twin(node)) --linked_;
    floor_.clear(node);
    forget_lengths(node);
  }
}

// Takes dead twins out of their chains.
void Hnsw::drop_twins(const std::function<bool(Node)>& dead) {
  for (Node node = 0; node < floor_.size(); ++node) {
    if (is_twin(node)) continue;
    Node last = node;
    for (Node twin = floor_.header(node); twin != kNone; twin = floor_.header(twin)) {
      if (!dead(twin))
        last = twin;
      else
        floor_.set_header(last, 0, floor_.header(twin));
    }
  }
}

// A dead node with twins hands its row to the first of them; links to it are then led there.
void Hnsw::promote_twins(const std::function<bool(Node)>& dead) {
  std::vector<Node> heir(floor_.size(), kNone);
  bool any = false;
  for (Node node = 0; node < floor_.size(); ++node) {
    if (!dead(node) || is_twin(node) || floor_.header(node) == kNone) continue;
    const Node twin = floor_.header(node);
    const Node rest = floor_.header(twin);
    heir[node] = twin;
    any = true;
    ++linked_;
    floor_.move_row(node, twin);
    floor_.set_header(twin, 0, rest);
    forget_lengths(twin);
  }
  if (!any) return;
  for (Node node = 0; node < floor_.size(); ++node) {
    for (std::size_t i = 0; i < floor_.max_links(); ++i) {
      const Node link = floor_.link(node, i);
      if (link == kNone) break;
      if (heir[link] != kNone) floor_.set_link(node, i, heir[link]);
    }
  }
  for (std::size_t level = 1; level < levels(); ++level) {
    LinkRows& rows = uppers_[level - 1].rows;
    for (Node row = 0; row < rows_on_level(level); ++row) {
      const Node node = rows.header(row, Upper::kNode);
      if (heir[node] == kNone) continue;
      rows.set_header(row, Upper::kNode, heir[node]);
      if (level == 1) rows.set_header(row, Upper::kBelow, heir[node]);
    }
  }
  if (entry().level == 0 && heir[entry().row] != kNone) set_entry({0, heir[entry().row]});
}

// Closes the gaps that dead nodes leave on the upper levels, from the lowest up.
void Hnsw::drop_upper_rows(const std::function<bool(Node)>& dead) {
  std::vector<Node> below;  // new numbers of the rows of the level below
  for (std::size_t level = 1; level < levels(); ++level) {
    LinkRows& rows = uppers_[level - 1].rows;
    const std::size_t used = rows_on_level(level);
    std::vector<Node> renumbered(used, kNone);
    Node kept = 0;
    for (Node row = 0; row < used; ++row) {
      if (!dead(rows.header(row, Upper::kNode))) renumbered[row] = kept++;
    }
    for (Node row = 0; row < used; ++row) {
      const Node to = renumbered[row];
      if (to == kNone) continue;
      rows.move_row(row, to);
      if (level > 1) rows.set_header(to, Upper::kBelow, below[rows.header(to, Upper::kBelow)]);
      for (std::size_t i = 0; i < rows.max_links(); ++i) {
        const Node link = rows.link(to, i);
        if (link == kNone) break;
        BOON_CHECK(renumbered[link] != kNone);  // bypass() has led links around the dead
        rows.set_link(to, i, renumbered[link]);
      }
    }
    for (Node row = kept; row < used; ++row) rows.clear(row);
    uppers_[level - 1].used.store(kept, std::memory_order_release);
    below = std::move(renumbered);
  }
}

void Hnsw::find_entry(const std::function<bool(Node)>& living) {
  if (!has_entry()) return;
  for (std::size_t level = entry().level; level > 0; --level) {
    if (rows_on_level(level) == 0) continue;
    set_entry({static_cast<std::uint32_t>(level), 0});
    return;
  }
  for (Node node = 0; node < floor_.size(); ++node) {
    if (living(node) && !is_twin(node)) {
      set_entry({0, node});
      return;
    }
  }
  entry_.store(kNoEntry, std::memory_order_release);
}

void Hnsw::compact(std::span<const Node> renumbered, std::size_t nodes) {
  settle();
  const auto to = [&](Node node) { return node == kNone ? kNone : renumbered[node]; };
  for (Node node = 0; node < renumbered.size(); ++node) {
    const Node place = renumbered[node];
    if (place == kNone) continue;
    BOON_CHECK(place <= node && place < nodes);
    floor_.move_row(node, place);
    floor_.set_header(place, 0, to(floor_.header(place)));
    for (std::size_t i = 0; i < floor_.max_links(); ++i) {
      const Node link = floor_.link(place, i);
      if (link == kNone) break;
      BOON_CHECK(to(link) != kNone);
      floor_.set_link(place, i, to(link));
    }
  }
  floor_.truncate(nodes);
  for (std::size_t level = 1; level < levels(); ++level) {
    UpperRows& upper = uppers_[level - 1];
    for (Node row = 0; row < upper.used; ++row) {
      const Node node = to(upper.rows.header(row, Upper::kNode));
      upper.rows.set_header(row, Upper::kNode, node);
      if (level == 1) upper.rows.set_header(row, Upper::kBelow, node);
    }
    upper.rows.truncate(upper.used);
  }
  if (has_entry() && entry().level == 0) set_entry({0, to(entry().row)});
}

}  // namespace boon::graph
