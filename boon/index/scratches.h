// Working memory for searches, kept from one to the next and never shared by two.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "boon/graph/traverse.h"

namespace boon::index {

class Scratches {
 public:
  // A scratch for the time of one search.
  class Lease {
   public:
    explicit Lease(Scratches& owner) : owner_(owner), scratch_(owner.take()) {}
    ~Lease() { owner_.put(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    graph::Scratch& operator*() const noexcept { return *scratch_; }

   private:
    Scratches& owner_;
    std::unique_ptr<graph::Scratch> scratch_;
  };

 private:
  std::unique_ptr<graph::Scratch> take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto scratch = std::move(idle_.back());
        idle_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<graph::Scratch>();
  }
  void put(std::unique_ptr<graph::Scratch> scratch) noexcept {
    std::lock_guard lock(mutex_);
    if (idle_.size() < idle_.capacity()) idle_.push_back(std::move(scratch));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<graph::Scratch>> idle_ = reserved();
  // More threads than this search at once only on machines where the allocation does not matter.
  static std::vector<std::unique_ptr<graph::Scratch>> reserved() {
    std::vector<std::unique_ptr<graph::Scratch>> scratches;
    scratches.reserve(256);
    return scratches;
  }
};

}  // namespace boon::index
