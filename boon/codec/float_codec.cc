// fp32, bf16 and fp16: floats as they are or rounded. A record is the length, then the components.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/record.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/element.h"

namespace boon::codec {
namespace {

using kernels::Bf16;
using kernels::Fp16;
using kernels::to_float;
constexpr std::size_t kHeader = 4;

template <class Element>
float component(const std::uint8_t* record, std::size_t i) noexcept {
  return to_float(field<Element>(record, kHeader + i * sizeof(Element)));
}

template <class Element>
struct FloatQuery {
  bool is_l2;
  std::vector<float> query;

  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    if (count == 0) return;  // there may be no memory to point into
    const kernels::RowDistances<Element> distances = kernels::row_distances<Element>(kernels::distances());
    const auto* base = reinterpret_cast<const Element*>(rows.base + rows.skip);
    const std::size_t stride = rows.stride / sizeof(Element), dim = query.size();
    if (rows.ids == nullptr) {
      (is_l2 ? distances.l2_rows : distances.dot_rows)(query.data(), dim, base, stride, count, out);
    } else {
      (is_l2 ? distances.l2_gather : distances.dot_gather)(query.data(), dim, base, stride, rows.ids, count, out);
    }
  }
};

// Cosines. A length that is a denormal has lost digits, and there both product and length are taken from the
// components.
template <class Element>
class CosineScorer final : public Scorer {
 public:
  explicit CosineScorer(FloatQuery<Element> floats)
      : floats_(std::move(floats)), query_length_(length(floats_.query)) {}

  void score(const Records& records, const std::uint32_t* ids, std::size_t count, float* out) const noexcept override {
    const CodeRows rows{records.data, records.stride, ids, kHeader};
    floats_(rows, count, out);
    for (std::size_t i = 0; i < count; ++i) {
      const auto record_length = field<float>(rows[i], kLengthField);
      const bool tiny = record_length > 0 && record_length < std::numeric_limits<float>::min();
      out[i] = tiny ? exact(rows[i]) : score_of(Metric::cosine, out[i], query_length_, record_length);
    }
  }

 private:
  float exact(const std::uint8_t* record) const noexcept {
    double dot = 0, squared = 0;
    for (std::size_t i = 0; i < floats_.query.size(); ++i) {
      const double x = component<Element>(record, i);
      dot += x * floats_.query[i];
      squared += x * x;
    }
    const double lengths = query_length_ * std::sqrt(squared);
    return lengths > 0 ? static_cast<float>(1 - dot / lengths) : 1;
  }

  FloatQuery<Element> floats_;
  float query_length_;
};

template <class Element>
class FloatCodec : public Codec {
 public:
  FloatCodec(std::string_view name, std::size_t dim) : Codec(name, dim, kHeader, dim * sizeof(Element)) {}

  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = component<Element>(record, i);
  }

 private:
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    set_field(record, kLengthField, length(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      set_field(record, kHeader + i * sizeof(Element), kernels::from_float<Element>(x[i]));
    }
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
    std::vector<float> x(dim());
    decode(record, x);
    check_field(length(x), what, "decoded length");
  }
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    FloatQuery<Element> floats{metric == Metric::l2, scaled_for(metric, query)};
    if (metric == Metric::l2) return std::make_unique<DirectScorer<FloatQuery<Element>>>(kHeader, std::move(floats));
    if (metric == Metric::cosine) return std::make_unique<CosineScorer<Element>>(std::move(floats));
    return std::make_unique<ProductScorer<FloatQuery<Element>>>(metric, query, kHeader, std::move(floats));
  }
  std::size_t first_unfit(std::span<const float> x, std::string& why) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(to_float(kernels::from_float<Element>(x[i])))) continue;
      why = fmt::format(", more than {} holds; use another codec or scale the data", name());
      return i;
    }
    return x.size();
  }
};

}  // namespace

std::unique_ptr<Codec> make_fp32(const CodecOptions& options) {
  return std::make_unique<FloatCodec<float>>("fp32", options.dim);
}
std::unique_ptr<Codec> make_bf16(const CodecOptions& options) {
  return std::make_unique<FloatCodec<Bf16>>("bf16", options.dim);
}
std::unique_ptr<Codec> make_fp16(const CodecOptions& options) {
  return std::make_unique<FloatCodec<Fp16>>("fp16", options.dim);
}

}  // namespace boon::codec
