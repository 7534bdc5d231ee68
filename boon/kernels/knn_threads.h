// Internal: the threads that a base keeps from one search to the next, as to start them takes as long as to answer a
// query.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <memory>
#include <mutex>

#include "boon/core/parallel.h"

namespace boon::kernels {

class KnnThreads {
 public:
  KnnThreads() = default;
  ~KnnThreads() { leave_to_parent(); }
  KnnThreads(const KnnThreads&) = delete;
  KnnThreads& operator=(const KnnThreads&) = delete;

  // Calls use(pool) with a pool of `threads`, as ThreadPool counts them: the one that is kept, or, while another search
  // has it, one of its own. Throws what ThreadPool does.
  template <class Use>
  void with(std::size_t threads, const Use& use) {
    if (threads == 1) {
      ThreadPool alone(1);
      return use(alone);
    }
    const std::unique_lock taken(mutex_, std::try_to_lock);
    if (!taken) {
      ThreadPool own(threads);
      return use(own);
    }
    leave_to_parent();
    if (!kept_ || asked_ != threads) {
      kept_.reset();
      kept_ = std::make_unique<ThreadPool>(threads);
      asked_ = threads;
      process_ = ::getpid();
    }
    use(*kept_);
  }

 private:
  // Threads do not come along into a process that was forked, where joining them would wait for ever.
  void leave_to_parent() noexcept {
    if (kept_ && process_ != ::getpid()) static_cast<void>(kept_.release());
  }

  std::mutex mutex_;  // guards the rest; never waited for
  std::unique_ptr<ThreadPool> kept_;
  std::size_t asked_ = 0;
  ::pid_t process_ = 0;
};

}  // namespace boon::kernels
