// What RaBitQ promises, on data that is isotropic as it would be after a random rotation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "boon/codec/codec.h"
#include "boon/codec/testing.h"

namespace boon::codec {
namespace {

struct Data {
  Data(std::size_t rows, std::size_t columns, float away) : dim(columns), x(gaussian(rows * columns, 1)) {
    for (float& value : x) value += away;
    const auto matrix = kernels::row_major<const float>(x.data(), rows, dim);
    codec = make_codec(fit("rabitq1", matrix));
    bytes.resize(rows * codec->record_bytes());
    codec->encode(matrix, bytes);
  }
  std::size_t count() const { return x.size() / dim; }
  std::span<const float> row(std::size_t i) const { return std::span(x).subspan(i * dim, dim); }

  std::size_t dim;
  std::vector<float> x;
  std::unique_ptr<Codec> codec;
  std::vector<std::uint8_t> bytes;
};

double truth(Metric metric, std::span<const float> a, std::span<const float> b) {
  if (metric == Metric::l2) return squared_distance(a, b);
  if (metric == Metric::inner_product) return -dot(a, b);
  return 1 - dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

// Bounds are 1.9 standard deviations wide: a normal error leaves them in 5.7% of cases. The 4 bits of the query add
// little.
TEST(Rabitq, BoundsHoldInNineteenOfTwentyCases) {
  for (const std::size_t dim : {64, 100, 384, 1024}) {
    const Data data(500, dim, 2);
    for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
      int outside = 0, all = 0;
      double error_sum = 0, bound_sum = 0;
      for (std::uint64_t q = 0; q < 20; ++q) {
        auto query = gaussian(dim, 100 + q);
        for (float& value : query) value += 2;
        const auto scorer = data.codec->query(query, metric);
        std::vector<float> scores(data.count());
        const Records records{data.bytes.data(), data.codec->record_bytes()};
        scorer->score(records, nullptr, data.count(), scores.data());
        for (std::size_t i = 0; i < data.count(); ++i, ++all) {
          const double error = scores[i] - truth(metric, query, data.row(i));
          const double bound = scorer->bound(records[i]);
          outside += std::abs(error) > bound;
          error_sum += error;
          bound_sum += bound;
        }
      }
      const double share = static_cast<double>(outside) / all;
      EXPECT_LT(share, .08) << dim;
      EXPECT_GT(share, .03) << dim;  // a bound that always holds would be too wide
      EXPECT_LT(std::abs(error_sum), .05 * bound_sum) << "biased at " << dim;
    }
  }
}

TEST(Rabitq, TheFactorIsNearTheExpectedOne) {
  const Data data(100, 1024, 0);
  double sum = 0;
  for (std::size_t i = 0; i < data.count(); ++i) {
    float factor;
    std::memcpy(&factor, data.bytes.data() + i * data.codec->record_bytes() + 4, sizeof factor);
    sum += factor;
  }
  EXPECT_NEAR(sum / 100, std::sqrt(2 / M_PI), .003);  // section 3.1.2 of the paper: .798 to .800
}

TEST(Rabitq, AVectorAtTheCentreIsScoredExactly) {
  const std::vector<float> x = {1, 2, 3}, query = {4, 0, 1};
  const auto codec = make_codec({.name = "rabitq1", .dim = 3, .centre = x});
  std::vector<std::uint8_t> bytes(codec->record_bytes());
  codec->encode(kernels::row_major<const float>(x.data(), 1, 3), bytes);
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    const auto scorer = codec->query(query, metric);
    float score = 0;
    scorer->score({bytes.data(), bytes.size()}, nullptr, 1, &score);
    EXPECT_NEAR(score, truth(metric, query, x), 1e-5);
    EXPECT_EQ(scorer->bound(bytes.data()), 0);
  }
}

TEST(Rabitq, OtherCodecsGiveNoBound) {
  const auto codec = make_codec({.name = "fp32", .dim = 1, .centre = {}});
  const std::vector<std::uint8_t> record(codec->record_bytes());
  EXPECT_TRUE(std::isinf(codec->query(std::vector<float>{1}, Metric::l2)->bound(record.data())));
}

}  // namespace
}  // namespace boon::codec
