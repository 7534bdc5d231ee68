// Working memory for searches, kept from one to the next and never shared by two.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
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
  struct Idle {
    std::unique_ptr<graph::Scratch> scratch;
    const void* user;  // the thread that had it last
  };

  // The one that this thread had last, if it is there: its marks lie in the caches of another core otherwise.
  std::unique_ptr<graph::Scratch> take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        const auto own = std::find_if(idle_.rbegin(), idle_.rend(),
                                      [user = this_thread()](const Idle& idle) { return idle.user == user; });
        if (own != idle_.rend()) std::swap(*own, idle_.back());
        auto scratch = std::move(idle_.back().scratch);
        idle_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<graph::Scratch>();
  }
  void put(std::unique_ptr<graph::Scratch> scratch) noexcept {
    std::lock_guard lock(mutex_);
    if (idle_.size() < idle_.capacity()) idle_.push_back({std::move(scratch), this_thread()});
  }
  // An address that no other thread has while this one runs.
  static const void* this_thread() noexcept {
    thread_local const char kMark = 0;
    return &kMark;
  }

  std::mutex mutex_;
  std::vector<Idle> idle_ = reserved();
  // More threads than this search at once only on machines where the allocation does not matter.
  static std::vector<Idle> reserved() {
    std::vector<Idle> scratches;
    scratches.reserve(256);
    return scratches;
  }
};

}  // namespace boon::index
