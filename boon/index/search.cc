// Searching: walk the graph, or compare with every vector where that is asked for, cheaper, or the only way to answer
// in full.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "boon/index/admission.h"
#include "boon/index/impl.h"
#include "boon/index/ranking.h"

namespace boon {
namespace {

using graph::Candidate;
using graph::Node;

// Vectors scored at once by a scan.
constexpr std::size_t kScanBlock = 256;
// Queries answered before a waiting writer is let in: by walking, on each thread, and by comparing, which takes them in
// tiles.
constexpr std::size_t kStretch = 256;
constexpr std::size_t kExactStretch = 1024;

// Rough costs in nanoseconds, on 100 dimensions: a vector met on a walk is a cache miss, one met by a scan is not.
constexpr double kWalkPerCandidate = 500;  // of the beam: about ten vectors each
constexpr double kScanPerListed = 25;      // one vector at a known place
constexpr double kScanPerSlot = 12;        // one of all vectors in a row

// The width a walk needs so that about `beam` of the `population` it may meet is let through.
std::size_t width_for(std::size_t beam, std::size_t expected, std::size_t population) noexcept {
  if (expected == 0) return population;
  const double width = static_cast<double>(beam) * static_cast<double>(population) / static_cast<double>(expected);
  return std::max(beam, static_cast<std::size_t>(std::min(width, static_cast<double>(population))));
}

// An empty table of k answers to each of `count` queries. A table far wider than the index has vectors is a mistake.
Matches table_for(std::size_t count, std::size_t k, std::size_t live) {
  constexpr std::size_t kPaddingMax = std::size_t{1} << 27;
  if (count > 0 && k > live && k > kPaddingMax / count) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("a table of {} answers to {} queries is too large, and the index has {} vectors: ask for fewer", k,
                    count, live));
  }
  Matches table;
  table.k = k;
  try {
    table.ids.assign(count * k, kNoId);
    table.distances.assign(count * k, std::numeric_limits<float>::infinity());
    table.counts.assign(count, 0);
  } catch (const std::exception&) {
    throw Error(ErrorCode::out_of_memory, fmt::format("no memory for {} answers to {} queries", k, count));
  }
  return table;
}

void put(Matches& table, std::size_t row, std::span<const Match> matches) noexcept {
  for (std::size_t j = 0; j < matches.size(); ++j) {
    table.ids[row * table.k + j] = matches[j].id;
    table.distances[row * table.k + j] = matches[j].distance;
  }
  table.counts[row] = matches.size();
}

}  // namespace

float Index::Impl::distance_of(float score) const noexcept {
  switch (options_.metric) {
    case Metric::l2:
      return score;
    case Metric::cosine:
      return score / 2;
    case Metric::inner_product:
      return 1 + score;
  }
  return score;
}

Index::Impl::Query Index::Impl::prepare(std::span<const float> query, const std::string& what) const {
  if (query.size() != options_.dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has dimension {}, but the index has dimension {}", what, query.size(), options_.dim));
  }
  const double squared = check_vector(query, options_.metric, what);
  Query prepared{std::vector<float>(query.size()), {}};
  write_row(query, options_.metric, squared, prepared.values.data());
  if (options_.metric == Metric::l2 && index::fits_bytes(query)) {
    prepared.bytes.resize(query.size());
    std::transform(query.begin(), query.end(), prepared.bytes.begin(),
                   [](float x) { return static_cast<std::uint8_t>(static_cast<int>(x)); });
  }
  return prepared;
}

void Index::Impl::scan(const Query& query, std::size_t k, const SearchOptions& options,
                       const index::Admission& admission, graph::Scratch& scratch) const {
  float scores[kScanBlock];
  index::Nearest nearest(k, scratch.found);
  const auto offer = [&](float score, Node node) {
    const Candidate candidate{score, node};
    if (!(distance_of(score) <= options.max_distance)) return;
    if (nearest.would_take(candidate) && admission(node)) nearest.take(candidate);
  };
  with_scorer(query, [&](const auto& scorer) {
    if (const auto* listed = admission.listed()) {
      for (std::size_t first = 0; first < listed->size(); first += kScanBlock) {
        const auto block = std::span(*listed).subspan(first, std::min(kScanBlock, listed->size() - first));
        scorer.score(block, scores);
        for (std::size_t i = 0; i < block.size(); ++i) offer(scores[i], block[i]);
      }
      scratch.statistics.distances += listed->size();
    } else {
      const std::size_t used = slots_.used();
      will_read_rows();
      for (std::size_t first = 0; first < used; first += kScanBlock) {
        const std::size_t count = std::min(kScanBlock, used - first);
        scorer.score_run(static_cast<Node>(first), count, scores);
        for (std::size_t i = 0; i < count; ++i) offer(scores[i], static_cast<Node>(first + i));
      }
      scratch.statistics.distances += used;
    }
  });
  nearest.sort();
}

