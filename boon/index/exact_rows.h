// The rows of an index made ready for exact search (kernels/knn.h), kept until they change.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "boon/index/metric.h"
#include "boon/index/spaces.h"
#include "boon/kernels/knn.h"

namespace boon::index {

// The metric as the kernels name it.
kernels::KnnSpace space_of(Metric metric) noexcept;

class ExactRows {
 public:
  // How many queries are to be answered, by how many threads, and whether what pays for many of them (a copy of the
  // rows in 8 bits) is kept for the next ones.
  struct Plan {
    std::size_t queries = 1;
    std::size_t threads = 1;
    bool keep_copy = false;
  };

  // The first `rows` rows. They may be read from several threads; none may be written. Good until forget(). May be
  // called from several searches at once. Throws out_of_memory.
  std::shared_ptr<const kernels::KnnBase> get(const Vectors& vectors, std::size_t rows, Metric metric,
                                              const Plan& plan);

  // To be called before a row changes or moves. No search may be under way.
  void forget() noexcept;

  // What is kept.
  std::size_t bytes() const noexcept;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const kernels::KnnBase> base_;
  std::size_t asked_ = 0;  // queries since the rows last changed
};

}  // namespace boon::index
