// The places of an index: which id lives in each, in which state, and where an id lives.
//
// One writer, many readers beside it. grow() and the other calls marked so need the index for themselves.
//
// Invariants
//  1. find(id) gives a live slot that holds the id, or kNone; a live slot is found by its id, or was replaced and waits
//     for retire().
//  2. A slot's id is complete before its state says live.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/bytes.h"
#include "boon/core/random.h"
#include "boon/graph/scorer.h"

namespace boon::index {

using graph::kNone;
using graph::Node;

// Stored in files as they are.
enum class SlotState : std::uint8_t { free = 0, live = 1, dead = 2, pending = 3 };

class Slots {
 public:
  // Slots ever handed out; all states beyond are free.
  std::size_t used() const noexcept { return used_.load(std::memory_order_acquire); }
  std::size_t live() const noexcept { return live_.load(std::memory_order_relaxed); }
  std::size_t dead() const noexcept { return dead_.load(std::memory_order_relaxed); }
  std::size_t free_places() const noexcept { return free_count_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept;
  // Slots there is room for.
  std::size_t capacity() const noexcept { return capacity_; }
  // Places that new vectors would take, without taking them.
  std::vector<Node> pick(std::size_t count) const;

  // Room for slots below `slots`. Alone.
  void grow(std::size_t slots);
  // Takes the places that pick() gave, for these ids; they are pending.
  void take(const std::vector<Node>& slots, const std::uint64_t* ids);
  // A pending slot can now be found. One that held the id before stays live until retire(): a search that came past the
  // new slot too early shall still meet the old one.
  void publish(Node slot) noexcept;
  bool any_replaced() const noexcept { return !replaced_.empty(); }
  // All slots replaced since are dead. Alone.
  void retire() noexcept;
  // Gives pending slots back.
  void give_back(std::span<const Node> slots);
  void kill(Node slot) noexcept;
  // All dead slots become free. Alone.
  void free_dead();

  SlotState state(Node slot) const noexcept {
    return static_cast<SlotState>(std::atomic_ref(states_[slot]).load(std::memory_order_acquire));
  }
  bool is_live(Node slot) const noexcept { return state(slot) == SlotState::live; }
  std::uint64_t id(Node slot) const noexcept {
    return ids_ == nullptr ? slot : std::atomic_ref(ids_[slot]).load(std::memory_order_relaxed);
  }
  Node find(std::uint64_t id) const noexcept;

  // Moves live slots together, in order; returns where each went (kNone: nowhere). No slot may be pending or dead.
  // Alone.
  std::vector<Node> compact();

  // Stored form: a state for each used slot, and ids unless id(slot) == slot for all.
  Bytes states() const noexcept { return as_bytes(states_, used()); }
  Bytes ids() const noexcept;
  bool ids_are_places() const noexcept;
  // Takes over stored states and ids (null: ids are places), copied or referred to.
  // Throws Error{corrupted} on unknown states and ids that occur twice.
  void adopt(Bytes states, Bytes ids, bool copy);

 private:
  static constexpr Node kEmpty = 0;  // entries hold slot + 1
  static constexpr Node kErased = 0xffffffffU;

  // Where the probing for an id begins.
  std::size_t start(std::uint64_t id) const noexcept { return splitmix64(id) & (table_size_ - 1); }
  std::size_t next(std::size_t place) const noexcept { return (place + 1) & (table_size_ - 1); }
  Node entry(std::size_t place) const noexcept {
    return std::atomic_ref(table_[place]).load(std::memory_order_acquire);
  }
  void set_entry(std::size_t place, Node value) noexcept {
    std::atomic_ref(table_[place]).store(value, std::memory_order_release);
  }
  void rehash(std::size_t slots);
  // Points the id at the slot; returns where it pointed before.
  Node put(std::uint64_t id, Node slot) noexcept;
  void erase(std::uint64_t id) noexcept;
  void set_state(Node slot, SlotState state) noexcept {
    std::atomic_ref(states_[slot]).store(static_cast<std::uint8_t>(state), std::memory_order_release);
  }

  PageBuffer id_buffer_;
  PageBuffer state_buffer_;
  PageBuffer table_buffer_;
  std::uint64_t* ids_ = nullptr;
  std::uint8_t* states_ = nullptr;
  Node* table_ = nullptr;       // open addressing, linear probing
  std::size_t table_size_ = 0;  // a power of two
  std::size_t filled_ = 0;      // entries not empty
  std::size_t capacity_ = 0;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> live_{0};
  std::atomic<std::size_t> dead_{0};
  std::vector<Node> free_;  // the lowest last
  std::atomic<std::size_t> free_count_{0};
  std::vector<Node> replaced_;
};

}  // namespace boon::index