bool Index::Impl::scan_is_cheaper(const index::Admission& admission, std::size_t width) const noexcept {
  const double walk_cost = kWalkPerCandidate * static_cast<double>(width);
  const double scan_cost = admission.listed() != nullptr ? kScanPerListed * static_cast<double>(admission.expected())
                                                         : kScanPerSlot * static_cast<double>(slots_.used());
  return scan_cost < walk_cost;
}

// Leaves the k nearest that are let through in scratch.found, sorted.
void Index::Impl::find(const Query& query, std::size_t k, const SearchOptions& options,
                       const index::Admission& admission, bool writing, graph::Scratch& scratch) const {
  scratch.found.clear();
  if (k == 0) return;
  const std::size_t expected = admission.expected();
  // Free slots are no part of the graph.
  const std::size_t population = slots_.used() - slots_.free_places();
  const std::size_t beam = std::max(options.beam, codes_.none() ? k : index::candidates_for(k));
  const std::size_t width = width_for(beam, expected, population);
  const bool takes_all = admission.counted() && k >= expected;
  const bool filtered = !options.filter.everything();
  if (options.exact || !has_graph() || takes_all || (filtered && scan_is_cheaper(admission, width))) {
    scan(query, k, options, admission, scratch);
    return;
  }
  with_scorer(query, [&](const auto& rows) {
    const auto scorer = codes_.walk(query.values, options_.metric, rows);
    const auto search = [&](const auto& accept) {
      if (!scorer.estimates()) {
        graph_.search(scorer, k, width, accept, scratch);
      } else {
        graph_.search(scorer, beam, width, accept, scratch);
        index::rank_again(graph_, rows, k, accept, scratch);
      }
    };
    if (admission.all() && !writing) {
      search(graph::AcceptAll{});
    } else {
      search(admission);
    }
  });
  // A walk can end in a corner of the graph where little is let through; the answer is to be full all the same.
  if (scratch.found.size() < k) scan(query, k, options, admission, scratch);
}

// Ranked by score, of which the distance may round differences away (1 - dot, for products near 0), then by id.
void Index::Impl::to_matches(std::size_t k, const SearchOptions& options, std::span<const Candidate> found,
                             bool writing, std::vector<Match>& matches) const {
  matches.clear();
  matches.reserve(found.size());
  for (const Candidate& candidate : found) matches.push_back({slots_.id(candidate.node), candidate.distance});
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.id < b.id);
  });
  if (writing) {
    std::unordered_set<Id> seen;
    std::erase_if(matches, [&](const Match& match) { return !seen.insert(match.id).second; });
  }
  if (matches.size() > k) matches.resize(k);
  for (Match& match : matches) match.distance = distance_of(match.distance);
  std::erase_if(matches, [&](const Match& match) { return !(match.distance <= options.max_distance); });
}

// Whether the kernel for exact search answers: rows are at rest, and neither does the filter name a few of them nor is
// every one wanted.
bool Index::Impl::compares_all(std::size_t k, const SearchOptions& options,
                               const index::Admission& admission) const noexcept {
  constexpr std::size_t kFew = 16;  // a listed row, met out of order, costs about as much as so many in a row
  const bool walks = has_graph() && !options.exact;
  if (writing_ || walks || k >= slots_.used()) return false;
  return admission.listed() == nullptr || admission.expected() > slots_.used() / kFew;
}

