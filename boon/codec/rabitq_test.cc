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
    encode(fit("rabitq1", kernels::row_major<const float>(x.data(), rows, dim)));
  }
  void encode(const CodecOptions& options) {
    codec = make_codec(options);
    bytes.assign(count() * codec->record_bytes(), 0);
    codec->encode(kernels::row_major<const float>(x.data(), count(), dim), bytes);
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

// The share of scores that lie further from the truth than their bounds, and what the errors add up to.
struct Outside {
  double share = 0;
  double bias = 0;  // sum of the errors over sum of the bounds
};
Outside outside(const Data& data, Metric metric, float away) {
  constexpr std::uint64_t kQueries = 20;
  int outside = 0;
  double errors = 0, bounds = 0;
  std::vector<float> scores(data.count());
  const Records records{data.bytes.data(), data.codec->record_bytes()};
  for (std::uint64_t q = 0; q < kQueries; ++q) {
    auto query = gaussian(data.dim, 100 + q);
    for (float& value : query) value += away;
    const auto scorer = data.codec->query(query, metric);
    scorer->score(records, nullptr, data.count(), scores.data());
    for (std::size_t i = 0; i < data.count(); ++i) {
      const double error = scores[i] - truth(metric, query, data.row(i)), bound = scorer->bound(records[i]);
      outside += std::abs(error) > bound;
      errors += error;
      bounds += bound;
    }
  }
  return {outside / static_cast<double>(kQueries * data.count()), errors / bounds};
}

TEST(Rabitq, BoundsHoldInNineteenOfTwentyCases) {
  for (const std::size_t dim : {1, 2, 3, 4, 7, 16, 33, 64, 100, 384, 1024}) {
    const Data data(1000, dim, 2);
    for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
      const Outside found = outside(data, metric, 2);
      EXPECT_LE(found.share, .05) << dim;
      if (dim < 64) continue;
      EXPECT_GE(found.share, .03) << dim;  // a bound that always holds would be too wide
      EXPECT_LT(std::abs(found.bias), .05) << dim;
    }
  }
}

// Rows of ones and minus ones are kept without loss, so that all of the error is the query's rounding.
TEST(Rabitq, BoundsKnowOfTheQuerysRounding) {
  for (const std::size_t dim : {16, 64, 1000}) {
    Data data(1000, dim, 0);
    for (float& value : data.x) value = value < 0 ? -1.F : 1.F;
    data.encode({.name = "rabitq1", .dim = dim, .centre = {}});
    for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
      EXPECT_LE(outside(data, metric, 0).share, .05) << dim;
    }
  }
}

TEST(Rabitq, CosinesAreRightFarFromTheOrigin) {
  constexpr std::size_t kDim = 64;
  const std::vector<float> centre(kDim, 1e4F);
  Data data(50, kDim, 0);
  data.encode({.name = "rabitq1", .dim = kDim, .centre = centre});
  auto query = gaussian(kDim, 2);
  for (float& value : query) value = value / 8 + 1e4F;
  const auto scorer = data.codec->query(query, Metric::cosine);
  for (std::size_t i = 0; i < data.count(); ++i) {
    float score = 0;
    const auto id = static_cast<std::uint32_t>(i);
    scorer->score({data.bytes.data(), data.codec->record_bytes()}, &id, 1, &score);
    EXPECT_NEAR(score, truth(Metric::cosine, query, data.row(i)), .05) << i;  // 4 standard deviations
  }
}

TEST(Rabitq, TheFactorIsNearTheExpectedOne) {
  const Data data(100, 1024, 0);
  double sum = 0;
  for (std::size_t i = 0; i < data.count(); ++i) {
    float factor;
    std::memcpy(&factor, data.bytes.data() + i * data.codec->record_bytes() + 8, sizeof factor);
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
    EXPECT_LE(scorer->bound(bytes.data()), 2e-5);  // the rounding of floats
  }
}

TEST(Rabitq, OtherCodecsGiveNoBound) {
  const auto codec = make_codec({.name = "fp32", .dim = 1, .centre = {}});
  const std::vector<std::uint8_t> record(codec->record_bytes());
  EXPECT_TRUE(std::isinf(codec->query(std::vector<float>{1}, Metric::l2)->bound(record.data())));
}

}  // namespace
}  // namespace boon::codec
