// Changing an index: adding, removing, repairing, compacting.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "boon/core/random.h"
#include "boon/index/impl.h"

namespace boon {
namespace {

// A file has room for 64 sections, and those of the index itself are at most 40.
constexpr std::size_t kAttachmentsMax = 16;

}  // namespace

Index::Impl::Impl(const IndexOptions& options)
    : options_(options),
      rows_(options.dim, index::element_of(options.dtype)),
      codes_(options.codes, options.dim),
      graph_(options.graph),
      scratches_(std::make_unique<index::Scratches>()) {
  options.validate();
}

void Index::Impl::require_writable() const {
  if (read_only_)
    throw Error(ErrorCode::read_only, "the index was opened with view() and can only be read; use load()");
}

std::vector<Id> Index::Impl::choose_ids(std::size_t count, std::span<const Id> ids, bool replace) const {
  std::vector<Id> chosen(count);
  if (ids.empty()) {
    if (next_id_ > kNoId - count) throw Error(ErrorCode::invalid_argument, "there are no ids left to count on from");
    std::iota(chosen.begin(), chosen.end(), next_id_);
    return chosen;
  }
  std::unordered_map<Id, std::size_t> rows;
  rows.reserve(count);
  for (std::size_t row = 0; row < count; ++row) {
    if (ids[row] == kNoId) {
      throw Error(ErrorCode::invalid_argument, fmt::format("row {} has the id {}, which is reserved", row, ids[row]));
    }
    const auto [first, fresh] = rows.emplace(ids[row], row);
    if (!fresh) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("rows {} and {} have the same id {}", first->second, row, ids[row]));
    }
    if (!replace && slots_.find(ids[row]) != index::kNone) {
      throw Error(ErrorCode::already_exists,
                  fmt::format("row {} has the id {}, which is in the index already; replace it or remove it first", row,
                              ids[row]));
    }
    chosen[row] = ids[row];
  }
  return chosen;
}

void Index::Impl::grow(std::size_t slots, std::span<const Node> to_insert, index::Element element,
                       std::optional<index::Codes> made) {
  std::unique_lock alone(layout_);
  // No search is under way, and those to come see it.
  writing_ = true;
  exact_rows_.forget();
  if (slots_.used() == 0) {
    rows_.start(element);
  } else if (element != index::Element::u8 && rows_.element() == index::Element::u8) {
    rows_.widen(slots_.used());
  }
  // Single rows must not grow the index each time; many at once get what they need.
  const std::size_t held = slots_.capacity();
  const std::size_t capacity = slots <= held ? held : std::max(slots, std::min(held + held / 2, slots + (1U << 20)));
  rows_.reserve(capacity);
  (made ? *made : codes_).reserve(capacity);
  if (options_.metric == Metric::inner_product) squared_norms_.reserve(capacity * sizeof(float));
  slots_.grow(capacity);
  if (has_graph()) graph_.grow(capacity, to_insert);
  if (!made) return;
  codes_ = std::move(*made);
  recall_tables_.count_changed(slots_.live());  // walks are others now
}

// Whether codes are to be chosen (again) for what is there and `given` rows more. Bytes need none: they are read as
// fast as codes, and lose nothing.
bool Index::Impl::codes_are_due(std::size_t given, index::Element element) const noexcept {
  const bool floats = element != index::Element::u8 || (slots_.used() > 0 && rows_.element() != index::Element::u8);
  return options_.codes == index::kCodesToChoose && has_graph() && floats && slots_.live() + given >= next_choice_;
}

