// Exact search over codes: whole numbers tell which rows may be near, and these are compared in double.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "boon/core/buffer.h"
#include "boon/kernels/knn_batch.h"
#include "boon/kernels/knn_search.h"

namespace boon::kernels {
namespace {

// Codes that stay in the second-level cache while all queries pass over them.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kBlockPanelsMax = 16;

// As many rows as the piece's panels hold, by number: over all pieces, each row once.
KnnPiece by_number(KnnPiece piece) noexcept {
  piece.begin = std::min(piece.begin * kKnnCodePanelRows, piece.base.rows.count);
  piece.end = std::min(piece.end * kKnnCodePanelRows, piece.base.rows.count);
  return piece;
}

class CodeSearch {
 public:
  CodeSearch(const KnnPiece& piece, std::span<KnnNearest> found)
      : piece_(piece),
        base_(piece.base),
        codes_(*base_.codes),
        kernels_(*codes_.kernels),
        batch_(piece, by_number(piece), found) {
    panels_ = std::clamp<std::size_t>(kBlockBytes / (kKnnCodePanelRows * codes_.row_bytes), 1, kBlockPanelsMax);
    hits_.resize(panels_ * kKnnCodePanelRows * std::min(kernels_.tile_queries, batch_.members().size()));
    pack_queries();
  }

  // piece.begin and .end are panels.
  void run() {
    if (batch_.members().empty()) return;
    // Short blocks at first: until it has met some rows, a query takes all.
    std::size_t count = 1;
    for (std::size_t begin = piece_.begin; begin < piece_.end; begin += count, count = std::min(2 * count, panels_)) {
      const KnnCodePanels panels = codes_.from(begin, std::min(count, piece_.end - begin));
      for (std::size_t tile = 0; tile < tiles_.size(); ++tile) scan(panels, begin, tile);
    }
    batch_.settle_all();
  }

 private:
  std::int8_t* packed_queries(std::size_t tile) noexcept {
    return reinterpret_cast<std::int8_t*>(queries_.data()) + tile * kernels_.tile_queries * codes_.row_bytes;
  }
  KnnBatch::Member& member(std::size_t tile, std::size_t q) noexcept {
    return batch_.members()[tile * kernels_.tile_queries + q];
  }

  // Queries of like steps share a tile, and its step.
  void pack_queries() {
    auto& members = batch_.members();
    for (KnnBatch::Member& member : members) member.step = query_step(base_, member.framed.values);
    std::stable_sort(members.begin(), members.end(),
                     [](const KnnBatch::Member& a, const KnnBatch::Member& b) { return a.step < b.step; });
    const std::size_t width = kernels_.tile_queries;
    tiles_.resize((members.size() + width - 1) / width);
    queries_.reserve(tiles_.size() * width * codes_.row_bytes);
    for (std::size_t t = 0; t < tiles_.size(); ++t) pack_tile(t, std::min(width, members.size() - t * width));
  }

  void pack_tile(std::size_t t, std::size_t count) {
    KnnCodeTile& tile = tiles_[t];
    tile.count = count;
    const float step = member(t, count - 1).step;
    tile.inverse_scale = 1 / step;
    const std::size_t width = kernels_.tile_width(count), dim = base_.rows.dim;
    const KnnBounds& bounds = batch_.bounds();
    const layout::Layout place = kernels_.query_layout(width);
    std::vector<std::int8_t> code(codes_.row_bytes);
    for (std::size_t q = 0; q < kKnnTileQueriesMax; ++q) {
      tile.base[q] = std::numeric_limits<float>::infinity();
      tile.first[q] = tile.second[q] = 0;
      tile.offsets[q] = 0;
      if (q >= count) continue;
      KnnBatch::Member& of = member(t, q);
      of.step = step;
      const float squares = base_.floats->encode(of.framed.values.data(), dim, step, code.data());
      std::int32_t sum = 0;
      double coded = 0;
      for (std::size_t i = 0; i < dim; ++i) {
        sum += code[i];
        coded += code[i] * code[i];
      }
      for (std::size_t i = 0; i < code.size(); i += 4) std::memcpy(packed_queries(t) + place(q, i), &code[i], 4);
      tile.offsets[q] = sum * kernels_.row_offset;
      of.first = tile.first[q] = bounds.first_of_coded_query(std::sqrt(coded) * step);
      of.second = tile.second[q] =
          bounds.second_of_coded_query(std::sqrt(double{squares} * (1 + 0x1p-10)), of.framed.length, base_.longest);
      set_base(tile, q, of);
    }
  }

  void set_base(KnnTile& tile, std::size_t q, KnnBatch::Member& member) const noexcept {
    const double tau = member.candidates.tau();
    member.constant = batch_.bounds().of_coded_query(member.framed.length, base_.longest, tau);
    tile.base[q] = float_below(tau - member.constant);
  }

  void scan(const KnnCodePanels& panels, std::size_t begin, std::size_t t) {
    KnnCodeTile& tile = tiles_[t];
    const std::size_t count = kernels_.scan(panels, tile, packed_queries(t), hits_.data());
    std::uint32_t full = 0;  // a bit a query
    for (std::size_t i = 0; i < count; ++i) {
      const KnnHit<std::int32_t>& hit = hits_[i];
      const std::uint32_t row = codes_.rows[begin * kKnnCodePanelRows + hit.row];
      if (row == kNoRow32) continue;
      const std::size_t panel = hit.row / kKnnCodePanelRows;
      KnnBatch::Member& of = member(t, hit.query);
      const double slack = 3 + double{panels.largest_starts[panel]} * tile.inverse_scale * 0x1p-21;
      const double step = double{of.step} * codes_.steps[begin + panel];
      if (batch_.take(of, row, hit.score * step, slack * step, panels.first[panel], panels.second[panel]))
        full |= 1u << hit.query;
    }
    for (; full != 0; full &= full - 1) {
      const auto q = static_cast<std::size_t>(__builtin_ctz(full));
      batch_.settle(member(t, q));
      set_base(tile, q, member(t, q));
    }
  }

  const KnnPiece& piece_;
  const KnnBase::Parts& base_;
  const KnnCodes& codes_;
  const KnnCodeKernels& kernels_;
  KnnBatch batch_;
  std::size_t panels_ = 1;  // of a block
  std::vector<KnnCodeTile> tiles_;
  PageBuffer queries_;
  std::vector<KnnHit<std::int32_t>> hits_;
};

}  // namespace

void search_codes(const KnnPiece& piece, std::span<KnnNearest> found) {
  CodeSearch(piece, found).run();
}

}  // namespace boon::kernels
