// HNSW: a layered graph searched from its sparse top to its dense floor.
// Malkov & Yashunin, arXiv:1603.09320. It knows numbered nodes and a scorer; vectors, ids and files are its owner's.
//
// Insertion goes in batches: each node of a batch looks for its neighbours in the graph as it was before the batch and
// among those before it in the batch, then the links are written. Batches are at most 1/50 of the graph, their plans do
// not depend on each other, and links back to one node are made by one thread in a fixed order: the graph is the same,
// bit for bit, on any number of threads (the batches of ParlayANN, Manohar et al., PPoPP 2024).
//
// Twins: a node equal to one that is already there gets no links. It is chained to it, and a search that meets the
// first answers with both. Thousands of copies then cost one node and cannot close themselves off.
//
// Invariants
//  1. A node with a row on level l has a row on each level below l.
//  2. A row's links are distinct and, but for twins, never the row itself.
//  3. A twin's only link is to itself, which marks it; no other link leads to it and it has no upper rows; chains end.
//  4. A link is stored after the row it leads to is complete; the entry is stored last.
//
// Who may do what: one writer at a time (insert, bypass, repair) with any number of searches beside it. grow(),
// unlink(), compact() and adopt() need the graph for themselves.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/parallel.h"
#include "boon/graph/link_rows.h"
#include "boon/graph/options.h"
#include "boon/graph/scorer.h"
#include "boon/graph/select.h"
#include "boon/graph/traverse.h"

namespace boon::graph {

// The level of a node: floor(-ln(1 - U) / ln m), U drawn from the seed and the node's number; at most kMaxLevel.
inline constexpr std::size_t kMaxLevel = 31;
std::size_t draw_level(std::uint64_t seed, Node node, double level_mult) noexcept;

// What repair() and check() found.
struct Reachability {
  std::size_t nodes = 0;        // nodes with links (so without twins) that were asked for
  std::size_t unreachable = 0;  // of those, how many no path of floor links leads to from the entry
};

// For search(): every node may be answered.
struct AcceptAll {
  bool operator()(Node) const noexcept { return true; }
};

class Hnsw {
 public:
  explicit Hnsw(const HnswOptions& options);

  const HnswOptions& options() const noexcept { return options_; }
  // Rows allocated on the floor; node numbers are below it.
  std::size_t capacity() const noexcept { return floor_.size(); }
  std::size_t levels() const noexcept { return has_entry() ? entry().level + 1 : 0; }
  // Rows in use on a level above the floor, 1 to levels() - 1.
  std::size_t rows_on_level(std::size_t level) const noexcept {
    return uppers_[level - 1].used.load(std::memory_order_acquire);
  }
  bool empty() const noexcept { return !has_entry(); }
  // Links on the floor; none for a twin.
  std::vector<Node> links(Node node) const;
  bool is_twin(Node node) const noexcept { return floor_.link(node, 0) == node; }
  // The nodes that are answered with this one, being equal to it; none for one of these.
  std::vector<Node> twins_of(Node node) const;
  // The nodes to which searches come from above: those with a row on level 1, and the one where searches begin.
  std::vector<Node> arrivals() const;
  // Bytes of the rows in use.
  std::size_t bytes(std::size_t nodes) const noexcept;

  // Makes room for nodes below `nodes`, and on the upper levels for `to_insert`.
  void grow(std::size_t nodes, std::span<const Node> to_insert);

  // Links nodes (below capacity(), not linked yet) in the given order. After each batch calls
  // `linked(nodes of the batch)`, from this thread; false ends the work there. Returns how many were inserted, from the
  // front. The result depends on the nodes, their order and the options, not on the threads.
  template <Space S>
  std::size_t insert(const S& space, std::span<const Node> nodes, ThreadPool& threads,
                     const std::function<bool(std::span<const Node>)>& linked);

