// Internal: the fields of records, and scores from products.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "boon/codec/code_kernels.h"
#include "boon/codec/codec.h"
#include "boon/kernels/product.h"

namespace boon::codec {

template <class T>
T field(const std::uint8_t* record, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}
template <class T>
void set_field(std::uint8_t* record, std::size_t offset, T value) noexcept {
  std::memcpy(record + offset, &value, sizeof value);
}

using kernels::product;

inline float length(std::span<const float> x) noexcept {
  return static_cast<float>(std::sqrt(product(x, x)));
}

// The score of two vectors of these lengths and this product.
inline float score_of(Metric metric, float dot, float query_length, float length) noexcept {
  if (metric == Metric::inner_product) return -dot;
  if (metric == Metric::l2) return query_length * query_length + length * length - 2 * dot;
  const float lengths = query_length * length;
  return lengths > 0 ? 1 - dot / lengths : 1;
}

// The length of the vector that was encoded is the first field of every record. With it a score is right where the
// decoded vector is longer or shorter than the vector.
inline constexpr std::size_t kLengthField = 0;

// A query for products: under cosine it is scaled by a power of two to a length near 2^60, so that products with
// records of any length stay within fp32.
std::vector<float> scaled_for(Metric metric, std::span<const float> query);

// Scores by products. Products(rows, count, out) writes the products of the query, which is scaled_for() the metric,
// with what the records decode to.
template <class Products>
class ProductScorer final : public Scorer {
 public:
  ProductScorer(Metric metric, std::span<const float> query, std::size_t skip, Products products)
      : metric_(metric), query_length_(length(query)), skip_(skip), products_(std::move(products)) {}

  void score(const Records& records, const std::uint32_t* ids, std::size_t count, float* out) const noexcept override {
    const CodeRows rows{records.data, records.stride, ids, skip_};
    products_(rows, count, out);
    if (metric_ == Metric::inner_product) {
      for (std::size_t i = 0; i < count; ++i) out[i] = -out[i];
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = score_of(metric_, out[i], query_length_, field<float>(rows[i], kLengthField));
    }
  }

 private:
  Metric metric_;
  float query_length_;
  std::size_t skip_;
  Products products_;
};

// Scores that a kernel gives as they are. Scores(rows, count, out) writes them.
template <class Scores>
class DirectScorer final : public Scorer {
 public:
  DirectScorer(std::size_t skip, Scores scores) : skip_(skip), scores_(std::move(scores)) {}

  void score(const Records& records, const std::uint32_t* ids, std::size_t count, float* out) const noexcept override {
    scores_({records.data, records.stride, ids, skip_}, count, out);
  }

 private:
  std::size_t skip_;
  Scores scores_;
};

// Runs a kernel of whole numbers over rows in small parts, and hands each number on: finish(number, record) is out[i].
template <class Kernel, class Finish>
void in_parts(const CodeRows& rows, std::size_t count, float* out, const Kernel& kernel,
              const Finish& finish) noexcept {
  constexpr std::size_t kPart = 64;
  std::int32_t numbers[kPart];
  for (std::size_t begin = 0; begin < count; begin += kPart) {
    const std::size_t n = count - begin < kPart ? count - begin : kPart;
    CodeRows part = rows;
    if (rows.ids != nullptr) {
      part.ids += begin;
    } else {
      part.base += begin * rows.stride;
    }
    kernel(part, n, numbers);
    for (std::size_t i = 0; i < n; ++i) out[begin + i] = finish(numbers[i], part[i]);
  }
}

// |a - b|^2 <= 4 max(|a|^2, |b|^2) must stay finite in fp32. Writers leave room for the rounding of components, which
// may make a vector longer.
inline constexpr double kSquaredLengthMax = std::numeric_limits<float>::max() / 5.0;
inline constexpr float kLengthMax = 0x1p63F;  // of a record: the root of a fourth of the largest float

// Throws Error{corrupted} unless the field lies between `least` and `most`.
void check_field(float value, std::string_view what, std::string_view name, float least = 0, float most = kLengthMax);

}  // namespace boon::codec
