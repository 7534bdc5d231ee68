// A codec turns vectors of one dimension into records of one size, and scores queries against records as they are.
//
// fp32, bf16, fp16 keep floats; u8 keeps whole numbers from 0 to 255 without loss; int8 and nvfp4 are about 1 and .56
// bytes a component; rabitq1 is one bit. Vectors that are to be rotated are so before they come here, and so are
// queries. Records: docs/formats/codec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "boon/kernels/matrix.h"

namespace boon::codec {

// What a score is. Smaller is nearer.
enum class Metric {
  l2,             // sum of (a - b)^2
  cosine,         // 1 - cos(a, b); 1 where either is zero
  inner_product,  // minus the sum of a * b
};

struct CodecOptions {
  std::string name = "nvfp4";  // one of codec_names()
  std::size_t dim = 0;         // 1 to kDimMax
  std::vector<float> centre;   // rabitq1 alone: what vectors are spread around, best their mean; none is the origin
};

inline constexpr std::size_t kDimMax = 65536;

// Records in memory, `stride` bytes apart, both data and stride multiples of 4.
struct Records {
  const std::uint8_t* data = nullptr;
  std::size_t stride = 0;

  const std::uint8_t* operator[](std::size_t i) const noexcept { return data + i * stride; }
};

// One query, held in the form that records of its codec are scored in.
class Scorer {
 public:
  Scorer() = default;
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;
  virtual ~Scorer() = default;

  // out[i] = score of record ids[i], or of record i without ids, for i < count; never NaN. Prefetches the records to
  // come. Scores of coded records are estimates: a squared distance may come out a little below 0. A record's score has
  // the same bits in any call.
  virtual void score(const Records& records, const std::uint32_t* ids, std::size_t count,
                     float* out) const noexcept = 0;

  // How far from the truth the score of a record is at most, in 19 of 20 cases; infinite where the codec cannot tell.
  virtual float bound(const std::uint8_t* record) const noexcept;
};

class Codec {
 public:
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;

  std::string_view name() const noexcept { return name_; }
  std::size_t dim() const noexcept { return dim_; }
  std::size_t record_bytes() const noexcept { return record_bytes_; }  // a multiple of 4

  // Where in a record the codes are, and the scales of their blocks, a byte each, behind them.
  std::size_t codes_offset() const noexcept { return codes_offset_; }
  std::size_t codes_bytes() const noexcept { return codes_bytes_; }
  std::size_t block_scales() const noexcept { return block_scales_; }
  // What everything in a record is multiplied by when it is decoded.
  virtual float scale(const std::uint8_t* record) const noexcept;

  // Writes rows.rows records. Throws Error{invalid_argument} that names row and component where one is NaN or infinite,
  // where a row's sum of squares is more than a fifth of the largest float, and where the codec cannot hold a component
  // (fp16, u8). Then nothing is written. What is written passes check().
  void encode(kernels::Matrix<const float> rows, std::span<std::uint8_t> records) const;
  // Throws what encode() would.
  void check_rows(kernels::Matrix<const float> rows) const;

  // Writes dim() components.
  virtual void decode(const std::uint8_t* record, std::span<float> out) const noexcept = 0;

  // For records that come from elsewhere. Throws Error{corrupted}, naming the row (and the block), where one could not
  // have been written by encode() and would be scored as NaN, or where the sums of u8 are not those of its bytes.
  void check(const Records& records, std::size_t count) const;

  // Throws Error{invalid_argument} where the query has another dimension, is not finite or is too long, as rows are.
  std::unique_ptr<Scorer> query(std::span<const float> query, Metric metric) const;
  // The same for a query that is known to pass.
  std::unique_ptr<Scorer> query_unchecked(std::span<const float> query, Metric metric) const {
    return scorer(query, metric);
  }

 protected:
  Codec(std::string_view name, std::size_t dim, std::size_t header_bytes, std::size_t code_bytes,
        std::size_t block_scales = 0) noexcept
      : name_(name),
        dim_(dim),
        codes_offset_(header_bytes),
        codes_bytes_(code_bytes),
        block_scales_(block_scales),
        record_bytes_((header_bytes + code_bytes + block_scales + 3) / 4 * 4) {}

 private:
  // The first component that cannot be held; dim() if there is none. `why` completes "row 1, component 2 is 3.5".
  virtual std::size_t first_unfit(std::span<const float>, std::string&) const { return dim_; }
  virtual void encode_row(std::span<const float> x, std::uint8_t* record) const = 0;
  virtual void check_record(const std::uint8_t* record, std::string_view what) const = 0;
  virtual std::unique_ptr<Scorer> scorer(std::span<const float> query, Metric metric) const = 0;

  void check_row(std::span<const float> x, std::size_t row) const;

  std::string_view name_;
  std::size_t dim_;
  std::size_t codes_offset_;
  std::size_t codes_bytes_;
  std::size_t block_scales_;
  std::size_t record_bytes_;
};

// Throws Error{invalid_argument} for a name, a dimension or a centre that does not do.
std::unique_ptr<Codec> make_codec(const CodecOptions& options);

// "fp32", "bf16", "fp16", "int8", "u8", "nvfp4", "rabitq1".
std::span<const std::string_view> codec_names() noexcept;

// What suits these rows: u8 in place of int8 where they are whole numbers from 0 to 255, and their mean as the centre
// of rabitq1. Throws as encode() does.
CodecOptions fit(std::string_view name, kernels::Matrix<const float> rows);

}  // namespace boon::codec