  // The `k` nearest nodes that `accept`, nearest first; at least max(beam, k) candidates are kept on the way. The span
  // lies in `scratch`. Nodes that are not accepted are walked through. May give fewer than k, if the walk ends before.
  template <Scorer S, class Accept>
  std::span<const Candidate> search(const S& scorer, std::size_t k, std::size_t beam, const Accept& accept,
                                    Scratch& scratch) const;

  // The first k that `accept` of `firsts` and the twins that follow each. Where a scorer gives estimates, search()
  // answers with a node for all of its twins, of which one at least is accepted; its owner ranks them by distance and
  // calls this.
  template <class Accept>
  void append_twins(std::span<const Candidate> firsts, std::size_t k, const Accept& accept,
                    std::vector<Candidate>& found) const;

  // Takes nodes for which `dead` holds out of the graph: each row that links to one gets that one's neighbours as
  // candidates instead (Singh et al., "FreshDiskANN", arXiv:2105.09613). Searches may go on. unlink() then completes
  // it.
  template <Space S, class Dead>
  void bypass(const S& space, Dead&& dead, ThreadPool& threads);
  // After bypass() with the same `dead`: clears the rows of dead nodes. No link leads to them any more and their
  // numbers can be used again. A dead node with living twins leaves its place to the first of them. `living` tells
  // which nodes stay.
  void unlink(const std::function<bool(Node)>& dead, const std::function<bool(Node)>& living);

  // Finds nodes that no path leads to and links them from their nearest reachable neighbours; at most `rounds` times,
  // as a new link may push out another, and while that helps. Returns what is left.
  template <Space S>
  Reachability repair(const S& space, std::size_t nodes, const std::function<bool(Node)>& wanted,
                      std::size_t rounds = 32);
  Reachability reachability(std::size_t nodes, const std::function<bool(Node)>& wanted) const;

  // Gives nodes new numbers: renumbered[old] or kNone for those not in the graph; order is kept.
  void compact(std::span<const Node> renumbered, std::size_t nodes);
  // Forgets what only building needs (the lengths of the links).
  void settle() { edge_distances_ = PageBuffer(); }

  // The stored form, see docs/formats/index.md. parts() refers to the graph's memory.
  struct Parts {
    Bytes floor;
    std::vector<Bytes> uppers;
    std::uint32_t entry_row = kNone;
  };
  Parts parts(std::size_t nodes) const;
  // Takes over stored rows: copies them, or refers to them. Throws Error{corrupted} unless they are a graph in
  // which no link leads outside and no chain is closed.
  void adopt(const Parts& parts, std::size_t nodes, bool copy);

 private:
  struct UpperRows {
    LinkRows rows;
    std::atomic<Node> used{0};
  };
  // Where searches begin: a row on the highest level.
  struct Entry {
    std::uint32_t level;
    Node row;
  };
  // What a node of a batch will link to, found before the batch is written.
  struct Plan {
    Node node = kNone;
    Node twin_of = kNone;
    std::size_t level = 0;
    std::vector<Node> rows;                     // for each level from the floor
    std::vector<std::vector<Candidate>> links;  // the same; first all candidates
  };
  struct BackLink {
    Node target;
    Candidate source;
  };
  struct Worker {
    Scratch scratch;
    Selection selection;
    std::vector<Candidate> candidates;
    std::vector<Node> links;
    std::vector<float> distances;
  };

  bool has_entry() const noexcept { return entry_.load(std::memory_order_acquire) != kNoEntry; }
  Entry entry() const noexcept {
    const std::uint64_t packed = entry_.load(std::memory_order_acquire);
    return {static_cast<std::uint32_t>(packed >> 32), static_cast<Node>(packed)};
  }
  void set_entry(Entry entry) noexcept {
    entry_.store(std::uint64_t{entry.level} << 32 | entry.row, std::memory_order_release);
  }
  Floor floor() const noexcept { return {floor_}; }
  Upper upper(std::size_t level) const noexcept { return {uppers_[level - 1].rows}; }
  std::size_t level_of(Node node) const noexcept {
    return draw_level(options_.seed, node, options_.effective_level_mult());
  }

