#include "boon/index/exact_rows.h"

namespace boon::index {
namespace {

// Making the copy takes about as long as so many queries without it.
constexpr std::size_t kQueriesPerCopy = 32;

kernels::KnnRows rows_of(const Vectors& vectors, std::size_t rows) noexcept {
  return {vectors.base, rows, vectors.dim, vectors.stride, vectors.element};
}

}  // namespace

kernels::KnnSpace space_of(Metric metric) noexcept {
  switch (metric) {
    case Metric::cosine:
      return kernels::KnnSpace::cosine;
    case Metric::inner_product:
      return kernels::KnnSpace::inner_product;
    case Metric::l2:
      break;
  }
  return kernels::KnnSpace::l2;
}

std::shared_ptr<const kernels::KnnBase> ExactRows::get(const Vectors& vectors, std::size_t rows, Metric metric,
                                                       const Plan& plan) {
  const std::lock_guard lock(mutex_);
  asked_ += plan.queries;
  const bool copy_pays = (plan.keep_copy ? asked_ : plan.queries) >= kQueriesPerCopy;
  if (base_ != nullptr && (base_->has_codes() || !copy_pays)) return base_;
  auto made = std::make_shared<const kernels::KnnBase>(
      rows_of(vectors, rows),
      kernels::KnnBaseOptions{.space = space_of(metric), .codes = copy_pays, .threads = plan.threads, .isa = {}});
  if (!copy_pays || plan.keep_copy) base_ = made;
  return made;
}

void ExactRows::forget() noexcept {
  const std::lock_guard lock(mutex_);
  base_.reset();
  asked_ = 0;
}

std::size_t ExactRows::bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return base_ == nullptr ? 0 : base_->memory_bytes();
}

}  // namespace boon::index