// The codes that suit a sample of the index and the rows that are to come. The writer's.
std::string_view Index::Impl::choose_codes(std::span<const float> given) const {
  constexpr std::size_t kSample = 2048;
  const std::size_t dim = options_.dim;
  std::vector<Node> held;
  for (std::size_t slot = 0; slot < slots_.used(); ++slot) {
    if (slots_.is_live(static_cast<Node>(slot))) held.push_back(static_cast<Node>(slot));
  }
  std::vector<std::size_t> order(held.size() + given.size() / dim);
  std::iota(order.begin(), order.end(), 0);
  const std::size_t wanted = std::min(kSample, order.size());
  Random random(options_.graph.seed);
  for (std::size_t i = 0; i < wanted; ++i) std::swap(order[i], order[i + random.below(order.size() - i)]);
  std::vector<float> sample(wanted * dim);
  for (std::size_t i = 0; i < wanted; ++i) {
    float* row = sample.data() + i * dim;
    if (order[i] < held.size()) {
      std::ranges::copy(rows_.get(held[order[i]]), row);
    } else {
      rows_.write(given.subspan((order[i] - held.size()) * dim, dim), options_.metric, row);
    }
  }
  return index::choose_codes(sample, dim, options_.metric, rows_.wide());
}

// Codes of what is there. The writer's: nothing else changes rows.
index::Codes Index::Impl::make_codes(std::string_view name, ThreadPool& pool) const {
  index::Codes made(name, options_.dim);
  if (made.none()) return made;
  made.reserve(slots_.used());
  pool.for_each(slots_.used(), 64, [&](std::size_t slot, std::size_t) {
    made.set(static_cast<Node>(slot), made.encode(rows_.get(static_cast<Node>(slot))));
  });
  return made;
}

std::string_view Index::Impl::codes() const {
  std::shared_lock shared(layout_);
  return codes_.name();
}

void Index::Impl::store_row(Node slot, std::span<const float> given, std::span<float> buffer) noexcept {
  rows_.write(given, options_.metric, buffer.data());
  rows_.set(slot, buffer);
  if (options_.metric == Metric::inner_product) {
    const auto norm = static_cast<float>(squared_norm(buffer));
    reinterpret_cast<float*>(squared_norms_.data())[slot] = norm;
    longest_ = std::max(longest_, norm);
  }
}

Index::Impl::Norms Index::Impl::squared_norms() const {
  if (squared_norms_.capacity() > 0) return {{}, reinterpret_cast<const float*>(squared_norms_.data()), longest_};
  Norms norms;
  norms.own.reserve(slots_.used());
  for (std::size_t slot = 0; slot < slots_.used(); ++slot) {
    norms.own.push_back(static_cast<float>(squared_norm(rows_.get(static_cast<Node>(slot)))));
    norms.longest = std::max(norms.longest, norms.own.back());
  }
  norms.squared = norms.own.data();
  return norms;
}

void Index::Impl::restore_norms() {
  if (options_.metric != Metric::inner_product) return;
  const Norms norms = squared_norms();
  squared_norms_.reserve(norms.own.size() * sizeof(float));
  std::copy(norms.own.begin(), norms.own.end(), reinterpret_cast<float*>(squared_norms_.data()));
  longest_ = norms.longest;
}

ThreadPool& Index::Impl::threads(std::size_t count) {
  if (count == 0) count = hardware_threads();
  if (threads_ == nullptr || threads_->size() != count) threads_ = std::make_unique<ThreadPool>(count);
  return *threads_;
}

