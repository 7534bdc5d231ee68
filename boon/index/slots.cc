#include "boon/index/slots.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "boon/core/check.h"
#include "boon/core/error.h"

namespace boon::index {

std::size_t Slots::bytes() const noexcept {
  return used() * (sizeof(std::uint64_t) + sizeof(std::uint8_t)) + table_size_ * sizeof(Node);
}

std::vector<Node> Slots::pick(std::size_t count) const {
  std::vector<Node> slots;
  slots.reserve(count);
  for (auto it = free_.rbegin(); it != free_.rend() && slots.size() < count; ++it) slots.push_back(*it);
  for (std::size_t slot = used(); slots.size() < count; ++slot) slots.push_back(static_cast<Node>(slot));
  return slots;
}

void Slots::grow(std::size_t slots) {
  id_buffer_.reserve(slots * sizeof(std::uint64_t));
  ids_ = reinterpret_cast<std::uint64_t*>(id_buffer_.data());
  state_buffer_.reserve(slots);
  states_ = reinterpret_cast<std::uint8_t*>(state_buffer_.data());
  capacity_ = std::max(capacity_, slots);
  // Each slot and each free place may need an entry, and erased ones stay until the next rehash.
  if ((filled_ + slots - live()) * 10 > table_size_ * 7) rehash(slots);
}

void Slots::take(const std::vector<Node>& slots, const std::uint64_t* ids) {
  replaced_.reserve(slots.size());  // for publish(), which must not fail
  std::size_t from_free = 0;
  std::size_t end = used();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] < used()) ++from_free;
    end = std::max<std::size_t>(end, slots[i] + 1);
    std::atomic_ref(ids_[slots[i]]).store(ids[i], std::memory_order_relaxed);
    set_state(slots[i], SlotState::pending);
  }
  free_.resize(free_.size() - from_free);
  free_count_.store(free_.size(), std::memory_order_relaxed);
  used_.store(end, std::memory_order_release);
}

void Slots::publish(Node slot) noexcept {
  set_state(slot, SlotState::live);
  const Node before = put(id(slot), slot);
  if (before == kNone) {
    live_.fetch_add(1, std::memory_order_relaxed);
  } else {
    replaced_.push_back(before);
  }
}

void Slots::retire() noexcept {
  for (const Node slot : replaced_) set_state(slot, SlotState::dead);
  dead_.fetch_add(replaced_.size(), std::memory_order_relaxed);
  replaced_.clear();
}

void Slots::give_back(std::span<const Node> slots) {
  free_.reserve(free_.size() + slots.size());
  for (const Node slot : slots) {
    BOON_CHECK(state(slot) == SlotState::pending);
    set_state(slot, SlotState::free);
    free_.push_back(slot);
  }
  std::sort(free_.begin(), free_.end(), std::greater<>());
  free_count_.store(free_.size(), std::memory_order_relaxed);
}

void Slots::kill(Node slot) noexcept {
  erase(id(slot));
  set_state(slot, SlotState::dead);
  live_.fetch_sub(1, std::memory_order_relaxed);
  dead_.fetch_add(1, std::memory_order_relaxed);
}

void Slots::free_dead() {
  free_.clear();
  for (std::size_t slot = used(); slot-- > 0;) {
    const Node node = static_cast<Node>(slot);
    if (state(node) == SlotState::dead) set_state(node, SlotState::free);
    if (state(node) == SlotState::free) free_.push_back(node);
  }
  dead_.store(0, std::memory_order_relaxed);
  free_count_.store(free_.size(), std::memory_order_relaxed);
}

Node Slots::find(std::uint64_t wanted) const noexcept {
  if (ids_ == nullptr) {
    return wanted < used() && is_live(static_cast<Node>(wanted)) ? static_cast<Node>(wanted) : kNone;
  }
  if (table_size_ == 0) return kNone;
  for (std::size_t place = start(wanted);; place = next(place)) {
    const Node held = entry(place);
    if (held == kEmpty) return kNone;
    if (held != kErased && id(held - 1) == wanted) return held - 1;
  }
}

