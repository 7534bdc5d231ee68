#include "boon/codec/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "boon/codec/codecs.h"
#include "boon/codec/record.h"
#include "boon/core/check.h"
#include "boon/core/error.h"
#include "boon/kernels/distance.h"

namespace boon::codec {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Codec> (*make)(const CodecOptions& options);
};
constexpr std::array<Entry, 7> kCodecs = {{{"fp32", make_fp32},
                                           {"bf16", make_bf16},
                                           {"fp16", make_fp16},
                                           {"int8", make_int8},
                                           {"u8", make_u8},
                                           {"nvfp4", make_nvfp4},
                                           {"rabitq1", make_rabitq1}}};
constexpr auto kNames = [] {
  std::array<std::string_view, kCodecs.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCodecs[i].name;
  return names;
}();

// Throws Error{invalid_argument}, beginning with `what`.
void check_finite(std::span<const float> x, const auto& what) {
  const std::size_t bad = kernels::distances().first_not_finite(x.data(), x.size());
  if (bad < x.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}, component {} is {}", what(), bad, std::isnan(x[bad]) ? "NaN" : "infinite"));
  }
  const double squared = product(x, x);
  if (squared > kSquaredLengthMax) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is too long: its sum of squares is {:.3g} and may be {:.3g}; scale the data", what(),
                            squared, kSquaredLengthMax));
  }
}

// Calls use(row, number) with each row in one piece.
template <class Use>
void for_each_row(kernels::Matrix<const float> rows, const Use& use) {
  std::vector<float> copy(rows.column_stride == 1 ? 0 : rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t j = 0; j < copy.size(); ++j) copy[j] = rows(i, j);
    const float* data = copy.empty() ? rows.data + i * rows.row_stride : copy.data();
    use(std::span(data, rows.columns), i);
  }
}

}  // namespace

float Scorer::bound(const std::uint8_t*) const noexcept {
  return std::numeric_limits<float>::infinity();
}

float Codec::scale(const std::uint8_t*) const noexcept {
  return 1;
}

void Codec::check_row(std::span<const float> x, std::size_t row) const {
  check_finite(x, [row] { return fmt::format("row {}", row); });
  std::string why;
  const std::size_t bad = first_unfit(x, why);
  if (bad < x.size()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("row {}, component {} is {}{}", row, bad, x[bad], why));
  }
}

void Codec::check_rows(kernels::Matrix<const float> rows) const {
  if (rows.columns != dim_) {
    throw Error(ErrorCode::invalid_argument, fmt::format("rows have {} components, the codec {}", rows.columns, dim_));
  }
  for_each_row(rows, [&](std::span<const float> x, std::size_t i) { check_row(x, i); });
}

void Codec::encode(kernels::Matrix<const float> rows, std::span<std::uint8_t> records) const {
  check_rows(rows);
  BOON_CHECK(records.size() == rows.rows * record_bytes_);
  std::ranges::fill(records, std::uint8_t{0});
  for_each_row(rows, [&](std::span<const float> x, std::size_t i) { encode_row(x, &records[i * record_bytes_]); });
}

void Codec::check(const Records& records, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) check_record(records[i], fmt::format("row {}", i));
}

std::unique_ptr<Scorer> Codec::query(std::span<const float> query, Metric metric) const {
  if (query.size() != dim_) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the query has {} components, the codec {}", query.size(), dim_));
  }
  check_finite(query, [] { return "the query"; });
  return scorer(query, metric);
}

std::vector<float> scaled_for(Metric metric, std::span<const float> query) {
  constexpr int kExponent = 60;
  std::vector<float> scaled(query.begin(), query.end());
  if (metric != Metric::cosine) return scaled;
  const double squared = product(query, query);
  if (squared == 0) return scaled;
  const int exponent = kExponent - std::ilogb(std::sqrt(squared));
  for (float& x : scaled) x = std::ldexp(x, exponent);
  return scaled;
}

void check_field(float value, std::string_view what, std::string_view name, float least, float most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::corrupted,
              fmt::format("{}: its {} is {}; it is {:.3g} to {:.3g}", what, name, value, least, most));
}

std::unique_ptr<Codec> make_codec(const CodecOptions& options) {
  if (options.dim == 0 || options.dim > kDimMax) {
    throw Error(ErrorCode::invalid_argument, fmt::format("dim is {}; it is 1 to {}", options.dim, kDimMax));
  }
  if (!options.centre.empty()) {
    if (options.name != "rabitq1") {
      throw Error(ErrorCode::invalid_argument, fmt::format("{} has no centre; rabitq1 has", options.name));
    }
    if (options.centre.size() != options.dim) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("centre has {} components, dim is {}", options.centre.size(), options.dim));
    }
    check_finite(options.centre, [] { return "centre"; });
  }
  for (const Entry& entry : kCodecs) {
    if (entry.name == options.name) return entry.make(options);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("no codec is called {}; there are {}", options.name, fmt::join(kNames, ", ")));
}

std::span<const std::string_view> codec_names() noexcept {
  return kNames;
}

CodecOptions fit(std::string_view name, kernels::Matrix<const float> rows) {
  CodecOptions options{.name = std::string(name), .dim = rows.columns, .centre = {}};
  bool bytes = rows.rows > 0;
  std::vector<double> sums(name == "rabitq1" ? rows.columns : 0);
  for_each_row(rows, [&](std::span<const float> x, std::size_t i) {
    check_finite(x, [i] { return fmt::format("row {}", i); });
    bytes = bytes && std::ranges::all_of(x, is_byte);
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += x[j];
  });
  if (name == "int8" && bytes) options.name = "u8";
  if (rows.rows == 0) return options;
  for (const double sum : sums) options.centre.push_back(static_cast<float>(sum / static_cast<double>(rows.rows)));
  return options;
}

}  // namespace boon::codec