  void append_twins(Node node, std::size_t k, std::vector<Candidate>& found) const;
  // Greedy walk from the entry down to `level`; a row there.
  template <Scorer S>
  Candidate approach(const S& scorer, std::size_t level, Scratch& scratch) const;

  std::size_t batch_size(std::span<const Node> rest) const;
  template <Space S>
  void insert_batch(const S& space, std::span<const Node> nodes, ThreadPool& threads);
  template <class Level, Space S>
  void score_again(const Level& level, const S& space, Node owner, std::vector<Candidate>& candidates,
                   Worker& worker) const;
  template <Space S>
  void seek(const S& space, Plan& plan, Worker& worker) const;
  void place(Plan& plan);
  template <Space S>
  void choose(const S& space, std::span<const Plan> earlier, Plan& plan, Worker& worker) const;
  template <class Level, Space S>
  void choose_on_level(const Level& level, std::size_t number, const S& space, std::span<const Plan> earlier,
                       Plan& plan, Worker& worker) const;
  void write_forward(const Plan& plan, std::vector<std::vector<BackLink>>& back);
  template <Space S>
  void write_back(const S& space, std::size_t level, std::vector<BackLink>& back, ThreadPool& threads);
  template <class Level, Space S>
  void link_back(const Level& level, LinkRows& rows, float* lengths, const S& space, std::span<const BackLink> incoming,
                 Worker& worker);
  void add_twin(Node node, Node of) noexcept;
  template <class Level, Space S, class Dead>
  void bypass_row(const Level& level, LinkRows& rows, const S& space, Node row, Dead&& dead, Worker& worker);
  template <Space S>
  void link_from_reachable(const S& space, Node node, std::span<const std::uint8_t> reached,
                           std::span<std::uint32_t> in_degree, Worker& worker);
  // Marks what floor links lead to from `from`, itself included.
  void reach(Node from, std::vector<std::uint8_t>& reached) const;
  Node entry_node() const noexcept;
  Node first_living_twin(Node node, const std::function<bool(Node)>& dead) const noexcept;
  // Marks the nodes that leave the graph: dead ones, but for those that a living twin follows.
  std::vector<std::uint8_t> leaving(const std::function<bool(Node)>& dead) const;
  void drop_twins(const std::function<bool(Node)>& dead);
  void promote_twins(const std::function<bool(Node)>& dead);
  void drop_upper_rows(const std::function<bool(Node)>& dead);
  void find_entry(const std::function<bool(Node)>& living);

  float* edge_distances(Node node) noexcept {
    auto* all = reinterpret_cast<float*>(edge_distances_.data());
    return all == nullptr ? nullptr : all + static_cast<std::size_t>(node) * floor_.max_links();
  }
  void forget_lengths(Node node) noexcept {
    if (float* lengths = edge_distances(node)) std::fill(lengths, lengths + floor_.max_links(), 0.0F);
  }
  Worker& worker(std::size_t i);

  static constexpr std::uint64_t kNoEntry = ~std::uint64_t{0};

  HnswOptions options_;
  LinkRows floor_;
  std::array<UpperRows, kMaxLevel> uppers_;  // [0] is level 1
  std::atomic<std::uint64_t> entry_{kNoEntry};
  std::atomic<bool> has_twins_{false};
  std::size_t linked_ = 0;  // nodes inserted and not unlinked, twins aside
  // Lengths of the floor's links while a large part of the graph is being built, 0 where not known.
  PageBuffer edge_distances_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace boon::graph

#include "boon/graph/hnsw_insert.h"  // IWYU pragma: export
#include "boon/graph/hnsw_remove.h"  // IWYU pragma: export
#include "boon/graph/hnsw_search.h"  // IWYU pragma: export
