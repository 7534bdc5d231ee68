#include "boon/kernels/knn.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/kernels/knn_search.h"

namespace boon::kernels {
namespace {

// Queries that pass over the rows together: their packed form streams from the second-level cache.
constexpr std::size_t kBatchMax = 1024;
// Queries that are worth a pass of their own, on a thread of its own.
constexpr std::size_t kBatchMin = 48;

std::vector<std::uint32_t> rows_allowed(const std::uint64_t* allowed, std::size_t rows) {
  std::vector<std::uint32_t> list;
  for (std::size_t word = 0; word * 64 < rows; ++word) {
    for (std::uint64_t bits = allowed[word]; bits != 0; bits &= bits - 1) {
      const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (row < rows) list.push_back(static_cast<std::uint32_t>(row));
    }
  }
  return list;
}

// Cuts [0, count) into `parts`, of which the i-th begins here.
std::size_t cut(std::size_t count, std::size_t parts, std::size_t i) noexcept {
  return count / parts * i + std::min(i, count % parts);
}

class Search {
 public:
  Search(const KnnBase::Parts& base, const KnnQuery& query) : base_(base), query_(query) {
    if (query.k == 0) throw Error(ErrorCode::invalid_argument, "k is 0: ask for 1 nearest row or more");
    if (query.allowed != nullptr) listed_ = rows_allowed(query.allowed, base.rows.count);
    scanned_ = query.allowed != nullptr ? listed_.size() : base.rows.count;
    answers_ = std::min(query.k, scanned_);
    path_ = choose_path();
  }

  template <class Row>
  std::size_t run(Row* rows, float* distances) {
    if (answers_ > 0 && query_.count > 0) search();
    for (std::size_t i = 0; i < query_.count; ++i) {
      Row* row = rows + i * query_.k;
      float* distance = distances + i * query_.k;
      if (answers_ > 0) {
        for (const KnnAnswer& answer : merged(i)) {
          *row++ = answer.row;
          *distance++ = ExactQuery::distance(base_.space, answer.key);
        }
      }
      std::fill_n(row, query_.k - answers_, std::numeric_limits<Row>::max());
      std::fill_n(distance, query_.k - answers_, std::numeric_limits<float>::infinity());
    }
    return answers_;
  }

 private:
  KnnPath choose_path() const {
    if (query_.path == KnnPath::codes && !base_.codes) {
      throw Error(ErrorCode::invalid_argument, "the base holds no codes: build it with them, or take another path");
    }
    const KnnPath path = query_.path == KnnPath::automatic ? best_path() : query_.path;
    if (path == KnnPath::rows && rows_suit(base_)) return path;
    if (!base_.fits) return KnnPath::plain;
    return path == KnnPath::rows ? KnnPath::floats : path;
  }

  KnnPath best_path() const noexcept {
    if (answers_ > scanned_ / 4) return KnnPath::plain;
    if (base_.codes) return KnnPath::codes;
    return query_.count < 8 ? KnnPath::rows : KnnPath::floats;
  }

  void search() {
    base_.threads.with(query_.threads, [&](ThreadPool& pool) { search(pool); });
  }

  void search(ThreadPool& pool) {
    // By queries as far as there are enough for every thread, else by rows too.
    const std::size_t batches = std::max((query_.count + kBatchMax - 1) / kBatchMax,
                                         std::min(pool.size(), (query_.count + kBatchMin - 1) / kBatchMin));
    const std::size_t units = path_ == KnnPath::codes ? base_.codes->panels() : scanned_;
    parts_ = std::clamp<std::size_t>((pool.size() + batches - 1) / batches, 1, units);
    nearest_.resize(query_.count * parts_);
    for (KnnNearest& nearest : nearest_) nearest.reset(answers_);
    pool.for_each(batches * parts_, 1, [&](std::size_t task, std::size_t) {
      const std::size_t batch = task / parts_, part = task % parts_;
      const std::size_t first = cut(query_.count, batches, batch), last = cut(query_.count, batches, batch + 1);
      const KnnPiece piece{.base = base_,
                           .query = query_,
                           .first_query = first,
                           .queries = last - first,
                           .begin = cut(units, parts_, part),
                           .end = cut(units, parts_, part + 1),
                           .listed = query_.allowed != nullptr && path_ != KnnPath::codes ? &listed_ : nullptr};
      search(piece, std::span(nearest_).subspan(part * query_.count + first, last - first));
    });
  }

  void search(const KnnPiece& piece, std::span<KnnNearest> found) const {
    switch (path_) {
      case KnnPath::rows:
        return search_rows(piece, found);
      case KnnPath::floats:
        return search_floats(piece, found);
      case KnnPath::codes:
        return search_codes(piece, found);
      case KnnPath::plain:
      case KnnPath::automatic:
        return search_plain(piece, found);
    }
  }

  // Of what each part of the rows found for a query; nearest first.
  const std::vector<KnnAnswer>& merged(std::size_t number) {
    KnnNearest& nearest = nearest_[number];
    for (std::size_t part = 1; part < parts_; ++part) {
      for (const KnnAnswer& answer : nearest_[part * query_.count + number].found()) nearest.offer(answer);
    }
    return nearest.sorted();
  }

  const KnnBase::Parts& base_;
  const KnnQuery& query_;
  std::vector<std::uint32_t> listed_;  // rows that are allowed, if not all are
  std::size_t scanned_ = 0;
  std::size_t answers_ = 0;
  KnnPath path_ = KnnPath::plain;
  std::size_t parts_ = 1;
  std::vector<KnnNearest> nearest_;  // of all queries in the first part of the rows, then in the next
};

template <class Row>
std::size_t search(const KnnBase& base, const KnnQuery& query, Row* rows, float* distances) {
  try {
    return Search(base.parts(), query).run(rows, distances);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "no memory to search for " + std::to_string(query.k) + " nearest rows to " +
                                              std::to_string(query.count) + " queries: ask for fewer at a time");
  }
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

std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint32_t* rows, float* distances) {
  return search(base, query, rows, distances);
}

std::size_t knn(const KnnBase& base, const KnnQuery& query, std::uint64_t* rows, float* distances) {
  return search(base, query, rows, distances);
}

}  // namespace boon::kernels
