// Part of hnsw.h: the stored form, and the proof that bytes from outside are a graph before anything walks them.
#include <algorithm>
#include <cstring>
#include <string>

#include "boon/core/error.h"
#include "boon/graph/hnsw.h"

namespace boon::graph {
namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorCode::corrupted, "the graph is damaged: " + what);
}

void check_row(const LinkRows& rows, Node row, std::size_t targets, const char* level) {
  bool ended = false;
  for (std::size_t i = 0; i < rows.max_links(); ++i) {
    const Node link = rows.link(row, i);
    if (link == kNone) {
      ended = true;
    } else if (ended) {
      damaged(std::string("row ") + std::to_string(row) + " of the " + level + " has links after its end");
    } else if (link >= targets) {
      damaged(std::string("row ") + std::to_string(row) + " of the " + level + " links to " + std::to_string(link) +
              ", but there are " + std::to_string(targets));
    }
  }
}

void fill(LinkRows& rows, Bytes bytes, std::size_t count, bool copy) {
  if (!copy) {
    rows.view(bytes);
    return;
  }
  rows.grow(count);
  rows.load(bytes);
}

// A search walks a chain from each node it meets: chains must end. They do if only twins follow, no twin has two
// predecessors and no link leads into the middle of a chain. A chain that no node begins would be lost, or a ring.
void check_twins(const LinkRows& floor, std::size_t nodes, bool& has_twins) {
  const auto twin = [&](Node node) { return floor.link(node, 0) == node; };
  std::vector<std::uint8_t> followed(nodes, 0);
  std::size_t in_no_chain = 0;
  for (Node node = 0; node < nodes; ++node) {
    const Node next = floor.header(node);
    if (next != kNone) {
      if (next >= nodes || !twin(next) || followed[next] != 0) {
        damaged("node " + std::to_string(node) + " has a broken chain of equal nodes");
      }
      followed[next] = 1;
      has_twins = true;
    }
    if (twin(node)) {
      if (floor.degree(node) != 1) damaged("node " + std::to_string(node) + " links to itself");
      ++in_no_chain;
      continue;
    }
    for (std::size_t i = 0; i < floor.max_links(); ++i) {
      const Node link = floor.link(node, i);
      if (link == kNone) break;
      if (link == node || twin(link)) damaged("node " + std::to_string(node) + " links to itself or to a twin");
    }
  }
  for (Node node = 0; node < nodes; ++node) {
    if (twin(node)) continue;
    for (Node next = floor.header(node); next != kNone; next = floor.header(next)) --in_no_chain;
  }
  if (in_no_chain > 0) damaged("a chain of equal nodes has no beginning");
}

}  // namespace

Hnsw::Parts Hnsw::parts(std::size_t nodes) const {
  Parts parts;
  parts.floor = floor_.bytes(nodes);
  if (!has_entry()) return parts;
  const Entry top = entry();
  parts.entry_row = top.row;
  for (std::size_t level = 1; level <= top.level; ++level) {
    parts.uppers.push_back(uppers_[level - 1].rows.bytes(rows_on_level(level)));
  }
  return parts;
}

void Hnsw::adopt(const Parts& parts, std::size_t nodes, bool copy) {
  if (nodes > kMaxNodes || parts.floor.size() != nodes * floor_.bytes_per_row()) damaged("the floor has a wrong size");
  if (parts.uppers.size() > kMaxLevel) damaged("it has too many levels");
  fill(floor_, parts.floor, nodes, copy);
  for (Node node = 0; node < nodes; ++node) check_row(floor_, node, nodes, "floor");
  bool has_twins = false;
  check_twins(floor_, nodes, has_twins);

  std::size_t below_used = nodes;
  for (std::size_t i = 0; i < parts.uppers.size(); ++i) {
    UpperRows& upper = uppers_[i];
    const std::size_t row_bytes = upper.rows.bytes_per_row();
    const std::size_t used = parts.uppers[i].size() / row_bytes;
    if (used == 0 || used > below_used || parts.uppers[i].size() % row_bytes != 0) damaged("a level has a wrong size");
    fill(upper.rows, parts.uppers[i], used, copy);
    upper.used.store(static_cast<Node>(used));
    for (Node row = 0; row < used; ++row) {
      check_row(upper.rows, row, used, "upper levels");
      const Node node = upper.rows.header(row, Upper::kNode);
      const Node below = upper.rows.header(row, Upper::kBelow);
      const bool fits = node < nodes && !is_twin(node) && below < below_used &&
                        (i == 0 ? below == node : uppers_[i - 1].rows.header(below, Upper::kNode) == node);
      if (!fits) damaged("row " + std::to_string(row) + " of level " + std::to_string(i + 1) + " has no place below");
    }
    below_used = used;
  }

  for (Node node = 0; node < nodes; ++node) linked_ += floor_.link(node, 0) != kNone && !is_twin(node) ? 1 : 0;
  if (parts.entry_row == kNone) {
    if (!parts.uppers.empty() || linked_ > 0 || has_twins) damaged("it has links and no entry");
    return;
  }
  if (parts.entry_row >= below_used || (parts.uppers.empty() && is_twin(parts.entry_row))) damaged("it has no entry");
  set_entry({static_cast<std::uint32_t>(parts.uppers.size()), parts.entry_row});
  has_twins_ = has_twins;
}

}  // namespace boon::graph
