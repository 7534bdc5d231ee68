// Part of hnsw.h: inserting, Algorithm 1 of the paper in deterministic batches.
#pragma once

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "boon/graph/hnsw.h"

namespace boon::graph {

template <Space S>
std::size_t Hnsw::insert(const S& space, std::span<const Node> nodes, ThreadPool& threads,
                         const std::function<bool(std::span<const Node>)>& linked) {
  std::size_t done = 0;
  while (done < nodes.size()) {
    const auto batch = nodes.subspan(done, batch_size(nodes.subspan(done)));
    insert_batch(space, batch, threads);
    done += batch.size();
    if (!linked(batch)) break;
  }
  return done;
}

template <Space S>
void Hnsw::insert_batch(const S& space, std::span<const Node> nodes, ThreadPool& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) worker(i);

  // Equal nodes of one batch do not see each other's search: the first leads, the others become its twins.
  std::vector<Plan> plans;
  std::vector<std::pair<Node, Node>> followers;  // node, leader
  plans.reserve(nodes.size());
  std::unordered_multimap<std::uint64_t, Node> leaders;
  for (const Node node : nodes) {
    Node leader = kNone;
    if (nodes.size() > 1) {
      const std::uint64_t fingerprint = space.fingerprint(node);
      const auto [first, last] = leaders.equal_range(fingerprint);
      for (auto it = first; it != last && leader == kNone; ++it) {
        if (space.same(it->second, node)) leader = it->second;
      }
      if (leader == kNone) leaders.emplace(fingerprint, node);
    }
    if (leader != kNone) {
      followers.emplace_back(node, leader);
    } else {
      plans.emplace_back();
      plans.back().node = node;
      plans.back().level = level_of(node);
    }
  }

  if (has_entry()) {
    threads.for_each(plans.size(), 1, [&](std::size_t i, std::size_t w) { seek(space, plans[i], *workers_[w]); });
  } else {
    BOON_CHECK(plans.size() == 1);
    plans[0].links.resize(plans[0].level + 1);
  }
  for (Plan& plan : plans) {
    if (plan.twin_of == kNone) place(plan);
  }
  threads.for_each(plans.size(), 1, [&](std::size_t i, std::size_t w) {
    if (plans[i].twin_of == kNone) choose(space, std::span(plans).first(i), plans[i], *workers_[w]);
  });

  std::vector<std::vector<BackLink>> back(kMaxLevel + 1);
  for (const Plan& plan : plans) {
    if (plan.twin_of == kNone) write_forward(plan, back);
  }
  for (std::size_t level = 0; level < back.size(); ++level) {
    if (!back[level].empty()) write_back(space, level, back[level], threads);
  }
  for (const Plan& plan : plans) {
    if (plan.twin_of != kNone) add_twin(plan.node, plan.twin_of);
  }
  for (const auto& [node, leader] : followers) {
    const auto led = std::find_if(plans.begin(), plans.end(), [&](const Plan& p) { return p.node == leader; });
    add_twin(node, led->twin_of != kNone ? led->twin_of : leader);
  }

  // A node that reaches above the top is the only one of its batch; everything it needs is written.
  const Plan& last = plans.front();
  if (last.twin_of == kNone && (!has_entry() || last.level > entry().level)) {
    set_entry({static_cast<std::uint32_t>(last.level), last.rows.back()});
  }
}

namespace detail {

// The scorer that insertions walk with: the space's for walks if it has one, which may give estimates.
template <Space S>
auto walk_from(const S& space, Node node) {
  if constexpr (requires { space.walk_from(node); }) {
    return space.walk_from(node);
  } else {
    return space.from(node);
  }
}
}  // namespace detail

// Puts distances in the place of estimates, and sorts.
template <class Level, Space S>
void Hnsw::score_again(const Level& level, const S& space, Node owner, std::vector<Candidate>& candidates,
                       Worker& worker) const {
  std::vector<Node>& nodes = worker.selection.chosen_nodes;
  nodes.clear();
  for (const Candidate& candidate : candidates) nodes.push_back(level.node(candidate.node));
  worker.distances.resize(std::max(worker.distances.size(), nodes.size()));
  space.from(owner).score(nodes, worker.distances.data());
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].distance = worker.distances[i];
  std::sort(candidates.begin(), candidates.end());
}

// Gathers candidates for each level from the graph as it is.
template <Space S>
void Hnsw::seek(const S& space, Plan& plan, Worker& worker) const {
  const auto scorer = detail::walk_from(space, plan.node);
  const std::size_t top = entry().level;
  Scratch& scratch = worker.scratch;
  const auto keep = [&](const auto& level, std::vector<Candidate>& candidates) {
    for (std::size_t i = 0; i < scratch.pool.size(); ++i) {
      candidates.push_back({scratch.pool.distance(i), scratch.pool.node(i)});
    }
    if (estimates(scorer)) score_again(level, space, plan.node, candidates, worker);
  };
  plan.links.resize(plan.level + 1);
  std::size_t here = std::min(plan.level, top);
  Candidate at = approach(scorer, here, scratch);
  for (; here > 0; --here) {
    search_level(upper(here), scorer, at, options_.build_beam, scratch, [](Node, float) {});
    keep(upper(here), plan.links[here]);
    at = {scratch.pool.distance(0), upper(here).below(scratch.pool.node(0))};
  }
  search_level(floor(), scorer, at, options_.build_beam, scratch, [](Node, float) {});
  keep(floor(), plan.links[0]);
  if (const Node nearest = plan.links[0].front().node; space.same(nearest, plan.node)) plan.twin_of = nearest;
}

