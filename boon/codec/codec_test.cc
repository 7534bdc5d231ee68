#include "boon/codec/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "boon/codec/testing.h"

namespace boon::codec {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr auto kMetrics = {Metric::l2, Metric::cosine, Metric::inner_product};

std::vector<float> whole_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.below(256));
  return values;
}

// Rows and their records.
struct Encoded {
  Encoded(const CodecOptions& options, std::vector<float> values) : x(std::move(values)) {
    codec = make_codec(options);
    const auto rows = kernels::row_major<const float>(x.data(), x.size() / options.dim, options.dim);
    bytes.resize(rows.rows * codec->record_bytes());
    codec->encode(rows, bytes);
  }
  Encoded(const std::string& name, std::size_t dim, const std::vector<float>& values)
      : Encoded(fit(name, kernels::row_major<const float>(values.data(), values.size() / dim, dim)), values) {}
  std::size_t count() const { return x.size() / codec->dim(); }
  Records records() const { return {bytes.data(), codec->record_bytes()}; }
  std::span<const float> row(std::size_t i) const { return std::span(x).subspan(i * codec->dim(), codec->dim()); }
  std::vector<float> decoded(std::size_t i) const {
    std::vector<float> out(codec->dim());
    codec->decode(records()[i], out);
    return out;
  }
  std::vector<float> scores(std::span<const float> query, Metric metric) const {
    std::vector<float> out(count());
    codec->query(query, metric)->score(records(), nullptr, count(), out.data());
    return out;
  }
  std::vector<float> x;
  std::unique_ptr<Codec> codec;
  std::vector<std::uint8_t> bytes;
};

std::string encode_error(const std::string& name, std::vector<float> values, std::size_t dim) {
  return error_of([&] {
    const auto codec = make_codec({.name = name, .dim = dim, .centre = {}});
    std::vector<std::uint8_t> out(values.size() / dim * codec->record_bytes(), 0xaa);
    try {
      codec->encode(kernels::row_major<const float>(values.data(), values.size() / dim, dim), out);
    } catch (const Error&) {
      EXPECT_THAT(out, testing::Each(0xaa)) << "written before it was refused";
      throw;
    }
  });
}

class EachCodec : public testing::TestWithParam<std::string> {
 protected:
  std::string name = GetParam();
  std::vector<float> values(std::size_t count, std::uint64_t seed) const {
    return name == "u8" ? whole_numbers(count, seed) : gaussian(count, seed);
  }
};

