#include "boon/core/rw_lock.h"

#include "boon/core/check.h"

namespace boon {

RwLock::RwLock() noexcept {
  pthread_rwlockattr_t attributes;
  BOON_CHECK(pthread_rwlockattr_init(&attributes) == 0);
  // glibc honours a writer's turn under this kind alone; PREFER_WRITER_NP
  // behaves as PREFER_READER_NP.
  BOON_CHECK(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
  BOON_CHECK(pthread_rwlock_init(&lock_, &attributes) == 0);
  pthread_rwlockattr_destroy(&attributes);
}

RwLock::~RwLock() {
  pthread_rwlock_destroy(&lock_);
}

void RwLock::lock() noexcept {
  BOON_CHECK(pthread_rwlock_wrlock(&lock_) == 0);
}

bool RwLock::try_lock() noexcept {
  return pthread_rwlock_trywrlock(&lock_) == 0;
}

void RwLock::unlock() noexcept {
  BOON_CHECK(pthread_rwlock_unlock(&lock_) == 0);
}

void RwLock::lock_shared() noexcept {
  BOON_CHECK(pthread_rwlock_rdlock(&lock_) == 0);
}

bool RwLock::try_lock_shared() noexcept {
  return pthread_rwlock_tryrdlock(&lock_) == 0;
}

void RwLock::unlock_shared() noexcept {
  unlock();
}

}  // namespace boon