std::vector<Id> Index::Impl::add(std::span<const float> given, std::span<const Id> ids, const AddOptions& options) {
  require_writable();
  const std::size_t dim = options_.dim;
  if (given.size() % dim != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} values are not whole rows: the index has dimension {}", given.size(), dim));
  }
  const std::size_t count = given.size() / dim;
  if (!ids.empty() && ids.size() != count) {
    throw Error(ErrorCode::invalid_argument, fmt::format("there are {} rows and {} ids", count, ids.size()));
  }
  if (count == 0) return {};
  check_rows(given.data(), count, dim, dim, options_.metric, "row");
  const bool whole = options_.metric == Metric::l2 && index::fits_bytes(given);
  const auto element = whole ? index::Element::u8 : rows_.wide();
  if (!whole) rows_.check(given, dim, options_.metric);

  std::lock_guard writer(writer_);
  struct Written {
    std::atomic<bool>& writing;
    ~Written() { writing = false; }
  } const written{writing_};
  std::vector<Id> chosen = choose_ids(count, ids, options.replace);
  const std::vector<Node> slots = slots_.pick(count);
  ThreadPool& pool = threads(options.threads);
  const bool due = codes_are_due(count, element);
  const std::string_view codes = due ? choose_codes(given) : codes_.name();
  std::optional<index::Codes> made;
  if (codes != codes_.name()) made = make_codes(codes, pool);
  const auto records = (made ? *made : codes_).encode(given, options_.metric, rows_, pool);
  std::vector<float> buffer(dim);
  std::vector<Node> order(slots);
  grow(std::max<std::size_t>(slots_.used(), *std::max_element(slots.begin(), slots.end()) + 1), slots, element,
       std::move(made));
  if (due) next_choice_ = 2 * (slots_.live() + count);

  // Nothing below fails before the rows are linked.
  slots_.take(slots, chosen.data());
  for (std::size_t row = 0; row < count; ++row) {
    store_row(slots[row], given.subspan(row * dim, dim), buffer);
    codes_.set(slots[row], std::span(records).subspan(row * codes_.bytes(1), codes_.bytes(1)));
  }
  next_id_ = std::max(next_id_, *std::max_element(chosen.begin(), chosen.end()) + 1);

  // Files are often sorted in some way, and a graph grown along that way is a worse one.
  Random random(options_.graph.seed ^ slots_.used());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  link(order, options);
  return chosen;
}

// Links pending slots and makes them live, a batch at a time. What was not reached when the work ended is given back.
void Index::Impl::link(std::span<const Node> nodes, const AddOptions& options) {
  std::size_t done = 0;
  bool stopped = false;
  const auto linked = [&](std::span<const Node> batch) {
    for (const Node node : batch) slots_.publish(node);
    done += batch.size();
    stopped = options.progress && !options.progress(done, nodes.size()) && done < nodes.size();
    return !stopped;
  };
  try {
    if (has_graph()) {
      ThreadPool& pool = threads(options.threads);
      in_space([&](const auto& space) { graph_.insert(space, nodes, pool, linked); });
    } else {
      linked(nodes);
    }
  } catch (...) {
    recall_tables_.count_changed(done);
    finish_adding(nodes.subspan(done));
    throw;
  }
  finish_adding(nodes.subspan(done));
  if (has_graph() && nodes.size() * 8 >= slots_.live()) {
    std::unique_lock alone(layout_);
    graph_.settle();
  }
  recall_tables_.count_changed(done);
  repair_if_due(done);
  if (slots_.dead() * 10 > slots_.used()) consolidate();
  if (stopped) {
    throw Error(ErrorCode::cancelled,
                fmt::format("stopped after {} of {} vectors; these are in the index", done, nodes.size()));
  }
}

// Replaced ones go together, in a moment alone; so each id can be met, old or new, at every time.
void Index::Impl::finish_adding(std::span<const Node> unreached) {
  slots_.give_back(unreached);
  if (!slots_.any_replaced()) return;
  std::unique_lock alone(layout_);
  slots_.retire();
}

// Looking for unreachable nodes reads the whole graph, so it waits until a twentieth of it is new; a small graph is
// looked at with each change.
void Index::Impl::repair_if_due(std::size_t changed) {
  if (!has_graph()) return;
  changed_ += changed;
  if (changed_ < slots_.used() / 20) return;
  changed_ = 0;
  in_space(
      [&](const auto& space) { graph_.repair(space, slots_.used(), [&](Node node) { return slots_.is_live(node); }); });
}

