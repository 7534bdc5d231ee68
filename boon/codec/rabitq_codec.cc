// rabitq1: the signs of a centred, rotated vector. Gao & Long, "RaBitQ: quantizing high-dimensional vectors with a
// theoretical error bound", arXiv:2405.12497.
//
// With c the centre and o = (x - c) / |x - c|, the code is o' = signs(o) / sqrt(D). For a query q, <o', q - c> / <o',
// o> estimates <o, q - c> without bias if the rotation is random (theorem 3.2). The caller rotates.
//
// A record is |x|, |x - c|, <o', o>, <x, c>, the number of ones, then the bits; bit i % 8 of byte i / 8 is 1 where x_i
// >= c_i. |x| could be had from the rest, but not where c is long beside x: there it cancels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"

namespace boon::codec {
namespace {

constexpr std::size_t kRadiusField = 4;   // |x - c|
constexpr std::size_t kFactorField = 8;   // <o', o>, from 1 / sqrt(D) to 1, near sqrt(2 / pi) after a rotation
constexpr std::size_t kCentreField = 12;  // <x, c>
constexpr std::size_t kOnesField = 16;
constexpr std::size_t kHeader = 20;

// How many standard deviations a bound is wide, called epsilon_0 in the paper: 95.4% of normal errors lie within.
constexpr double kDeviations = 2;
// What the rounding of fields, centred components and scores to fp32 comes to, a few units of 2^-24.
constexpr double kRounding = 0x1p-21;

std::vector<float> difference(std::span<const float> x, std::span<const float> centre) {
  std::vector<float> result(x.begin(), x.end());
  for (std::size_t i = 0; i < centre.size(); ++i) result[i] -= centre[i];
  return result;
}

// An estimate may be past the floats where the truth is not: a tiny vector far from the centre has any cosine.
float in_range(double score) noexcept {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(score, -kMost, kMost));
}

// Sums are in double: squares of distances between vectors may be four times as large as the largest square of a
// length, and cosines are found from what is small where the centre is far away.
class RabitqScorer final : public Scorer {
 public:
  RabitqScorer(std::span<const float> query, std::span<const float> centred, std::span<const float> centre,
               Metric metric)
      : metric_(metric),
        dim_(static_cast<double>(query.size())),
        root_dim_(std::sqrt(dim_)),
        planes_(centred),
        query_length_(std::sqrt(product(query, query))),
        radius_(std::sqrt(product(centred, centred))),
        with_centre_(centre.empty() ? 0 : product(query, centre) - product(centre, centre)) {}

  void score(const Records& records, const std::uint32_t* ids, std::size_t count, float* out) const noexcept override {
    in_parts(
        {records.data, records.stride, ids, kHeader}, count, out,
        [&](const CodeRows& part, std::size_t n, std::int32_t* sums) { kernels_.bits(planes_.query(), part, n, sums); },
        [&](std::int32_t sum, const std::uint8_t* record) { return in_range(score(sum, record)); });
  }

  // Two errors meet, and as they are independent their variances add up. For unit vectors the estimate is off by
  // sqrt(1 / factor^2 - 1) times a coordinate of a random direction in D - 1 dimensions, of variance 1 / (D - 1) and
  // with lighter tails than a normal number (the paper's lemma B.3; the query's part along o, which would make it less,
  // is not known). And rounding the query by e adds <o', e> / factor, a sum of D terms of random signs, of variance
  // |e|^2 / (D factor^2).
  float bound(const std::uint8_t* record) const noexcept override {
    const double radius = field<float>(record, kRadiusField), factor = field<float>(record, kFactorField);
    // The factor is rounded too, and so perhaps to 1.
    const double lost = std::max(0.0, 1 - factor * factor) + 0x1p-24;
    const double by_code = radius_ * radius_ * lost / std::max(1.0, dim_ - 1);
    const double by_query = planes_.squared_error() / dim_;
    const double of_product = kDeviations * radius / factor * std::sqrt(by_code + by_query);
    const double of_squares = 2 * of_product + kRounding * (radius + radius_) * (radius + radius_);
    switch (metric_) {
      case Metric::l2:
        return static_cast<float>(of_squares);
      case Metric::inner_product:
        return static_cast<float>(of_product + kRounding * (radius * radius_ + std::abs(with_centre_) +
                                                            std::abs(field<float>(record, kCentreField))));
      case Metric::cosine:
        break;
    }
    const double record_length = field<float>(record, kLengthField);
    const double lengths = query_length_ * record_length;
    if (!(lengths > 0)) return 0;
    return static_cast<float>((of_squares / 2 + kRounding * ((radius + radius_) * record_length + lengths)) / lengths);
  }

