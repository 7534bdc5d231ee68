// rabitq1: the signs of a centred, rotated vector. Gao & Long, "RaBitQ: quantizing high-dimensional vectors with a
// theoretical error bound", arXiv:2405.12497.
//
// With c the centre and o = (x - c) / |x - c|, the code is o' = signs(o) / sqrt(D). For a query q, <o', q - c> / <o',
// o> estimates <o, q - c> without bias if the rotation is random (theorem 3.2). The caller rotates.
//
// A record is |x - c|, <o', o>, <x, c>, the number of ones, then the bits; bit i % 8 of byte i / 8 is 1 where x_i >=
// c_i.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"

namespace boon::codec {
namespace {

constexpr std::size_t kRadiusField = 0;  // |x - c|
constexpr std::size_t kFactorField = 4;  // <o', o>, from 1 / sqrt(D) to 1, near sqrt(2 / pi) after a rotation
constexpr std::size_t kCentreField = 8;  // <x, c>
constexpr std::size_t kOnesField = 12;
constexpr std::size_t kHeader = 16;

// Standard deviations that a bound is wide, called epsilon_0 in the paper.
constexpr float kEpsilon = 1.9F;

std::vector<float> difference(std::span<const float> x, std::span<const float> centre) {
  std::vector<float> result(x.begin(), x.end());
  for (std::size_t i = 0; i < centre.size(); ++i) result[i] -= centre[i];
  return result;
}

class RabitqScorer final : public Scorer {
 public:
  RabitqScorer(std::span<const float> query, std::span<const float> centred, std::span<const float> centre,
               Metric metric)
      : metric_(metric),
        dim_(static_cast<float>(query.size())),
        planes_(centred),
        query_length_(length(query)),
        radius_(length(centred)),
        with_centre_(centre.empty() ? 0 : static_cast<float>(product(centred, centre))),
        centre_squared_(static_cast<float>(product(centre, centre))) {}

  void score(const Records& records, const std::uint32_t* ids, std::size_t count, float* out) const noexcept override {
    in_parts(
        {records.data, records.stride, ids, kHeader}, count, out,
        [&](const CodeRows& part, std::size_t n, std::int32_t* sums) { kernels_.bits(planes_.query(), part, n, sums); },
        [&](std::int32_t sum, const std::uint8_t* record) { return score(sum, record); });
  }

  float bound(const std::uint8_t* record) const noexcept override {
    const auto factor = field<float>(record, kFactorField);
    const auto radius = field<float>(record, kRadiusField);
    const float spread = std::sqrt(std::max(0.F, 1 - factor * factor)) / factor;
    const float of_product = radius * radius_ * spread * kEpsilon / std::sqrt(std::max(1.F, dim_ - 1));
    if (metric_ == Metric::l2) return 2 * of_product;
    if (metric_ == Metric::inner_product) return of_product;
    const float lengths = query_length_ * vector_length(record);
    return lengths > 0 ? of_product / lengths : 0;
  }

 private:
  // |x|^2 = |x - c|^2 + 2 <x, c> - |c|^2.
  float vector_length(const std::uint8_t* record) const noexcept {
    const auto radius = field<float>(record, kRadiusField);
    return std::sqrt(std::max(0.F, radius * radius + 2 * field<float>(record, kCentreField) - centre_squared_));
  }

  // `sum` is that of the query's 4-bit numbers where the record has ones.
  float score(std::int32_t sum, const std::uint8_t* record) const noexcept {
    const auto ones = static_cast<float>(field<std::uint32_t>(record, kOnesField));
    // Sum of sign * component: twice the components under ones, less all of them.
    const float signs =
        planes_.low() * (2 * ones - dim_) + planes_.step() * static_cast<float>(2 * sum - planes_.sum());
    const auto radius = field<float>(record, kRadiusField);
    // <x - c, q - c>; divided first, as the product of radius and signs may overflow.
    const float estimate = radius / (field<float>(record, kFactorField) * std::sqrt(dim_)) * signs;
    if (metric_ == Metric::l2) return radius * radius + radius_ * radius_ - 2 * estimate;
    const float dot = estimate + field<float>(record, kCentreField) + with_centre_;
    return score_of(metric_, dot, query_length_, vector_length(record));
  }

  const CodeKernels& kernels_ = code_kernels();
  Metric metric_;
  float dim_;
  BitPlanes planes_;    // of q - c
  float query_length_;  // |q|
  float radius_;        // |q - c|
  float with_centre_;   // <q - c, c>
  float centre_squared_;
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
  check_field(field<float>(record, kRadiusField), what, "radius");
  // By Cauchy and Schwarz; a hundredth more for rounding.
  check_field(field<float>(record, kFactorField), what, "factor", .99F / std::sqrt(static_cast<float>(dim())), 1.01F);
  constexpr auto kProductMax = static_cast<float>(kSquaredLengthMax);
  check_field(field<float>(record, kCentreField), what, "product with the centre", -kProductMax, kProductMax);
  check_field(static_cast<float>(field<std::uint32_t>(record, kOnesField)), what, "number of ones", 0,
              static_cast<float>(dim()));
}

}  // namespace

std::unique_ptr<Codec> make_rabitq1(const CodecOptions& options) {
  return std::make_unique<RabitqCodec>(options.dim, options.centre);
}

}  // namespace boon::codec
