// Exact search the plain way: every allowed row in double.
#include "boon/kernels/knn_search.h"

namespace boon::kernels {

void search_plain(const KnnPiece& piece, std::span<KnnNearest> found) {
  const KnnBase::Parts& base = piece.base;
  ExactQuery exact(*base.exact, base.rows, base.space, base.inverse_lengths.data());
  for (std::size_t i = 0; i < piece.queries; ++i) {
    exact.set(piece.values(i));
    for (std::size_t j = piece.begin; j < piece.end; ++j) {
      const std::uint32_t row = piece.row(j);
      if (piece.allows(row)) found[i].offer({exact.key(row), row});
    }
  }
}

}  // namespace boon::kernels