std::size_t Index::Impl::remove(std::span<const Id> ids) {
  require_writable();
  std::lock_guard writer(writer_);
  std::size_t removed = 0;
  for (const Id id : ids) {
    const Node slot = slots_.find(id);
    if (slot == index::kNone) continue;
    slots_.kill(slot);
    ++removed;
  }
  recall_tables_.count_changed(removed);
  if (slots_.dead() * 10 > slots_.used()) consolidate();
  return removed;
}

// Leads the graph around dead slots, with searches going on, then frees the slots in a moment alone.
void Index::Impl::consolidate() {
  if (slots_.dead() == 0) return;
  if (!has_graph()) {
    std::unique_lock alone(layout_);
    slots_.free_dead();
    return;
  }
  const auto dead = [&](Node node) { return node < slots_.used() && slots_.state(node) == index::SlotState::dead; };
  const auto living = [&](Node node) { return node < slots_.used() && slots_.is_live(node); };
  in_space([&](const auto& space) {
    graph_.bypass(space, dead, threads(0));
    {
      std::unique_lock alone(layout_);
      graph_.unlink(dead, living);
      slots_.free_dead();
    }
    graph_.repair(space, slots_.used(), living);
  });
}

void Index::Impl::compact() {
  require_writable();
  std::lock_guard writer(writer_);
  consolidate();
  std::unique_lock alone(layout_);
  exact_rows_.forget();
  const std::vector<Node> renumbered = slots_.compact();
  auto* norms = reinterpret_cast<float*>(squared_norms_.data());
  for (std::size_t from = 0; from < renumbered.size(); ++from) {
    const std::size_t to = renumbered[from];
    if (to == index::kNone || to == from) continue;
    rows_.move(static_cast<Node>(from), static_cast<Node>(to));
    codes_.move(static_cast<Node>(from), static_cast<Node>(to));
    if (norms != nullptr) norms[to] = norms[from];
  }
  rows_.shrink(slots_.used());
  codes_.shrink(slots_.used());
  if (norms != nullptr) squared_norms_.shrink(slots_.used() * sizeof(float));
  if (has_graph()) graph_.compact(renumbered, slots_.used());
}

bool Index::Impl::contains(Id id) const {
  std::shared_lock shared(layout_);
  return slots_.find(id) != index::kNone;
}

std::vector<float> Index::Impl::get(Id id) const {
  std::shared_lock shared(layout_);
  const Node slot = slots_.find(id);
  if (slot == index::kNone) throw Error(ErrorCode::not_found, fmt::format("there is no vector with the id {}", id));
  return rows_.get(slot);
}

std::vector<Id> Index::Impl::ids() const {
  std::shared_lock shared(layout_);
  std::vector<Id> result;
  result.reserve(slots_.live());
  for (std::size_t slot = 0; slot < slots_.used(); ++slot) {
    if (slots_.is_live(static_cast<Node>(slot))) result.push_back(slots_.id(static_cast<Node>(slot)));
  }
  return result;
}

void Index::Impl::attach(std::string_view name, std::vector<std::byte> bytes) {
  require_writable();
  if (name.empty() || name.size() >= index::kSectionNameMax) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no name for an attachment: 1 to 14 characters", name));
  }
  std::lock_guard writer(writer_);
  if (attachments_.size() >= kAttachmentsMax && !attachments_.contains(name)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an index holds {} attachments at most; \"{}\" would be one more", kAttachmentsMax, name));
  }
  attachments_.insert_or_assign(std::string(name), std::move(bytes));
}

void Index::Impl::detach(std::string_view name) {
  require_writable();
  std::lock_guard writer(writer_);
  if (const auto it = attachments_.find(name); it != attachments_.end()) attachments_.erase(it);
}

Bytes Index::Impl::attachment(std::string_view name) const noexcept {
  if (const auto it = attachments_.find(name); it != attachments_.end()) return it->second;
  if (const auto it = viewed_attachments_.find(name); it != viewed_attachments_.end()) return it->second;
  return {};
}

}  // namespace boon
