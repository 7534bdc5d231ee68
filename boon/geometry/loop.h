// Internal: a loop that threads share where there are any.
#pragma once

#include <cstddef>

#include "boon/core/parallel.h"

namespace boon::geometry {

// body(i) once for each i < count, `grain` at a time. `pool` may be null.
template <class Body>
void for_each(ThreadPool* pool, std::size_t count, std::size_t grain, const Body& body) {
  if (pool != nullptr) {
    pool->for_each(count, grain, [&](std::size_t i, std::size_t) { body(i); });
  } else {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
}

}  // namespace boon::geometry