template <Space S>
void Hnsw::choose(const S& space, std::span<const Plan> earlier, Plan& plan, Worker& worker) const {
  choose_on_level(floor(), 0, space, earlier, plan, worker);
  for (std::size_t level = 1; level <= plan.level; ++level) {
    choose_on_level(upper(level), level, space, earlier, plan, worker);
  }
}

// The earlier of a batch compete with what was met in the graph: vectors that come in the order of their places would
// otherwise all link to the same old nodes, and most would not be linked back.
template <class Level, Space S>
void Hnsw::choose_on_level(const Level& level, std::size_t number, const S& space, std::span<const Plan> earlier,
                           Plan& plan, Worker& worker) const {
  std::vector<Candidate>& candidates = plan.links[number];
  std::vector<Node>& nodes = worker.selection.chosen_nodes;
  worker.links.clear();
  nodes.clear();
  for (const Plan& other : earlier) {
    if (other.twin_of != kNone || other.level < number) continue;
    worker.links.push_back(other.rows[number]);
    nodes.push_back(other.node);
  }
  worker.distances.resize(nodes.size());
  space.from(plan.node).score(nodes, worker.distances.data());
  // Few of them are near enough; the rest need no sorting.
  const auto met = static_cast<std::ptrdiff_t>(candidates.size());
  const float bound =
      candidates.size() < options_.build_beam ? std::numeric_limits<float>::infinity() : candidates.back().distance;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (worker.distances[i] < bound) candidates.push_back({worker.distances[i], worker.links[i]});
  }
  // Ties stay in the order they were met in, which is that of the pool.
  const auto nearer = [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; };
  std::stable_sort(candidates.begin() + met, candidates.end(), nearer);
  std::inplace_merge(candidates.begin(), candidates.begin() + met, candidates.end(), nearer);
  if (candidates.size() > options_.build_beam) candidates.resize(options_.build_beam);
  select_diverse(level, space, plan.rows[number], candidates, options_.neighbours, static_cast<float>(options_.alpha),
                 worker.selection);
  candidates = worker.selection.chosen;
}

template <Space S>
void Hnsw::write_back(const S& space, std::size_t level, std::vector<BackLink>& back, ThreadPool& threads) {
  // One task for each target; sources keep the order of the batch.
  std::stable_sort(back.begin(), back.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < back.size(); ++i) {
    if (i == 0 || back[i].target != back[i - 1].target) starts.push_back(i);
  }
  starts.push_back(back.size());
  threads.for_each(starts.size() - 1, 16, [&](std::size_t i, std::size_t w) {
    const std::span<const BackLink> incoming(back.data() + starts[i], starts[i + 1] - starts[i]);
    if (level == 0) {
      link_back(floor(), floor_, edge_distances(incoming[0].target), space, incoming, *workers_[w]);
    } else {
      link_back(upper(level), uppers_[level - 1].rows, nullptr, space, incoming, *workers_[w]);
    }
  });
}

// Adds links to one row. A row that overflows is cut to a diverse three quarters, so that the next overflow is some
// links away: that selection is the dearest part of an insertion.
template <class Level, Space S>
void Hnsw::link_back(const Level& level, LinkRows& rows, float* lengths, const S& space,
                     std::span<const BackLink> incoming, Worker& worker) {
  const Node owner = incoming[0].target;
  const std::size_t max_links = rows.max_links();
  worker.links.resize(max_links);
  const std::size_t held = rows.copy(owner, worker.links.data());
  if (held + incoming.size() <= max_links) {
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      if (lengths != nullptr) lengths[held + i] = incoming[i].source.distance;
      rows.set_link(owner, held + i, incoming[i].source.node);
    }
    return;
  }

  worker.distances.resize(max_links);
  const bool known = lengths != nullptr && std::none_of(lengths, lengths + held, [](float d) { return d == 0; });
  if (known) {
    std::copy(lengths, lengths + held, worker.distances.begin());
  } else {
    std::vector<Node>& nodes = worker.selection.chosen_nodes;
    nodes.assign(worker.links.begin(), worker.links.begin() + static_cast<std::ptrdiff_t>(held));
    for (Node& node : nodes) node = level.node(node);
    space.from(level.node(owner)).score(nodes, worker.distances.data());
  }
  worker.candidates.clear();
  for (std::size_t i = 0; i < held; ++i) worker.candidates.push_back({worker.distances[i], worker.links[i]});
  for (const BackLink& link : incoming) worker.candidates.push_back(link.source);
  std::sort(worker.candidates.begin(), worker.candidates.end());
  select_diverse(level, space, owner, worker.candidates, max_links - max_links / 4, static_cast<float>(options_.alpha),
                 worker.selection);
  worker.links.clear();
  for (std::size_t i = 0; i < worker.selection.chosen.size(); ++i) {
    if (lengths != nullptr) lengths[i] = worker.selection.chosen[i].distance;
    worker.links.push_back(worker.selection.chosen[i].node);
  }
  rows.assign(owner, worker.links);
}

}  // namespace boon::graph
