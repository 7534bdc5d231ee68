#include "boon/core/parallel.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "boon/core/check.h"
#include "boon/core/cpu_quota.h"
#include "boon/core/error.h"

namespace boon {
namespace {

using Body = std::function<void(std::size_t, std::size_t)>;

// The processors of the affinity mask; 0 if the kernel does not tell.
std::size_t allowed_processors() {
  // The kernel refuses a mask shorter than its own, whose length it does not
  // tell.
  for (std::size_t processors = CPU_SETSIZE; processors <= (std::size_t{1} << 17); processors *= 2) {
    std::vector<cpu_set_t> mask(processors / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<std::size_t>(CPU_COUNT_S(bytes, mask.data()));
    }
  }
  return 0;
}

std::size_t own_cpu_quota() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return cpu_quota("/sys/fs/cgroup", std::string_view(line).substr(3));
  }
  return SIZE_MAX;
}

std::size_t checked(std::size_t threads) {
  if (threads > ThreadPool::kThreadsMax) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} threads are too many; there may be {}", threads, ThreadPool::kThreadsMax));
  }
  return threads;
}

}  // namespace

std::size_t hardware_threads() noexcept {
  return std::clamp<std::size_t>(allowed_processors(), 1, own_cpu_quota());
}

namespace {

// As they were when first asked for: that reads files.
std::size_t processors() {
  static const std::size_t kProcessors = hardware_threads();
  return kProcessors;
}

// Waits for a condition without sleeping, for about as long as it takes the system to wake a thread; returns whether it
// came true. What is waited for has to be read atomically.
template <class Condition>
bool spin_until(const Condition& condition) {
  constexpr auto kLongest = std::chrono::microseconds(50);
  constexpr int kReadsPerClock = 16;
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kReadsPerClock; ++i) {
      if (condition()) return true;
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() - start < kLongest);
  return false;
}

}  // namespace

// One loop goes through it like this. The caller publishes the loop under the
// mutex and wakes the workers; each that finds the loop still open joins it;
// chunks are drawn from `next` until none is left; the caller, done with its
// own, closes the loop and waits for those that joined. A worker that wakes
// late finds it closed and is not waited for. Both sides wait awake for a
// moment before they sleep: loops of a tenth of a millisecond that follow each
// other would otherwise be over before a second thread is awake.
struct ThreadPool::State {
  explicit State(std::size_t workers) : size(workers), may_spin(workers > 1 && workers <= processors()) {}
  ~State();
  void start();
  void sleep_and_work(std::size_t worker);
  void work(std::size_t worker) noexcept;
  void run(const Body& called);

  const std::size_t size;
  const bool may_spin;  // there is a processor for each thread
  std::vector<std::thread> threads;
  std::atomic<bool> in_use{false};

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable left;
  // Guarded by mutex; those that are atomic are read without it by whoever waits awake.
  std::atomic<bool> stopping{false};
  bool open = false;
  std::atomic<std::uint64_t> loop{0};  // the number of the loop that is or was open last
  std::atomic<std::size_t> joined{0};
  std::exception_ptr failure;

  // Written before the loop opens, then only read.
  const Body* body = nullptr;
  std::size_t count = 0;
  std::size_t grain = 0;
  std::size_t chunks = 0;
  std::atomic<std::size_t> next{0};  // chunk; passes `chunks` by at most one for each worker
};

ThreadPool::State::~State() {
  {
    const std::lock_guard guard(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (auto& thread : threads) thread.join();
}

void ThreadPool::State::start() {
  threads.reserve(size - 1);
  for (std::size_t worker = 1; worker < size; ++worker) {
    try {
      threads.emplace_back([this, worker] { sleep_and_work(worker); });
    } catch (const std::system_error& refused) {
      throw Error(ErrorCode::out_of_memory, fmt::format("cannot start thread {} of {}: {}; ask for fewer threads",
                                                        worker + 1, size, refused.code().message()));
    }
  }
}

void ThreadPool::State::sleep_and_work(std::size_t worker) {
  std::uint64_t seen = 0;
  for (;;) {
    if (may_spin) spin_until([&] { return stopping || loop != seen; });
    std::unique_lock guard(mutex);
    if (!open && loop != seen) {  // came too late; the next may follow at once
      seen = loop;
      continue;
    }
    wake.wait(guard, [&] { return stopping || (open && loop != seen); });
    if (stopping) return;
    seen = loop;
    ++joined;
    guard.unlock();
    work(worker);
    guard.lock();
    if (--joined == 0) left.notify_one();
  }
}

void ThreadPool::State::work(std::size_t worker) noexcept {
  try {
    for (;;) {
      const std::size_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks) return;
      const std::size_t begin = chunk * grain;
      const std::size_t end = begin + std::min(grain, count - begin);
      for (std::size_t i = begin; i < end; ++i) (*body)(i, worker);
    }
  } catch (...) {
    next.store(chunks, std::memory_order_relaxed);
    const std::lock_guard guard(mutex);
    if (!failure) failure = std::current_exception();
  }
}

void ThreadPool::State::run(const Body& called) {
  {
    const std::lock_guard guard(mutex);
    body = &called;
    next.store(0, std::memory_order_relaxed);
    open = true;
    ++loop;
  }
  wake.notify_all();
  work(0);
  std::unique_lock guard(mutex);
  open = false;
  if (may_spin && joined != 0) {
    guard.unlock();
    spin_until([&] { return joined == 0; });
    guard.lock();
  }
  left.wait(guard, [&] { return joined == 0; });
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

ThreadPool::ThreadPool(std::size_t threads)
    : state_(std::make_unique<State>(threads == 0 ? hardware_threads() : checked(threads))) {
  state_->start();
}

ThreadPool::~ThreadPool() = default;

std::size_t ThreadPool::size() const noexcept {
  return state_->size;
}

void ThreadPool::for_each(std::size_t count, std::size_t grain, const Body& body) {
  State& state = *state_;
  // A loop inside a loop would overwrite the one that is running.
  BOON_CHECK(!state.in_use.exchange(true, std::memory_order_acquire));
  struct Release {
    std::atomic<bool>& in_use;
    ~Release() { in_use.store(false, std::memory_order_release); }
  } const release{state.in_use};

  grain = std::max<std::size_t>(grain, 1);
  if (state.size == 1 || count <= grain) {
    for (std::size_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  state.count = count;
  state.grain = grain;
  state.chunks = (count - 1) / grain + 1;
  state.run(body);
}

}  // namespace boon
