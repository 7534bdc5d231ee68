// fp32, bf16 and fp16: floats as they are or rounded. A record is the length, then the components.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/fp16.h"
#include "boon/codec/record.h"
#include "boon/kernels/bf16.h"
#include "boon/kernels/distance.h"

namespace boon::codec {
namespace {

using kernels::Bf16;
constexpr std::size_t kHeader = 4;

float of(float x) noexcept {
  return x;
}
float of(Bf16 x) noexcept {
  return to_float(x);
}
float of(Fp16 x) noexcept {
  return to_float(x);
}
void convert(float x, float& to) noexcept {
  to = x;
}
void convert(float x, Bf16& to) noexcept {
  to = kernels::to_bf16(x);
}
void convert(float x, Fp16& to) noexcept {
  to = to_fp16(x);
}

// fp32 has kernels of its own, as the graph of exact vectors uses them.
template <bool is_l2>
void fp32(const float* query, std::size_t dim, const CodeRows& rows, std::size_t count, float* out) noexcept {
  if (count == 0) return;  // there may be no memory to point into
  const kernels::DistanceTable& table = kernels::distances();
  const auto* base = reinterpret_cast<const float*>(rows.base + rows.skip);
  const std::size_t stride = rows.stride / sizeof *base;
  if (rows.ids == nullptr) {
    (is_l2 ? table.l2_rows : table.dot_rows)(query, dim, base, stride, count, out);
  } else {
    (is_l2 ? table.l2_gather : table.dot_gather)(query, dim, base, stride, rows.ids, count, out);
  }
}

CodeKernels::Float kernel(float, bool is_l2) {
  return is_l2 ? fp32<true> : fp32<false>;
}
CodeKernels::Float kernel(Bf16, bool is_l2) {
  return is_l2 ? code_kernels().l2_bf16 : code_kernels().dot_bf16;
}
CodeKernels::Float kernel(Fp16, bool is_l2) {
  return is_l2 ? code_kernels().l2_fp16 : code_kernels().dot_fp16;
}

struct FloatQuery {
  CodeKernels::Float kernel;
  std::vector<float> query;
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    kernel(query.data(), query.size(), rows, count, out);
  }
};

// Cosines. A length that is a denormal has lost digits, and there both product and length are taken from the
// components.
template <class Element>
class CosineScorer final : public Scorer {
 public:
  explicit CosineScorer(FloatQuery floats) : floats_(std::move(floats)), query_length_(length(floats_.query)) {}

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
      const double x = of(field<Element>(record, kHeader + i * sizeof(Element)));
      dot += x * floats_.query[i];
      squared += x * x;
    }
    const double lengths = query_length_ * std::sqrt(squared);
    return lengths > 0 ? static_cast<float>(1 - dot / lengths) : 1;
  }

  FloatQuery floats_;
  float query_length_;
};

template <class Element>
class FloatCodec : public Codec {
 public:
  FloatCodec(std::string_view name, std::size_t dim) : Codec(name, dim, kHeader, dim * sizeof(Element)) {}

  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = of(field<Element>(record, kHeader + i * sizeof(Element)));
  }

 private:
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    set_field(record, kLengthField, length(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      Element element;
      convert(x[i], element);
      set_field(record, kHeader + i * sizeof(Element), element);
    }
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
    std::vector<float> x(dim());
    decode(record, x);
    check_field(length(x), what, "decoded length");
  }
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    FloatQuery floats{kernel(Element{}, metric == Metric::l2), scaled_for(metric, query)};
    if (metric == Metric::l2) return std::make_unique<DirectScorer<FloatQuery>>(kHeader, std::move(floats));
    if (metric == Metric::cosine) return std::make_unique<CosineScorer<Element>>(std::move(floats));
    return std::make_unique<ProductScorer<FloatQuery>>(metric, query, kHeader, std::move(floats));
  }
  std::size_t first_unfit(std::span<const float> x, std::string& why) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      Element element;
      convert(x[i], element);
      if (std::isfinite(of(element))) continue;
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