std::vector<std::string> names() {
  return {codec_names().begin(), codec_names().end()};
}
INSTANTIATE_TEST_SUITE_P(Codecs, EachCodec, testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

TEST_P(EachCodec, RecordsHaveTheSizeOfTheFormat) {
  const std::map<std::string, std::size_t> at_100 = {{"fp32", 404}, {"bf16", 204}, {"fp16", 204},  {"int8", 108},
                                                     {"u8", 112},   {"nvfp4", 72}, {"rabitq1", 36}};
  EXPECT_EQ(make_codec({.name = name, .dim = 100, .centre = {}})->record_bytes(), at_100.at(name));
}

TEST_P(EachCodec, LosesNoMoreThanItShould) {
  const std::map<std::string, double> share = {{"fp32", 0}, {"bf16", 5e-6},   {"fp16", 1e-7},  {"int8", 1.5e-4},
                                               {"u8", 0},   {"nvfp4", .0075}, {"rabitq1", .65}};
  const Encoded data(name, 1024, values(20 * 1024, 1));
  for (std::size_t i = 0; i < data.count(); ++i) {
    EXPECT_LE(relative_mse(data.row(i), data.decoded(i)), share.at(name)) << i;
  }
}

// The score is that of the decoded vector with the true length, up to the rounding of the query.
TEST_P(EachCodec, ScoresAreTheMetricsOfWhatItDecodes) {
  for (const std::size_t dim : {1, 2, 7, 16, 17, 33, 100, 130, 1024, 4096}) {
    const Encoded data(name, dim, values(70 * dim, dim));
    auto query = values(dim, dim + 1);
    if (name == "u8") query[0] = .5F + static_cast<float>(dim % 2) / 2;  // now a fraction, now whole
    const double query_squared = dot(query, query);
    const double rounding = name == "nvfp4" || name == "int8" ? .02 : name == "rabitq1" ? .6 : 1e-5;
    for (const Metric metric : kMetrics) {
      const auto scores = data.scores(query, metric);
      for (std::size_t i = 0; i < data.count(); ++i) {
        const auto decoded = data.decoded(i);
        const double squared = dot(data.row(i), data.row(i));
        const double product = dot(query, decoded);
        const double lengths = std::sqrt(query_squared * squared);
        // Rounding noise of each component adds up as in a random walk; 6 times what it is on average.
        const double noise =
            rounding * std::sqrt(query_squared * dot(decoded, decoded) / static_cast<double>(dim)) * 3 +
            1e-6 * (squared + query_squared);
        if (metric == Metric::inner_product) {
          ASSERT_NEAR(scores[i], -product, noise) << i << ", " << dim;
        } else if (metric == Metric::l2) {
          const double expected = name == "fp32" || name == "bf16" || name == "fp16" || name == "u8"
                                      ? squared_distance(query, decoded)
                                      : squared + query_squared - 2 * product;
          ASSERT_NEAR(scores[i], expected, 2 * noise + 1e-6 * expected) << i << ", " << dim;
        } else {
          ASSERT_NEAR(scores[i], 1 - product / lengths, noise / lengths + 1e-6) << i << ", " << dim;
        }
      }
    }
  }
}

TEST_P(EachCodec, AScoreHasTheSameBitsInAnyCall) {
  constexpr std::size_t kDim = 77, kCount = 150;
  const Encoded data(name, kDim, values(kCount * kDim, 3));
  const auto query = values(kDim, 4);
  for (const Metric metric : kMetrics) {
    const auto all = data.scores(query, metric);
    const auto scorer = data.codec->query(query, metric);
    std::vector<std::uint32_t> ids(kCount);
    for (std::size_t i = 0; i < kCount; ++i) ids[i] = static_cast<std::uint32_t>(i * 31 % kCount);
    std::vector<float> gathered(kCount);
    scorer->score(data.records(), ids.data(), kCount, gathered.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(gathered[i], all[ids[i]]) << i;
      float alone = 0;
      scorer->score(data.records(), &ids[i], 1, &alone);
      ASSERT_EQ(alone, all[ids[i]]) << i;
    }
  }
}

TEST_P(EachCodec, NoRecordsNeedNoMemory) {
  const auto codec = make_codec({.name = name, .dim = 5, .centre = {}});
  for (const Metric metric : kMetrics) {
    codec->query(std::vector<float>(5, 1.F), metric)->score({}, nullptr, 0, nullptr);
  }
}

TEST_P(EachCodec, RowsMayLieInColumns) {
  const auto x = values(12 * 5, 5);
  std::vector<float> transposed(x.size());
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 12; ++j) transposed[j * 5 + i] = x[i * 12 + j];
  }
  const auto codec = make_codec({.name = name, .dim = 12, .centre = {}});
  std::vector<std::uint8_t> a(5 * codec->record_bytes()), b = a;
  codec->encode(kernels::row_major<const float>(x.data(), 5, 12), a);
  codec->encode(kernels::column_major<const float>(transposed.data(), 5, 12), b);
  EXPECT_EQ(a, b);
}

TEST_P(EachCodec, RefusesTheWholeBatchForOneBadComponent) {
  for (const auto& [bad, word] : {std::pair{kNaN, "NaN"}, {kInfinity, "infinite"}, {-kInfinity, "infinite"}}) {
    auto x = values(20 * 7, 6);
    x[17 * 7 + 3] = bad;
    x[18 * 7] = kNaN;  // the first counts
    EXPECT_EQ(encode_error(name, x, 7), std::string("row 17, component 3 is ") + word);
  }
  EXPECT_THAT(encode_error(name, std::vector<float>(8, 2e19F), 4), AllOf(HasSubstr("row 0"), HasSubstr("too long")));
}

TEST_P(EachCodec, RefusesQueriesThatDoNotDo) {
  const auto codec = make_codec({.name = name, .dim = 5, .centre = {}});
  EXPECT_EQ(error_of([&] { codec->query(std::vector<float>(4), Metric::l2); }),
            "the query has 4 components, the codec 5");
  EXPECT_EQ(error_of([&] {
              codec->query(std::vector<float>{0, 1, kNaN, 0, 0}, Metric::l2);
            }),
            "the query, component 2 is NaN");
}

TEST_P(EachCodec, ZerosAndConstantsAreScoredWithoutNaN) {
  for (const std::size_t dim : {1, 16, 33}) {
    std::vector<float> x(3 * dim);
    std::fill_n(x.begin() + dim, dim, 5.F);
    const Encoded data(name, dim, x);
    EXPECT_NO_THROW(data.codec->check(data.records(), 3));
    for (const float of : {0.F, 5.F, 1.F}) {
      const std::vector<float> query(dim, of);
      for (const Metric metric : kMetrics) {
        for (const float score : data.scores(query, metric)) ASSERT_TRUE(std::isfinite(score)) << dim;
      }
      EXPECT_EQ(data.scores(query, Metric::cosine)[0], 1) << dim;
    }
    if (name != "rabitq1") {
      EXPECT_NEAR(data.scores(std::vector<float>(dim, 5.F), Metric::cosine)[1], 0, 1e-6) << dim;
      EXPECT_NEAR(data.scores(std::vector<float>(dim, 5.F), Metric::l2)[1], 0, 1e-4 * static_cast<double>(dim)) << dim;
    }
  }
}

