// Exact k-nearest neighbours: every row counts, nothing is approximated.
//
// The answer is the one that a loop in double precision gives: rows are ranked by their distance in double
// (knn_exact.h says in which order it is summed), equal distances by row number. There are faster ways than that loop,
// which look at every row in fp32 or in 8 bits; each has an error bound that is proved, not measured (knn_bounds.h),
// and whatever the bound cannot tell from the k nearest is compared again in double. So the answer, to the last bit,
// depends neither on the way nor on the instruction set nor on the number of threads.
//
// The caller's vectors are finite: a NaN or an infinity is for the caller to refuse (first_not_finite, distance.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "boon/kernels/element.h"
#include "boon/kernels/isa.h"

namespace boon::kernels {

// What is near, and what is answered as the distance, rounded to fp32 once:
enum class KnnSpace {
  l2,             // sum of (q - x)^2
  inner_product,  // 1 - sum of q * x; ranked by the sum itself, of which small differences would be lost beside 1
  cosine,         // 1 - cos(q, x), as half the squared distance of the vectors scaled to length 1; 1 where one is zero
};

// Rows of floats, fp32, fp16 or bf16, or of bytes that stand for whole numbers from 0 to 255. Borrowed: they may be
// mapped from a file and need no alignment beyond that of their element.
struct KnnRows {
  const void* data = nullptr;
  std::size_t count = 0;
  std::size_t dim = 0;
  std::size_t stride_bytes = 0;
  Element element = Element::f32;

  // `stride` counts elements; 0 means that rows follow each other without a gap.
  static KnnRows of(const float* data, std::size_t count, std::size_t dim, std::size_t stride = 0) noexcept {
    return {data, count, dim, (stride == 0 ? dim : stride) * sizeof(float), Element::f32};
  }
  static KnnRows of(const Fp16* data, std::size_t count, std::size_t dim, std::size_t stride = 0) noexcept {
    return {data, count, dim, (stride == 0 ? dim : stride) * sizeof(Fp16), Element::fp16};
  }
  static KnnRows of(const Bf16* data, std::size_t count, std::size_t dim, std::size_t stride = 0) noexcept {
    return {data, count, dim, (stride == 0 ? dim : stride) * sizeof(Bf16), Element::bf16};
  }
  static KnnRows of(const std::uint8_t* data, std::size_t count, std::size_t dim, std::size_t stride = 0) noexcept {
    return {data, count, dim, stride == 0 ? dim : stride, Element::u8};
  }
};

struct KnnBaseOptions {
  KnnSpace space = KnnSpace::l2;
  // Keeps a copy of the rows in 8 bits a component. It makes batches about four times as fast where the processor
  // multiplies bytes (VNNI, AMX), and single queries too, of which the time goes into reading; the copy takes as long
  // to make as some twenty queries take.
  bool codes = true;
  std::size_t threads = 1;  // for the making of the copy; 0: all there are
  // For tests: another instruction set than isa_in_use(), or one without some of its parts. Refused where the support
  // lacks it.
  std::optional<Isa> isa = std::nullopt;
  IsaSupport support = isa_support();
};

// Rows made ready to be searched, beside the caller's own, which it refers to: they stay where they are, unchanged, for
// as long as it is used. Takes 8 bytes a row, and dim (rounded up to 4; with AMX, from 32 on, to 64) + 8 more with
// codes. May be searched from several threads at once.
class KnnBase {
 public:
  // Throws invalid_argument for a dimension of 0 or above kDimMax or a stride shorter than a row, unsupported for 2^32
  // rows or more, out_of_memory, and what kernels::distances() throws.
  KnnBase(const KnnRows& rows, const KnnBaseOptions& options);
  ~KnnBase();
  KnnBase(KnnBase&&) noexcept;
  KnnBase& operator=(KnnBase&&) noexcept;

  static constexpr std::size_t kDimMax = std::size_t{1} << 20;

  const KnnRows& rows() const noexcept;
  KnnSpace space() const noexcept;
  bool has_codes() const noexcept;
  // What it holds beside the caller's rows.
  std::size_t memory_bytes() const noexcept;

  // The caller's rows stand elsewhere now, and are the same. No search may be under way.
  void moved(const void* data) noexcept;

  struct Parts;  // knn_base.h
  const Parts& parts() const noexcept { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

// How rows are looked at. The answer is the same; automatic takes the fastest that there is.
enum class KnnPath {
  automatic,
  plain,   // in double, each of them
  rows,    // in fp32, as they stand: for few queries
  floats,  // in fp32, tiles of rows against tiles of queries: for batches
  codes,   // in 8 bits, then those that may be near in double
};

// "automatic", "plain", "rows", "floats", "codes".
std::string_view name(KnnPath path) noexcept;

struct KnnQuery {
  const float* data = nullptr;  // `count` queries of the base's dimension
  std::size_t count = 0;
  std::size_t stride = 0;  // floats from query to query; 0 means the dimension
  std::size_t k = 10;      // answers to each; 1 or more, also more than there are rows
  // Rows that may be answered: bit r % 64 of allowed[r / 64]. Null: all.
  const std::uint64_t* allowed = nullptr;
  std::size_t threads = 1;  // 0: all there are; the base keeps them for the next search
  KnnPath path = KnnPath::automatic;
};

// Fills a query's place in a table when it has fewer than k answers.
inline constexpr std::uint32_t kNoRow32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kNoRow64 = std::numeric_limits<std::uint64_t>::max();

// Row numbers and distances of the nearest rows to each query, nearest first, in tables of count x k. Returns how many
// answers each query has: k, or as many rows as there are and are allowed; the rest of a query's places is filled with
// kNoRow and infinity. Throws invalid_argument for k = 0 or a path that the base has nothing for, out_of_memory.
std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint32_t* rows, float* distances);
std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint64_t* rows, float* distances);

}  // namespace boon::kernels