// Rows [first, first + count) of the table. The shared lock is held.
void Index::Impl::answer_exact(std::span<const float> queries, std::size_t first, std::size_t count,
                               const SearchOptions& options, const index::Admission& admission, ThreadPool& pool,
                               Matches& table) const {
  const std::size_t used = slots_.used();
  const std::size_t k = std::min(table.k, used);
  if (k == 0 || count == 0) return;
  will_read_rows();
  std::vector<std::uint64_t> allowed;
  if (!admission.all()) {
    allowed.resize((used + 63) / 64);
    for (std::size_t slot = 0; slot < used; ++slot) {
      if (admission(static_cast<Node>(slot))) allowed[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
  }
  const std::size_t dim = options_.dim;
  const float* asked = queries.data() + first * dim;
  Metric metric = options_.metric;
  // Rounding leaves rows of almost length 1. A walk ranks them as they are, so the kernel must not scale them again.
  std::vector<float> scaled;
  if (metric == Metric::cosine && rows_.element() != index::Element::f32) {
    metric = Metric::l2;
    scaled.resize(count * dim);
    for (std::size_t i = 0; i < count; ++i) {
      write_row({asked + i * dim, dim}, Metric::cosine, scaled.data() + i * dim);
    }
    asked = scaled.data();
  }
  const auto base =
      exact_rows_.get(vectors(), used, metric, {.queries = count, .threads = pool.size(), .keep_copy = !has_graph()});
  std::vector<Node> nodes(count * k);
  std::vector<float> distances(count * k);
  const std::size_t found = kernels::knn(*base,
                                         {.data = asked,
                                          .count = count,
                                          .k = k,
                                          .allowed = allowed.empty() ? nullptr : allowed.data(),
                                          .threads = pool.size()},
                                         nodes.data(), distances.data());
  // The distances are given in the bits that a walk gives them, so that answers of both can be compared.
  pool.for_each(count, 16, [&](std::size_t i, std::size_t) {
    const std::span<const Node> nearest(nodes.data() + i * k, found);
    const Query query = prepare(queries.subspan((first + i) * options_.dim, options_.dim), "the query");
    std::vector<float> scores(found);
    std::vector<Candidate> candidates;
    std::vector<Match> matches;
    with_scorer(query, [&](const auto& scorer) { scorer.score(nearest, scores.data()); });
    for (std::size_t j = 0; j < found; ++j) candidates.push_back({scores[j], nearest[j]});
    to_matches(k, options, candidates, false, matches);
    put(table, first + i, matches);
  });
  table.statistics.distances += used * count;
}

// The shared lock is held.
void Index::Impl::answer(const Query& query, std::size_t k, const SearchOptions& options,
                         const index::Admission& admission, graph::Scratch& scratch,
                         std::vector<Match>& matches) const {
  const bool writing = writing_;
  const std::size_t used = slots_.used();
  k = std::min(k, used);
  // An id may be there twice, so k of them are among the 2k nearest.
  find(query, writing ? std::min(2 * k, used) : k, options, admission, writing, scratch);
  to_matches(k, options, scratch.found, writing, matches);
}

std::vector<Match> Index::Impl::search(std::span<const float> query, std::size_t k, const SearchOptions& given,
                                       graph::SearchStatistics* statistics) const {
  const Query prepared = prepare(query, "the query");
  std::vector<Match> matches;
  std::shared_lock shared(layout_);
  const std::optional<SearchOptions> with_beam = aimed(given, k);
  const SearchOptions& options = with_beam ? *with_beam : given;
  const index::Admission admission(options.filter, slots_);
  if (compares_all(k, options, admission)) {
    Matches table = table_for(1, k, slots_.live());
    ThreadPool alone(1);
    answer_exact(query, 0, 1, options, admission, alone, table);
    for (std::size_t i = 0; i < table.counts[0]; ++i) matches.push_back({table.ids[i], table.distances[i]});
    if (statistics != nullptr) *statistics = table.statistics;
    return matches;
  }
  const index::Scratches::Lease lease(*scratches_);
  graph::Scratch& scratch = *lease;
  scratch.statistics = {};
  answer(prepared, k, options, admission, scratch, matches);
  if (statistics != nullptr) *statistics = scratch.statistics;
  return matches;
}

Matches Index::Impl::search_many(std::span<const float> queries, std::size_t k, const SearchOptions& given) const {
  const std::size_t dim = options_.dim;
  if (queries.size() % dim != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} values are not whole queries: the index has dimension {}", queries.size(), dim));
  }
  const std::size_t count = queries.size() / dim;
  check_rows(queries.data(), count, dim, dim, options_.metric, "query");
  Matches result = table_for(count, k, slots_.live());

  ThreadPool pool(count > 1 ? given.threads : 1);
  std::vector<graph::SearchStatistics> statistics(pool.size());
  for (std::size_t first = 0, stretch = 0; first < count; first += stretch) {
    if (first > 0 && given.progress && !given.progress(first, count)) {
      throw Error(ErrorCode::cancelled, fmt::format("stopped after {} of {} queries", first, count));
    }
    std::shared_lock shared(layout_);
    const std::optional<SearchOptions> with_beam = aimed(given, k);
    const SearchOptions& options = with_beam ? *with_beam : given;
    const index::Admission admission(options.filter, slots_);
    if (compares_all(k, options, admission)) {
      stretch = std::min(kExactStretch, count - first);
      answer_exact(queries, first, stretch, options, admission, pool, result);
      continue;
    }
    stretch = std::min(kStretch * pool.size(), count - first);
    pool.for_each(stretch, 2, [&](std::size_t i, std::size_t worker) {
      const std::size_t row = first + i;
      const index::Scratches::Lease lease(*scratches_);
      graph::Scratch& scratch = *lease;
      scratch.statistics = {};
      std::vector<Match> matches;
      answer(prepare(queries.subspan(row * dim, dim), "the query"), k, options, admission, scratch, matches);
      put(result, row, matches);
      statistics[worker].hops += scratch.statistics.hops;
      statistics[worker].distances += scratch.statistics.distances;
    });
  }
  if (count > 0 && given.progress) given.progress(count, count);
  for (const auto& part : statistics) {
    result.statistics.hops += part.hops;
    result.statistics.distances += part.distances;
  }
  return result;
}

// Asks for more and more until the farthest answer is too far; where all are compared anyway, for all at once.
std::vector<Match> Index::Impl::search_range(std::span<const float> query, const SearchOptions& options) const {
  if (options.exact || !has_graph()) return search(query, std::max<std::size_t>(slots_.used(), 1), options, nullptr);
  SearchOptions widening = options;
  for (std::size_t k = std::max<std::size_t>(options.beam, 16);; k *= 2) {
    widening.beam = std::max(options.beam, k + k / 2);
    std::vector<Match> matches = search(query, k, widening, nullptr);
    if (matches.size() < k || k >= slots_.used()) return matches;
  }
}

}  // namespace boon
