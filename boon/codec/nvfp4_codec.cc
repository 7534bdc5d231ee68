// NVFP4 records: the length and the vector's scale, the codes, the block scales.
#include <vector>

#include "boon/codec/codecs.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/query.h"
#include "boon/codec/record.h"

namespace boon::codec {
namespace {

constexpr std::size_t kScaleField = 4;
constexpr std::size_t kHeader = 8;

struct Nvfp4Products {
  Nvfp4Planes query;
  const CodeKernels& kernels = code_kernels();
  void operator()(const CodeRows& rows, std::size_t count, float* out) const noexcept {
    kernels.nvfp4(query.query(), rows, count, out);
    for (std::size_t i = 0; i < count; ++i) out[i] *= query.scale() * field<float>(rows[i], kScaleField);
  }
};

class Nvfp4Codec : public Codec {
 public:
  explicit Nvfp4Codec(std::size_t dim)
      : Codec("nvfp4", dim, kHeader, nvfp4_blocks(dim) * kNvfp4BlockBytes, nvfp4_blocks(dim)),
        blocks_(nvfp4_blocks(dim)) {}

  void decode(const std::uint8_t* record, std::span<float> out) const noexcept override {
    nvfp4_decode(view(record), out);
  }
  float scale(const std::uint8_t* record) const noexcept override { return field<float>(record, kScaleField); }

 private:
  Nvfp4View view(const std::uint8_t* record) const noexcept {
    const std::uint8_t* codes = record + kHeader;
    const std::size_t code_bytes = blocks_ * kNvfp4BlockBytes;
    return {{codes, code_bytes}, {codes + code_bytes, blocks_}, field<float>(record, kScaleField)};
  }
  void encode_row(std::span<const float> x, std::uint8_t* record) const override {
    std::uint8_t* codes = record + kHeader;
    const std::size_t code_bytes = blocks_ * kNvfp4BlockBytes;
    set_field(record, kLengthField, length(x));
    set_field(record, kScaleField, nvfp4_encode(x, {{codes, code_bytes}, {codes + code_bytes, blocks_}}));
  }
  void check_record(const std::uint8_t* record, std::string_view what) const override {
    check_field(field<float>(record, kLengthField), what, "length");
    check_field(field<float>(record, kScaleField), what, "scale");
    nvfp4_check(view(record), what);
  }
  std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const override {
    const std::vector<float> scaled = scaled_for(metric, query);
    return std::make_unique<ProductScorer<Nvfp4Products>>(metric, scaled, kHeader, Nvfp4Products{Nvfp4Planes(scaled)});
  }

  std::size_t blocks_;
};

}  // namespace

std::unique_ptr<Codec> make_nvfp4(const CodecOptions& options) {
  return std::make_unique<Nvfp4Codec>(options.dim);
}

}  // namespace boon::codec
