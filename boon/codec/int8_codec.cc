// int8: components divided by max|x| / 127 and rounded. A record is the length and the scale, then the codes.
//
// The scale is then set so that the product of a vector with its decoded self is its squared length, as NVFP4's is.
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"

namespace boon::codec {
namespace {

constexpr std::size_t kScaleField = 4;
constexpr std::size_t kHeader = 8;

struct Int8Products {
  Int8Vector query;
  const CodeKernels& kernels = code_kernels();
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    in_parts(
        rows, count, out,
        [&](const CodeRows& part, std::size_t n, std::int32_t* sums) { kernels.int8(query.query(), part, n, sums); },
        [&](std::int32_t sum, const std::uint8_t* record) {
          return static_cast<float>(sum) * query.scale() * field<float>(record, kScaleField);
        });
  }
};

class Int8Codec : public Codec {
 public:
  explicit Int8Codec(std::size_t dim) : Codec("int8", dim, kHeader, dim) {}

  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    const float by = scale(record);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int8_t>(record[kHeader + i]) * by;
  }
  float scale(const std::uint8_t* record) const noexcept override { return field<float>(record, kScaleField); }

 private:
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    const Int8Vector whole(x);
    double with_codes = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      with_codes += static_cast<double>(x[i]) * whole.codes()[i];
      record[kHeader + i] = static_cast<std::uint8_t>(whole.codes()[i]);
    }
    set_field(record, kLengthField, length(x));
    set_field(record, kScaleField, with_codes > 0 ? static_cast<float>(product(x, x) / with_codes) : 0.F);
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
    check_field(field<float>(record, kScaleField), what, "scale");
  }
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    const std::vector<float> scaled = scaled_for(metric, query);
    return std::make_unique<ProductScorer<Int8Products>>(metric, scaled, kHeader, Int8Products{Int8Vector(scaled)});
  }
};

}  // namespace

std::unique_ptr<Codec> make_int8(const CodecOptions& options) {
  return std::make_unique<Int8Codec>(options.dim);
}

}  // namespace boon::codec
