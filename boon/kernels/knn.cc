#include "boon/kernels/knn.h"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/knn_base.h"
#include "boon/kernels/knn_nearest.h"

namespace boon::kernels {
namespace {

bool is_allowed(const std::uint64_t* allowed, std::size_t row) noexcept {
  return allowed == nullptr || ((allowed[row / 64] >> (row % 64)) & 1) != 0;
}

std::size_t count_allowed(const std::uint64_t* allowed, std::size_t rows) noexcept {
  if (allowed == nullptr) return rows;
  std::size_t count = 0;
  for (std::size_t word = 0; word < rows / 64; ++word) {
    count += static_cast<std::size_t>(__builtin_popcountll(allowed[word]));
  }
  if (rows % 64 == 0) return count;
  const std::uint64_t last = allowed[rows / 64] & ((std::uint64_t{1} << (rows % 64)) - 1);
  return count + static_cast<std::size_t>(__builtin_popcountll(last));
}

// Every allowed row in double.
void search_plain(const KnnBase::Parts& base, const KnnQuery& query, std::size_t number, KnnNearest& nearest) {
  ExactQuery exact(*base.exact, base.rows, base.space, base.inverse_lengths.data());
  exact.set(query.data + number * (query.stride == 0 ? base.rows.dim : query.stride));
  for (std::size_t row = 0; row < base.rows.count; ++row) {
    if (is_allowed(query.allowed, row)) nearest.offer({exact.key(row), static_cast<std::uint32_t>(row)});
  }
}

template <class Row>
std::size_t search(const KnnBase::Parts& base, const KnnQuery& query, Row* rows, float* distances) {
  if (query.k == 0) throw Error(ErrorCode::invalid_argument, "k is 0: ask for 1 nearest row or more");
  const std::size_t answers = std::min(query.k, count_allowed(query.allowed, base.rows.count));
  ThreadPool pool(query.count > 1 ? query.threads : 1);
  std::vector<KnnNearest> nearest(pool.size());
  pool.for_each(query.count, 1, [&](std::size_t number, std::size_t worker) {
    KnnNearest& found = nearest[worker];
    found.reset(answers);
    if (answers > 0) search_plain(base, query, number, found);
    Row* row = rows + number * query.k;
    float* distance = distances + number * query.k;
    for (const KnnAnswer& answer : found.sorted()) {
      *row++ = answer.row;
      *distance++ = ExactQuery::distance(base.space, answer.key);
    }
    std::fill_n(row, query.k - answers, std::numeric_limits<Row>::max());
    std::fill_n(distance, query.k - answers, std::numeric_limits<float>::infinity());
  });
  return answers;
}

}  // namespace

std::string_view name(KnnPath path) noexcept {
  switch (path) {
    case KnnPath::plain:
      return "plain";
    case KnnPath::rows:
      return "rows";
    case KnnPath::floats:
      return "floats";
    case KnnPath::codes:
      return "codes";
    case KnnPath::automatic:
      break;
  }
  return "automatic";
}

KnnBase::KnnBase(const KnnRows& rows, const KnnBaseOptions& options) : parts_(std::make_unique<Parts>()) {
  if (rows.dim == 0 || rows.dim > kDimMax) {
    throw Error(ErrorCode::invalid_argument,
                "rows of " + std::to_string(rows.dim) + " components: there may be 1 to " + std::to_string(kDimMax));
  }
  const std::size_t row_bytes = rows.dim * (rows.bytes ? 1 : sizeof(float));
  if (rows.stride_bytes < row_bytes) {
    throw Error(ErrorCode::invalid_argument, "rows of " + std::to_string(row_bytes) + " bytes cannot stand " +
                                                 std::to_string(rows.stride_bytes) + " bytes apart");
  }
  if (rows.count >= kNoRow32) {
    throw Error(ErrorCode::unsupported,
                std::to_string(rows.count) + " rows: exact search takes up to 4,294,967,294; search them in parts");
  }
  const Isa isa = options.isa.value_or(distances().isa);
  if (distances(isa) == nullptr) {
    throw Error(ErrorCode::unsupported, "this processor has no " + std::string(name(isa)));
  }
  parts_->rows = rows;
  parts_->space = options.space;
  parts_->isa = isa;
  parts_->exact = &kExactScalar;
  if (options.space == KnnSpace::cosine) {
    parts_->inverse_lengths.resize(rows.count);
    inverse_lengths(*parts_->exact, rows, 0, rows.count, parts_->inverse_lengths.data());
  }
}

KnnBase::~KnnBase() = default;
KnnBase::KnnBase(KnnBase&&) noexcept = default;
KnnBase& KnnBase::operator=(KnnBase&&) noexcept = default;

const KnnRows& KnnBase::rows() const noexcept {
  return parts_->rows;
}

KnnSpace KnnBase::space() const noexcept {
  return parts_->space;
}

bool KnnBase::has_codes() const noexcept {
  return false;
}

std::size_t KnnBase::memory_bytes() const noexcept {
  return parts_->inverse_lengths.capacity() * sizeof(double);
}

void KnnBase::moved(const void* data) noexcept {
  parts_->rows.data = data;
}

std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint32_t* rows, float* distances) {
  return search(base.parts(), query, rows, distances);
}

std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint64_t* rows, float* distances) {
  return search(base.parts(), query, rows, distances);
}

}  // namespace boon::kernels
