#include "boon/kernels/knn_frame.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boon::kernels {
namespace {

constexpr std::size_t kSample = 1024;

bool is_byte(float value) noexcept {
  return value >= 0 && value <= 255 && value == std::floor(value);
}

double dot(const std::vector<double>& a, const std::vector<float>& b) noexcept {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The power of two that brings a length near 1.
double power_for(double length) noexcept {
  return length > 0 ? std::ldexp(1.0, -std::ilogb(length)) : 1;
}

// Rows spread over all, in doubles, under cosine of length 1.
std::vector<std::vector<double>> sample_of(const KnnRows& rows, KnnSpace space, const double* inverse_lengths) {
  std::vector<std::vector<double>> sample;
  const std::size_t count = std::min(rows.count, kSample);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * rows.count / count;
    const double scale = space == KnnSpace::cosine ? inverse_lengths[row] : 1;
    auto& values = sample.emplace_back(rows.dim);
    for (std::size_t j = 0; j < rows.dim; ++j) values[j] = component(rows, row, j) * scale;
  }
  return sample;
}

double length(const std::vector<double>& values) noexcept {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

KnnFrame choose_frame(const KnnRows& rows, KnnSpace space, const double* inverse_lengths) {
  KnnFrame frame;
  frame.center.assign(rows.dim, 0);
  if (rows.count == 0) return frame;
  std::vector<std::vector<double>> sample = sample_of(rows, space, inverse_lengths);

  if (space == KnnSpace::l2 && std::all_of(sample.begin(), sample.end(), [](const auto& row) {
        return std::all_of(row.begin(), row.end(), [](double x) { return is_byte(static_cast<float>(x)); });
      })) {
    frame.whole = true;
    frame.center.assign(rows.dim, 128);
    frame.center_length = 128 * std::sqrt(static_cast<double>(rows.dim));
    return frame;
  }

  std::vector<double> mean(rows.dim);
  for (const auto& row : sample) {
    for (std::size_t i = 0; i < rows.dim; ++i) mean[i] += row[i] / static_cast<double>(sample.size());
  }
  std::vector<double> lengths, moved_lengths;
  for (auto& row : sample) {
    lengths.push_back(length(row));
    for (std::size_t i = 0; i < rows.dim; ++i) row[i] -= mean[i];
    moved_lengths.push_back(length(row));
  }
  // Where the center is far out among rows of many lengths, the short ones would become long by it.
  const bool moves = median(moved_lengths) < 0.9 * median(lengths);
  const std::vector<double>& shown = moves ? moved_lengths : lengths;
  if (space != KnnSpace::cosine) {
    const double longest = *std::max_element(shown.begin(), shown.end());
    frame.scale = static_cast<float>(std::clamp(power_for(longest), 0x1p-126, 0x1p126));
  }
  if (moves) {
    for (std::size_t i = 0; i < rows.dim; ++i) frame.center[i] = static_cast<float>(mean[i] * frame.scale);
    frame.center_length =
        std::sqrt(std::inner_product(frame.center.begin(), frame.center.end(), frame.center.begin(), 0.0));
  }
  return frame;
}

void half_squares(const ExactTable& table, const KnnRows& rows, KnnSpace space, const KnnFrame& frame,
                  const double* inverse_lengths, std::size_t begin, std::size_t end, float* out) {
  // |x scale - center|^2 = scale^2 |x - center / scale|^2; scale is a power of two.
  std::vector<double> center(frame.center.begin(), frame.center.end());
  const double scale = frame.scale;
  for (double& value : center) value /= scale;
  for (std::size_t row = begin; row < end; ++row) {
    const double squares = space == KnnSpace::cosine
                               ? scaled_differences(table, rows, row, center.data(), inverse_lengths[row])
                               : squared_differences(table, rows, row, center.data());
    out[row - begin] = static_cast<float>(squares * scale * scale / 2);
  }
}

void KnnFramedQuery::set(const float* query, const KnnFrame& frame, KnnSpace space) {
  const std::size_t dim = frame.center.size();
  std::vector<double> exact(query, query + dim);
  double scale = frame.scale;
  if (space == KnnSpace::inner_product) scale = power_for(kernels::length(exact));
  if (space == KnnSpace::cosine) scale = kernels::length(exact) > 0 ? 1 / kernels::length(exact) : 1;
  for (std::size_t i = 0; i < dim; ++i) exact[i] = exact[i] * scale - (space == KnnSpace::l2 ? frame.center[i] : 0);
  values.assign(exact.begin(), exact.end());
  length = kernels::length(exact);
  switch (space) {
    case KnnSpace::l2:
      score_of_key = {length * length / 2, double{frame.scale} * frame.scale / 2};
      break;
    case KnnSpace::inner_product:
      score_of_key = {-dot(exact, frame.center), scale * frame.scale};
      break;
    case KnnSpace::cosine:
      score_of_key = {1 - dot(exact, frame.center), 1};
      break;
  }
  fits = length <= 0x1p40 && (space == KnnSpace::l2 || length > 0);
}

}  // namespace boon::kernels
