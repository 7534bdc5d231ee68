// What an index can tell of itself.
#include <algorithm>
#include <cstring>

#include "boon/core/random.h"
#include "boon/index/impl.h"
#include "boon/index/ranking.h"

namespace boon {

IndexStatistics Index::Impl::statistics() const {
  std::lock_guard writer(writer_);
  std::shared_lock shared(layout_);
  const std::size_t used = slots_.used();
  IndexStatistics result;
  result.live = slots_.live();
  result.deleted = slots_.dead();
  result.free = slots_.free_places();
  std::size_t links = 0;
  std::size_t with_links = 0;
  for (std::size_t slot = 0; has_graph() && slot < used; ++slot) {
    const auto node = static_cast<Node>(slot);
    if (slots_.state(node) == index::SlotState::free) continue;
    if (graph_.is_twin(node)) {
      ++result.twins;
      continue;
    }
    const std::size_t degree = graph_.links(node).size();
    links += degree;
    ++with_links;
    result.max_degree = std::max(result.max_degree, degree);
  }
  result.mean_degree = with_links == 0 ? 0 : static_cast<double>(links) / static_cast<double>(with_links);
  if (has_graph()) {
    result.unreachable = graph_.reachability(used, [&](Node node) { return slots_.is_live(node); }).unreachable;
  }
  if (has_graph() && used > slots_.free_places()) result.level_sizes.push_back(used - slots_.free_places());
  for (std::size_t level = 1; level < graph_.levels(); ++level) {
    result.level_sizes.push_back(graph_.rows_on_level(level));
  }
  result.component = index::name(rows_.element());
  result.vector_bytes = rows_.bytes(used);
  result.code_bytes = codes_.bytes(used);
  result.graph_bytes = has_graph() ? graph_.bytes(used) : 0;
  result.id_bytes = slots_.bytes();
  result.exact_bytes = exact_rows_.bytes();
  return result;
}

IndexHealth Index::Impl::check(std::size_t sample, std::size_t threads) const {
  IndexHealth health;
  std::vector<Node> live;
  std::lock_guard writer(writer_);
  std::shared_lock shared(layout_);
  const std::size_t used = slots_.used();
  for (std::size_t slot = 0; slot < used; ++slot) {
    const auto node = static_cast<Node>(slot);
    if (slots_.is_live(node)) live.push_back(node);
    if (!has_graph()) continue;
    std::vector<Node> links = graph_.links(node);
    std::sort(links.begin(), links.end());
    const auto repeated = std::adjacent_find(links.begin(), links.end()) != links.end();
    const auto outside = std::any_of(links.begin(), links.end(), [&](Node link) {
      return link >= used || link == node || slots_.state(link) == index::SlotState::free;
    });
    health.broken_links += repeated || outside ? 1 : 0;
  }
  if (!has_graph()) {
    health.checked = live.size();
    health.not_found = lost_ids(live);
    return health;
  }
  health.unreachable = graph_.reachability(used, [&](Node node) { return slots_.is_live(node); }).unreachable;

  if (sample > 0 && sample < live.size()) {
    Random random(1);
    for (std::size_t i = 0; i < sample; ++i) std::swap(live[i], live[i + random.below(live.size() - i)]);
    live.resize(sample);
  }
  health.checked = live.size();
  ThreadPool pool(threads);
  std::atomic<std::size_t> missed{0};
  std::atomic<std::size_t> widened{0};
  const SearchOptions options;
  const index::Admission admission(options.filter, slots_);
  in_space([&](const auto& space) {
    pool.for_each(live.size(), 16, [&](std::size_t i, std::size_t) {
      const std::size_t beam = beam_that_finds(space, live[i], admission);
      if (beam == 0) missed.fetch_add(1, std::memory_order_relaxed);
      if (beam > options.beam) widened.fetch_add(1, std::memory_order_relaxed);
    });
  });
  health.not_found = missed;
  health.widened = widened;
  return health;
}

// Live slots to which their ids do not lead.
std::size_t Index::Impl::lost_ids(std::span<const Node> live) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(live.begin(), live.end(), [&](Node slot) { return slots_.find(slots_.id(slot)) != slot; }));
}

// The beam by which a search for a slot's own vector meets it, or one equal to it: the usual one, or wider ones, as any
// search may pass a vector by; 0 if none does. It is made in the space the graph is built in: a vector need not be its
// own nearest by inner product, but there it is.
template <class Space>
std::size_t Index::Impl::beam_that_finds(const Space& space, Node slot, const index::Admission& admission) const {
  constexpr std::size_t kAnswers = 10;
  constexpr std::size_t kBeamMax = 4096;
  const index::Scratches::Lease lease(*scratches_);
  // With codes as searches go, but for the inner product, in whose space there are none.
  const bool by_codes = !codes_.none() && options_.metric != Metric::inner_product;
  const index::L2Scorer own = index::L2Space{vectors()}.from(slot);
  const auto walk = by_codes ? codes_.walk(rows_.get(slot), options_.metric, own) : index::WalkScorer(own);
  for (std::size_t beam = SearchOptions{}.beam; beam <= kBeamMax; beam *= 4) {
    if (by_codes) {
      graph_.search(walk, beam, beam, admission, *lease);
      index::rank_again(graph_, own, kAnswers, admission, *lease);
    } else {
      graph_.search(space.from(slot), kAnswers, beam, admission, *lease);
    }
    const auto& near = (*lease).found;
    const bool found = std::any_of(near.begin(), near.end(), [&](const auto& n) { return space.same(n.node, slot); });
    if (found) return beam;
  }
  return 0;
}

}  // namespace boon