void Slots::rehash(std::size_t slots) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, slots * 2 - slots / 2));
  PageBuffer fresh;
  fresh.reserve(size * sizeof(Node));
  table_buffer_ = std::move(fresh);
  table_ = reinterpret_cast<Node*>(table_buffer_.data());
  table_size_ = size;
  filled_ = 0;
  for (std::size_t slot = 0; slot < used(); ++slot) {
    if (is_live(static_cast<Node>(slot))) put(id(static_cast<Node>(slot)), static_cast<Node>(slot));
  }
}

Node Slots::put(std::uint64_t wanted, Node slot) noexcept {
  for (std::size_t place = start(wanted);; place = next(place)) {
    const Node held = entry(place);
    if (held == kEmpty) {
      set_entry(place, slot + 1);
      ++filled_;
      return kNone;
    }
    if (held != kErased && id(held - 1) == wanted) {
      set_entry(place, slot + 1);
      return held - 1;
    }
  }
}

void Slots::erase(std::uint64_t wanted) noexcept {
  for (std::size_t place = start(wanted);; place = next(place)) {
    const Node held = entry(place);
    if (held == kEmpty) return;
    if (held != kErased && id(held - 1) == wanted) {
      set_entry(place, kErased);
      return;
    }
  }
}

std::vector<Node> Slots::compact() {
  std::vector<Node> renumbered(used(), kNone);
  Node kept = 0;
  for (std::size_t slot = 0; slot < used(); ++slot) {
    if (!is_live(static_cast<Node>(slot))) continue;
    ids_[kept] = ids_[slot];
    renumbered[slot] = kept++;
  }
  std::fill_n(states_, used(), std::uint8_t{0});
  std::fill_n(states_, kept, static_cast<std::uint8_t>(SlotState::live));
  used_.store(kept);
  free_.clear();
  free_count_.store(0, std::memory_order_relaxed);
  id_buffer_.shrink(kept * sizeof(std::uint64_t));
  ids_ = reinterpret_cast<std::uint64_t*>(id_buffer_.data());
  state_buffer_.shrink(kept);
  states_ = reinterpret_cast<std::uint8_t*>(state_buffer_.data());
  capacity_ = kept;
  rehash(kept);
  return renumbered;
}

Bytes Slots::ids() const noexcept {
  return ids_ == nullptr ? Bytes() : as_bytes(ids_, used());
}

bool Slots::ids_are_places() const noexcept {
  if (ids_ == nullptr) return true;
  for (std::size_t slot = 0; slot < used(); ++slot) {
    if (ids_[slot] != slot) return false;
  }
  return true;
}

void Slots::adopt(Bytes states, Bytes ids, bool copy) {
  const std::size_t count = states.size();
  std::size_t live = 0;
  std::size_t dead = 0;
  for (const std::byte state : states) {
    const auto value = std::to_integer<std::uint8_t>(state);
    if (value > static_cast<std::uint8_t>(SlotState::dead)) {
      throw Error(ErrorCode::corrupted, "the index is damaged: a slot has the unknown state " + std::to_string(value));
    }
    live += value == static_cast<std::uint8_t>(SlotState::live) ? 1 : 0;
    dead += value == static_cast<std::uint8_t>(SlotState::dead) ? 1 : 0;
  }
  if (copy) {
    grow(count);
    if (count > 0) std::memcpy(states_, states.data(), count);
    for (std::size_t slot = 0; slot < count && ids.empty(); ++slot) ids_[slot] = slot;
    if (!ids.empty()) std::memcpy(ids_, ids.data(), ids.size());
  } else {
    states_ = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(states.data()));
    if (!ids.empty()) ids_ = const_cast<std::uint64_t*>(reinterpret_cast<const std::uint64_t*>(ids.data()));
  }
  used_.store(count);
  live_.store(live);
  dead_.store(dead);
  for (std::size_t slot = count; slot-- > 0;) {
    if (state(static_cast<Node>(slot)) == SlotState::free) free_.push_back(static_cast<Node>(slot));
  }
  free_count_.store(free_.size());
  if (ids_ == nullptr) return;
  rehash(count);
  if (filled_ != live) throw Error(ErrorCode::corrupted, "the index is damaged: an id occurs twice");
}

}  // namespace boon::index