TEST_P(EachCodec, DenormalsAreScoredWithoutNaN) {
  if (name == "u8") return;
  const float tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> x(4 * 20, tiny);
  std::fill_n(x.begin() + 20, 20, 1e-30F);
  x[43] = 1;
  const Encoded data(name, 20, x);
  EXPECT_NO_THROW(data.codec->check(data.records(), 4));
  for (const float of : {tiny, 1e-30F, 1.F}) {
    for (const Metric metric : kMetrics) {
      for (const float score : data.scores(std::vector<float>(20, of), metric)) ASSERT_TRUE(std::isfinite(score));
    }
  }
}

// Scaling by a power of two changes no digit, so it may change no cosine.
TEST_P(EachCodec, CosinesDoNotDependOnLengths) {
  constexpr std::size_t kDim = 40;
  const auto scaled = [](std::vector<float> x, int exponent) {
    for (float& value : x) value = std::ldexp(value, exponent);
    return x;
  };
  const auto x = values(20 * kDim, 11), query = values(kDim, 12);
  const auto expected = Encoded(name, kDim, x).scores(query, Metric::cosine);
  for (const int exponent : {-100, -70, 50}) {
    const Encoded data(name, kDim, scaled(x, name == "u8" || name == "fp16" ? 0 : exponent));
    const auto scores = data.scores(scaled(query, exponent), Metric::cosine);
    for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-5) << exponent;
  }
}

