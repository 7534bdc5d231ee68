#include "boon/index/code_choice.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "boon/codec/codec.h"
#include "boon/index/codes.h"
#include "boon/kernels/distance.h"

namespace boon::index {
namespace {

constexpr std::size_t kQueries = 64;  // the first rows
constexpr std::size_t kNearest = 10;
constexpr std::size_t kAmong = 20;

// The `count` positions of least value, in no order.
std::vector<std::size_t> least(const std::vector<float>& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  order.resize(count);
  return order;
}

// Share of the nearest rows that the codec keeps near.
double kept_near(const codec::Codec& codec, std::span<const float> rows, Metric metric) {
  const kernels::DistanceTable& table = kernels::distances();
  const std::size_t dim = codec.dim();
  const std::size_t count = rows.size() / dim - kQueries;
  const std::span<const float> base = rows.subspan(kQueries * dim);
  std::vector<std::uint8_t> records(count * codec.record_bytes());
  codec.encode(kernels::row_major(base.data(), count, dim), records);

  std::size_t kept = 0;
  std::vector<float> truth(count), estimates(count);
  for (std::size_t q = 0; q < kQueries; ++q) {
    const std::span<const float> query = rows.subspan(q * dim, dim);
    if (metric == Metric::inner_product) {
      table.dot_rows(query.data(), dim, base.data(), dim, count, truth.data());
      for (float& score : truth) score = -score;
    } else {
      table.l2_rows(query.data(), dim, base.data(), dim, count, truth.data());
    }
    codec.query(query, scored_by(metric))
        ->score({records.data(), codec.record_bytes()}, nullptr, count, estimates.data());
    // By distance, as rows may be equal.
    float limit = std::numeric_limits<float>::lowest();
    for (const std::size_t row : least(truth, kNearest)) limit = std::max(limit, truth[row]);
    std::size_t near = 0;
    for (const std::size_t row : least(estimates, kAmong)) near += truth[row] <= limit ? 1 : 0;
    kept += std::min(near, kNearest);
  }
  return static_cast<double>(kept) / static_cast<double>(kQueries * kNearest);
}

}  // namespace

std::string_view choose_codes(std::span<const float> rows, std::size_t dim, Metric metric, kernels::Element held) {
  for (const std::string_view name : {"nvfp4", "int8"}) {
    const auto codec = codec::make_codec({.name = std::string(name), .dim = dim, .centre = {}});
    if (codec->record_bytes() * 2 > dim * kernels::bytes_of(held)) continue;
    if (kept_near(*codec, rows, metric) >= kCodesEnough) return name;
  }
  return kNoCodes;
}

}  // namespace boon::index
