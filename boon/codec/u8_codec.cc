// u8: whole numbers from 0 to 255, without loss. A record is the length, the sum and the sum of squares, then the
// numbers.
//
// A query of such numbers is scored exactly: sums of whole numbers up to 65536 * 255^2 fit 32 bits without a sign.
#include <algorithm>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"

namespace boon::codec {
namespace {

constexpr std::size_t kSumField = 4;
constexpr std::size_t kSquaresField = 8;
constexpr std::size_t kHeader = 12;

// Rows meet the query minus 128, which fits int8; 128 times the row's sum makes up for it. All modulo 2^32.
struct WholeQuery {
  explicit WholeQuery(std::span<const float> query)
      : codes((query.size() + kQueryBytes - 1) / kQueryBytes * kQueryBytes) {
    dim = query.size();
    for (std::size_t i = 0; i < dim; ++i) {
      const auto byte = static_cast<std::uint32_t>(query[i]);
      codes[i] = static_cast<std::int8_t>(static_cast<int>(byte) - 128);
      squares += byte * byte;
    }
  }
  std::uint32_t dot(std::int32_t sum, const std::uint8_t* record) const noexcept {
    return static_cast<std::uint32_t>(sum) + 128 * field<std::uint32_t>(record, kSumField);
  }
  template <class Finish>
  void each(const CodeRows& rows, std::size_t count, float* out, const Finish& finish) const noexcept {
    in_parts(
        rows, count, out,
        [&](const CodeRows& part, std::size_t n, std::int32_t* sums) {
          kernels.u8({codes.data(), dim, 0}, part, n, sums);
        },
        finish);
  }

  const CodeKernels& kernels = code_kernels();
  std::size_t dim = 0;
  std::uint32_t squares = 0;
  std::vector<std::int8_t> codes;
};

struct WholeDistances {
  WholeQuery query;
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    query.each(rows, count, out, [&](std::int32_t sum, const std::uint8_t* record) {
      return static_cast<float>(query.squares + field<std::uint32_t>(record, kSquaresField) -
                                2 * query.dot(sum, record));
    });
  }
};
struct WholeProducts {
  WholeQuery query;
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    query.each(rows, count, out, [&](std::int32_t sum, const std::uint8_t* record) {
      return static_cast<float>(query.dot(sum, record));
    });
  }
};

// A query of fractions stays fp32.
struct FloatQuery {
  CodeKernels::Float kernel;
  std::vector<float> query;
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    kernel(query.data(), query.size(), rows, count, out);
  }
};

class U8Codec : public Codec {
 public:
  explicit U8Codec(std::size_t dim) : Codec("u8", dim, kHeader, dim) {}

  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = record[kHeader + i];
  }

 private:
  std::size_t first_unfit(std::span<const float> x, std::string& why) const override {
    why = "; u8 holds whole numbers from 0 to 255";
    return static_cast<std::size_t>(std::ranges::find_if_not(x, is_byte) - x.begin());
  }
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    std::uint32_t sum = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto byte = static_cast<std::uint32_t>(x[i]);
      record[kHeader + i] = static_cast<std::uint8_t>(byte);
      sum += byte;
      squares += byte * byte;
    }
    set_field(record, kLengthField, length(x));
    set_field(record, kSumField, sum);
    set_field(record, kSquaresField, squares);
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
  }
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    const bool is_l2 = metric == Metric::l2;
    if (std::ranges::all_of(query, is_byte)) {
      WholeQuery whole(query);
      if (is_l2) return std::make_unique<DirectScorer<WholeDistances>>(kHeader, WholeDistances{std::move(whole)});
      return std::make_unique<ProductScorer<WholeProducts>>(metric, query, kHeader, WholeProducts{std::move(whole)});
    }
    const std::vector<float> scaled = scaled_for(metric, query);
    FloatQuery floats{is_l2 ? code_kernels().l2_u8 : code_kernels().dot_u8, scaled};
    if (is_l2) return std::make_unique<DirectScorer<FloatQuery>>(kHeader, std::move(floats));
    return std::make_unique<ProductScorer<FloatQuery>>(metric, scaled, kHeader, std::move(floats));
  }
};

}  // namespace

std::unique_ptr<Codec> make_u8(const CodecOptions& options) {
  return std::make_unique<U8Codec>(options.dim);
}

}  // namespace boon::codec