// Rows as long as they may be, with the centre of rabitq1 at the other end.
TEST_P(EachCodec, WhatIsWrittenPassesTheCheckAtTheLargestLength) {
  if (name == "u8" || name == "fp16") return;  // their components end long before
  for (const std::size_t dim : {1, 2, 3, 5, 7, 11, 13, 16, 33, 40, 100}) {
    const auto encoded = [&](float component) -> std::optional<Encoded> {
      std::vector<float> x(2 * dim, component);
      std::fill_n(x.begin(), dim, -component);
      CodecOptions options{.name = name, .dim = dim, .centre = {}};
      if (name == "rabitq1") options.centre.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(dim));
      try {
        return Encoded(options, x);
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    float fits = 1, unfit = 0x1p64F;
    while (std::nextafter(fits, unfit) < unfit) {
      const float middle = fits + (unfit - fits) / 2;
      (encoded(middle) ? fits : unfit) = middle;
    }
    const Encoded data = *encoded(fits);
    EXPECT_EQ(error_of([&] { data.codec->check(data.records(), 2); }), "no error") << dim;
    for (const std::size_t row : {0, 1}) {
      for (const Metric metric : kMetrics) {
        for (const float score : data.scores(data.row(row), metric)) EXPECT_TRUE(std::isfinite(score)) << dim;
      }
    }
  }
}

TEST_P(EachCodec, ReadersRefuseRecordsThatCannotBe) {
  Encoded data(name, 40, values(5 * 40, 7));
  for (const float bad : {kNaN, -1.F, kInfinity}) {
    auto damaged = data.bytes;
    std::memcpy(damaged.data() + 3 * data.codec->record_bytes(), &bad, 4);
    EXPECT_THAT(error_of([&] {
                  data.codec->check({damaged.data(), data.codec->record_bytes()}, 5);
                }),
                HasSubstr("row 3: its"));
  }
  if (name == "nvfp4") {
    data.bytes[2 * data.codec->record_bytes() + 8 + 24 + 1] = 0x7f;
    EXPECT_EQ(error_of([&] { data.codec->check(data.records(), 5); }), "row 2, block 1: its scale, byte 7f, is NaN");
    // A product of 0 with it would be NaN under a long query.
    const float vast = 3e38F;
    std::memcpy(data.bytes.data() + data.codec->record_bytes() + 4, &vast, 4);
    EXPECT_THAT(error_of([&] { data.codec->check(data.records(), 5); }), HasSubstr("row 1: its scale"));
  }
}

TEST(Codec, RefusesOptionsThatDoNotDo) {
  EXPECT_EQ(error_of([] { make_codec({.name = "pq", .dim = 3, .centre = {}}); }),
            "no codec is called pq; there are fp32, bf16, fp16, int8, u8, nvfp4, rabitq1");
  EXPECT_EQ(error_of([] { make_codec({.name = "fp32", .dim = 0, .centre = {}}); }), "dim is 0; it is 1 to 65536");
  EXPECT_EQ(error_of([] { make_codec({.name = "fp32", .dim = 1, .centre = {1}}); }), "fp32 has no centre; rabitq1 has");
  EXPECT_EQ(error_of([] { make_codec({.name = "rabitq1", .dim = 3, .centre = {1}}); }),
            "centre has 1 components, dim is 3");
}

TEST(Fp32Codec, CosinesAreRightForAnyLengths) {
  const auto direction = gaussian(5, 13), other = gaussian(5, 14);
  for (const float length : {1e-44F, 3e-40F, 1e-30F, 1e-19F, 1.F, 1e18F}) {
    for (const float query_length : {1e-44F, 3e-40F, 1e-30F, 1e-19F, 1.F, 1e18F}) {
      std::vector<float> x, query;
      for (const float value : direction) x.push_back(value * length);
      for (const float value : other) query.push_back(value * query_length);
      // Of what is left of the digits; all of it fits double.
      const double cosine = dot(x, query) / std::sqrt(dot(x, x) * dot(query, query));
      EXPECT_NEAR(Encoded("fp32", 5, x).scores(query, Metric::cosine)[0], 1 - cosine, 1e-6) << length;
      EXPECT_NEAR(Encoded("fp32", 5, x).scores(x, Metric::cosine)[0], 0, 1e-6) << length;
    }
  }
}

TEST(Fp16Codec, RefusesWhatOverflowsAndNamesIt) {
  EXPECT_EQ(encode_error("fp16", {0, 1, 2, -70000, 4, 5}, 3),
            "row 1, component 0 is -70000, more than fp16 holds; use another codec or scale the data");
  EXPECT_EQ(encode_error("fp16", {65519, -65504}, 2), "no error");
  EXPECT_EQ(encode_error("bf16", {70000}, 1), "no error");
}

TEST(U8Codec, IsChosenForWholeNumbersFrom0To255) {
  const auto fitted = [](std::vector<float> x) {
    return fit("int8", kernels::row_major<const float>(x.data(), 1, x.size())).name;
  };
  EXPECT_EQ(fitted({0, 255, 17}), "u8");
  EXPECT_EQ(fitted({0, 256, 17}), "int8");
  EXPECT_EQ(fitted({0, -1, 17}), "int8");
  EXPECT_EQ(fitted({0, .5F, 17}), "int8");
  EXPECT_EQ(fit("nvfp4", kernels::row_major<const float>(nullptr, 0, 3)).name, "nvfp4");
}

TEST(U8Codec, RefusesOtherNumbersAndNamesThem) {
  EXPECT_EQ(encode_error("u8", {0, 1, 2, 3.5F}, 2), "row 1, component 1 is 3.5; u8 holds whole numbers from 0 to 255");
}

TEST(U8Codec, ReadersRefuseSumsThatAreNotThoseOfTheBytes) {
  const Encoded data("u8", 3, std::vector<float>{1, 2, 255});
  const auto error_with = [&](std::size_t offset, std::uint32_t value) {
    auto bytes = data.bytes;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return error_of([&] { data.codec->check({bytes.data(), bytes.size()}, 1); });
  };
  EXPECT_EQ(error_with(4, 258), "no error");
  EXPECT_EQ(error_with(4, 259), "row 0: its sum of components is 259; that of its bytes is 258");
  EXPECT_EQ(error_with(8, 0xffffffff), "row 0: its sum of squares is 4294967295; that of its bytes is 65030");
}

TEST(U8Codec, WholeQueriesAreScoredExactly) {
  for (const std::size_t dim : {1, 50, 784, 65536}) {
    auto x = whole_numbers(3 * dim, dim);
    std::fill_n(x.begin(), dim, 255.F);
    const Encoded data("u8", dim, x);
    const std::vector<float> zeros(dim);
    EXPECT_EQ(data.scores(zeros, Metric::l2)[0], static_cast<float>(dim * 255 * 255)) << dim;
    const auto query = whole_numbers(dim, dim + 1);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(data.scores(query, Metric::l2)[i], static_cast<float>(squared_distance(query, data.row(i)))) << dim;
      EXPECT_EQ(data.scores(query, Metric::inner_product)[i], static_cast<float>(-dot(query, data.row(i)))) << dim;
    }
  }
}

TEST(Int8Codec, DoesNotSufferFromTheQuerysOutlier) {
  auto x = gaussian(200 * 64, 9);
  const Encoded data("int8", 64, x);
  auto query = gaussian(64, 10);
  query[5] = 100;
  const auto scores = data.scores(query, Metric::inner_product);
  for (std::size_t i = 0; i < data.count(); ++i) {
    EXPECT_NEAR(scores[i], -dot(query, data.row(i)),
                .02 * std::sqrt(dot(query, query) * dot(data.row(i), data.row(i))));
  }
}

}  // namespace
}  // namespace boon::codec
