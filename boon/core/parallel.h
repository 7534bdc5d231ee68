// A fixed set of threads that share loops.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace boon {

// The number of hardware threads this process may run on; at least 1.
std::size_t hardware_threads() noexcept;

class ThreadPool {
 public:
  static constexpr std::size_t kThreadsMax = 1024;

  // `threads` counts the caller, so 1 starts no thread. 0 means hardware_threads(). Throws invalid_argument above
  // kThreadsMax, out_of_memory if the system starts no more threads.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const noexcept;

  // Calls body(i, worker) once for each i in [0, count), worker in [0, size()); returns when all are done. Indices are
  // handed out `grain` at a time. The first exception stops the hand-out and is thrown here. One loop at a time:
  // a pool belongs to one caller.
  void for_each(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace boon
