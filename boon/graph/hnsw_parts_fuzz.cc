// Damages a stored graph as the input says and adopts it: it is refused, or it can be searched and changed.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "boon/core/error.h"
#include "boon/graph/hnsw.h"
#include "boon/graph/test_graph.h"

namespace {

using boon::graph::Node;

constexpr boon::graph::HnswOptions kOptions{.neighbours = 3, .build_beam = 12};
constexpr std::size_t kNodes = 80;

// 60 nodes and 20 copies.
const boon::graph::TestGraph& whole_graph() {
  static const boon::graph::TestGraph* const graph = [] {
    auto space = boon::graph::uniform_space(kNodes, 2, 1);
    for (Node node = 60; node < kNodes; ++node) {
      const auto leader = space.row(node % 10);
      space.set(node, std::vector<float>(leader.begin(), leader.end()));
    }
    auto* const built = new boon::graph::TestGraph(space, kOptions);
    built->insert_all();
    return built;
  }();
  return *graph;
}

}  // namespace

// The first byte chooses how to adopt and where searches begin; then come changes of three bytes: place (two) and
// value. The places run through the floor and the levels above; the value is xored into the word's lowest byte or, for
// odd places past the end, cuts the part short.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto& whole = whole_graph();
  const auto parts = whole.graph.parts(kNodes);
  std::vector<std::vector<std::byte>> damaged;
  damaged.emplace_back(parts.floor.begin(), parts.floor.end());
  for (const auto& upper : parts.uppers) damaged.emplace_back(upper.begin(), upper.end());

  const bool copy = (data[0] & 1) != 0;
  Node entry_row = parts.entry_row;
  if ((data[0] & 2) != 0) entry_row = static_cast<Node>(data[0] >> 2) - 1;
  for (std::size_t at = 1; at + 3 <= size; at += 3) {
    std::size_t place = data[at] | std::size_t{data[at + 1]} << 8;
    for (auto& part : damaged) {
      if (place < part.size()) {
        part[place] ^= std::byte{data[at + 2]};
        break;
      }
      place -= part.size();
      if (&part == &damaged.back() && place % 2 == 1)
        part.resize(part.size() - std::min<std::size_t>(part.size(), data[at + 2]));
    }
  }

  boon::graph::Hnsw::Parts changed;
  changed.entry_row = entry_row;
  changed.floor = damaged[0];
  for (std::size_t i = 1; i < damaged.size(); ++i) changed.uppers.emplace_back(damaged[i]);
  boon::graph::TestGraph test(whole.space, kOptions);
  try {
    test.graph.adopt(changed, kNodes, copy);
  } catch (const boon::Error& error) {
    if (error.code() != boon::ErrorCode::corrupted) throw;
    return 0;
  }
  test.live.assign(kNodes, 1);
  for (Node node = 0; node < kNodes; node += 7) test.search(test.space.row(node), 10, 12);
  if (!copy || test.graph.empty()) return 0;

  for (Node node = 0; node < kNodes; node += 3) test.remove(node);
  test.mend();
  const auto more = boon::graph::uniform_space(20, 2, 2);
  for (Node node = 0; node < more.size(); ++node) test.space.add(more.row(node));
  test.insert(kNodes, more.size());
  for (Node node = 0; node < kNodes; node += 7) test.search(test.space.row(node), 10, 12);
  return 0;
}