 private:
  // `sum` is that of the query's 4-bit numbers where the record has ones.
  double score(std::int32_t sum, const std::uint8_t* record) const noexcept {
    const double ones = field<std::uint32_t>(record, kOnesField);
    // Sum of sign * component: twice the components under ones, less all of them.
    const double signs = planes_.low() * (2 * ones - dim_) + double{planes_.step()} * (2 * sum - planes_.sum());
    const double radius = field<float>(record, kRadiusField);
    const double estimate = radius * signs / (field<float>(record, kFactorField) * root_dim_);  // <x - c, q - c>
    if (metric_ == Metric::inner_product) return -(estimate + field<float>(record, kCentreField) + with_centre_);
    const double squared = radius * radius + radius_ * radius_ - 2 * estimate;
    if (metric_ == Metric::l2) return squared;
    // |x - q|^2 = (|x| - |q|)^2 + 2 |x| |q| (1 - cos), of which no term is larger than the distances.
    const double record_length = field<float>(record, kLengthField);
    const double lengths = query_length_ * record_length, apart = query_length_ - record_length;
    return lengths > 0 ? (squared - apart * apart) / (2 * lengths) : 1;
  }

  const CodeKernels& kernels_ = code_kernels();
  Metric metric_;
  double dim_;
  double root_dim_;
  BitPlanes planes_;     // of q - c
  double query_length_;  // |q|
  double radius_;        // |q - c|
  double with_centre_;   // <q - c, c>
};

class RabitqCodec : public Codec {
 public:
  RabitqCodec(std::size_t dim, std::vector<float> centre)
      : Codec("rabitq1", dim, kHeader, (dim + 7) / 8), centre_(std::move(centre)) {}

  // c + |x - c| o' / <o', o>: products with it are the estimates. The nearest of this direction would be shorter.
  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    const float unit = scale(record);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool one = (record[kHeader + i / 8] >> i % 8 & 1) != 0;
      out[i] = (centre_.empty() ? 0 : centre_[i]) + (one ? unit : -unit);
    }
  }

  float scale(const std::uint8_t* record) const noexcept override {
    return field<float>(record, kRadiusField) /
           (field<float>(record, kFactorField) * std::sqrt(static_cast<float>(dim())));
  }

 private:
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    const std::vector<float> centred = difference(x, centre_);
    double magnitudes = 0;
    std::uint32_t ones = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      magnitudes += std::abs(static_cast<double>(centred[i]));
      const bool one = centred[i] >= 0;
      ones += one;
      record[kHeader + i / 8] |= static_cast<std::uint8_t>(unsigned{one} << i % 8);
    }
    const double radius = std::sqrt(product(centred, centred));
    const double factor = radius > 0 ? magnitudes / (radius * std::sqrt(static_cast<double>(x.size()))) : 1;
    set_field(record, kLengthField, length(x));
    set_field(record, kRadiusField, static_cast<float>(radius));
    set_field(record, kFactorField, static_cast<float>(factor));
    set_field(record, kCentreField, centre_.empty() ? 0.F : static_cast<float>(product(x, centre_)));
    set_field(record, kOnesField, ones);
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override;
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    return std::make_unique<RabitqScorer>(query, difference(query, centre_), centre_, metric);
  }

  std::vector<float> centre_;
};

void RabitqCodec::check_record(const std::uint8_t* record, std::string_view what) const {
  check_field(field<float>(record, kLengthField), what, "length");
  check_field(field<float>(record, kRadiusField), what, "radius", 0, 2 * kLengthMax);  // the centre is as long at most
  // By Cauchy and Schwarz; a hundredth more for rounding.
  check_field(field<float>(record, kFactorField), what, "factor", .99F / std::sqrt(static_cast<float>(dim())), 1.01F);
  constexpr auto kProductMax = kLengthMax * kLengthMax;
  check_field(field<float>(record, kCentreField), what, "product with the centre", -kProductMax, kProductMax);
  check_field(static_cast<float>(field<std::uint32_t>(record, kOnesField)), what, "number of ones", 0,
              static_cast<float>(dim()));
}

}  // namespace

std::unique_ptr<Codec> make_rabitq1(const CodecOptions& options) {
  return std::make_unique<RabitqCodec>(options.dim, options.centre);
}

}  // namespace boon::codec
