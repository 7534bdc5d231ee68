// Candidates: whatever bounds say, as long as they are true, the k nearest are found.
#include "boon/kernels/knn_candidates.h"

#include <gtest/gtest.h>

#include "boon/core/random.h"

namespace boon::kernels {
namespace {

// Rows of one component, of which many are equal; the query is 0.
class Candidates : public testing::Test {
 protected:
  Candidates() {
    for (float& value : values_) value = static_cast<float>(random_.below(300)) - 150;
    exact_.set(&zero_);
  }

  double t(std::size_t row) const { return score_of_key_(exact_.key(row)); }
  static constexpr double infinity() { return std::numeric_limits<double>::infinity(); }

  // Offers all rows, `settle` whenever it is time and at the end, and compares what is left.
  template <class Bound>
  std::vector<std::uint32_t> nearest(std::size_t k, const Bound& bound) {
    KnnNearest found;
    found.reset(k);
    KnnCandidates candidates;
    candidates.reset(found, k, -infinity());
    compared_early_ = 0;
    for (std::uint32_t row = 0; row < values_.size(); ++row) {
      const double width = bound(row);
      if (!candidates.offer(row, t(row) - width, t(row) + width)) continue;
      if (candidates.prune(kKnnFloatsScalar, score_of_key_, lowers_)) continue;
      candidates.compare(exact_, score_of_key_);
      ++compared_early_;
    }
    candidates.prune(kKnnFloatsScalar, score_of_key_, lowers_);
    candidates.compare(exact_, score_of_key_);
    std::vector<std::uint32_t> rows;
    for (const KnnAnswer& answer : found.sorted()) rows.push_back(answer.row);
    return rows;
  }

  std::vector<std::uint32_t> expected(std::size_t k) const {
    std::vector<KnnAnswer> all;
    for (std::uint32_t row = 0; row < values_.size(); ++row) all.push_back({exact_.key(row), row});
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < k; ++i) rows.push_back(all[i].row);
    return rows;
  }

  static constexpr std::size_t kCounts[] = {1, 2, 10, 100, 2000};
  Random random_{1};
  std::vector<float> values_ = std::vector<float>(2000);
  const float zero_ = 0;
  const KnnScoreOfKey score_of_key_{.offset = 0, .factor = 1};
  ExactQuery exact_{kExactScalar, KnnRows::of(values_.data(), values_.size(), 1), KnnSpace::l2, nullptr};
  std::vector<float> lowers_;
  std::size_t compared_early_ = 0;
};

TEST_F(Candidates, AreFoundByBoundsOfAnyWidth) {
  for (const std::size_t k : kCounts) {
    for (const double widest : {0.0, 1.0, 100.0, 1e6}) {
      EXPECT_EQ(nearest(k, [&](std::size_t) { return widest * random_.uniform(); }), expected(k))
          << "k " << k << ", widest " << widest;
    }
  }
}

TEST_F(Candidates, AreFoundWhereSomeBoundsSayNothing) {
  const double nothing[] = {infinity(), std::numeric_limits<double>::quiet_NaN(), 1};
  for (const std::size_t k : kCounts) {
    EXPECT_EQ(nearest(k, [&](std::size_t row) { return nothing[row % 3]; }), expected(k)) << "k " << k;
  }
}

TEST_F(Candidates, AreNotComparedWhereBoundsTellThemApart) {
  for (std::size_t row = 0; row < values_.size(); ++row) values_[row] = static_cast<float>(row * 7 % values_.size());
  for (const std::size_t k : kCounts) {
    EXPECT_EQ(nearest(k, [](std::size_t) { return 0.1; }), expected(k)) << "k " << k;
    EXPECT_EQ(compared_early_, 0u) << "k " << k;
  }
}

TEST_F(Candidates, ThresholdIsReachedByKAndFewMore) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  std::vector<float> values(256, kNothing);
  for (std::size_t i = 0; i < 250; ++i) values[i] = static_cast<float>(random_.uniform());
  std::vector<const KnnFloatKernels*> all{&kKnnFloatsScalar};
  if (isa_support().has(Isa::avx2)) all.push_back(&kKnnFloatsAvx2);
  if (isa_support().has(Isa::avx512)) all.push_back(&kKnnFloatsAvx512);
  for (const KnnFloatKernels* kernels : all) {
    const auto reached = [&](std::size_t k, float low) {
      const float threshold = kernels->reached_by(values.data(), values.size(), k, low);
      EXPECT_GE(threshold, low);
      return std::count_if(values.begin(), values.end(), [&](float value) { return value >= threshold; });
    };
    for (const std::ptrdiff_t k : {1, 10, 100, 250}) {
      EXPECT_GE(reached(static_cast<std::size_t>(k), 0), k);
      EXPECT_LE(reached(static_cast<std::size_t>(k), 0), k + 8);
    }
    EXPECT_EQ(kernels->reached_by(values.data(), values.size(), 251, 0), 0) << "so many do not reach anything";
    EXPECT_EQ(kernels->reached_by(values.data(), values.size(), 1, 2), 2) << "low, of which more is known";
    EXPECT_EQ(kernels->reached_by(values.data() + 240, 16, 11, 0), 0);
  }
}

}  // namespace
}  // namespace boon::kernels
