// u8: whole numbers from 0 to 255, without loss. A record is the length, the sum and the sum of squares, then the
// numbers.
//
// A query of such numbers is scored exactly: sums of whole numbers up to 65536 * 255^2 fit 32 bits without a sign.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"
#include "boon/core/error.h"

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
  struct Sums {
    std::uint32_t components = 0;
    std::uint32_t squares = 0;  // 65536 * 255^2 fits
  };
  Sums sums_of(const std::uint8_t* record) const noexcept {
    Sums sums;
    for (std::size_t i = 0; i < dim(); ++i) {
      const std::uint32_t byte = record[kHeader + i];
      sums.components += byte;
      sums.squares += byte * byte;
    }
    return sums;
  }
  static void check_sum(std::uint32_t found, std::uint32_t expected, std::string_view what, std::string_view name) {
    if (found == expected) return;
    throw Error(ErrorCode::corrupted,
                fmt::format("{}: its {} is {}; that of its bytes is {}", what, name, found, expected));
  }

  std::size_t first_unfit(std::span<const float> x, std::string& why) const override {
    why = "; u8 holds whole numbers from 0 to 255";
    return static_cast<std::size_t>(std::ranges::find_if_not(x, is_byte) - x.begin());
  }
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    for (std::size_t i = 0; i < x.size(); ++i) record[kHeader + i] = static_cast<std::uint8_t>(x[i]);
    const Sums sums = sums_of(record);
    set_field(record, kLengthField, length(x));
    set_field(record, kSumField, sums.components);
    set_field(record, kSquaresField, sums.squares);
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
    const Sums sums = sums_of(record);
    check_sum(field<std::uint32_t>(record, kSumField), sums.components, what, "sum of components");
    check_sum(field<std::uint32_t>(record, kSquaresField), sums.squares, what, "sum of squares");
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
