// A readers-writer lock that lets a waiting writer in before new readers: std::shared_mutex starves the writer on
// glibc while searches keep coming. Meets SharedMutex, so std::shared_lock and std::unique_lock work. A thread that
// holds it shared must not take it shared again.
#pragma once

#include <pthread.h>

namespace boon {

class RwLock {
 public:
  RwLock() noexcept;
  ~RwLock();
  RwLock(const RwLock&) = delete;
  RwLock& operator=(const RwLock&) = delete;

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;
  void lock_shared() noexcept;
  bool try_lock_shared() noexcept;
  void unlock_shared() noexcept;

 private:
  pthread_rwlock_t lock_;
};

}  // namespace boon
