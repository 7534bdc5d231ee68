// Exact search over codes with AMX: a tile of 16 rows meets 16 queries in one instruction, 64 components deep.
//
// Four tiles hold sums, so that the next product never waits for the one before it: of two tiles of queries with two of
// rows, or, for few queries, of one with four. A tile of rows, which comes from the second-level cache, is thus
// multiplied twice; those of queries come from the first, or, where 64 components are all there are, stay in registers.
#ifndef __clang__
// g++ 12 warns of its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "boon/core/check.h"
#include "boon/kernels/knn_kernels.h"
#include "boon/kernels/knn_lanes_avx512.h"
#include "boon/kernels/target.h"
#include "boon/kernels/tile_config.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,amx-tile,amx-int8,amx-bf16")
#include "boon/kernels/amx_tiles.h"
#include "boon/kernels/knn_code_loop.h"

namespace boon::kernels {
namespace {

constexpr std::size_t kTileSize = kTileRows * kTileBytes;

// Up to 16 queries, or up to 32: one tile of them or two.
template <int kQueryTiles>
class AmxScan {
  using Lanes = KnnLanesAvx512;
  using Int = Lanes::Int;
  using Hit = KnnHit<std::int32_t>;

 public:
  static constexpr std::size_t kQueries = kQueryTiles * kTileRows;

  static std::size_t run(const KnnCodePanels& panels, const KnnCodeTile& tile, const std::int8_t* queries,
                         Hit* hits) noexcept {
    AmxScan scan(panels.row_bytes, tile.count, queries);
    alignas(64) std::int32_t starts[kKnnCodePanelRows];
    alignas(64) std::int32_t reach[2][kQueries];
    const bool starting = panels.starts != nullptr;
    Block before;
    Hit* hit = hits;
    for (std::size_t panel = 0; panel < panels.count; ++panel) {
      const std::size_t first = panel * kKnnCodePanelRows;
      code_thresholds<Lanes, kQueries>(panels, panel, tile, reach[panel % 2]);
      if (starting) round_starts(panels.starts + first, tile.inverse_scale, starts);
      for (std::size_t row = 0; row < kKnnCodePanelRows; row += kRows) {
        // The sums of the block before are compared while these products are under way.
        scan.multiply(panels.packed + (first + row) * panels.row_bytes, starting ? starts + row : nullptr);
        hit = scan.take(before, hit);
        scan.store();
        before = {first + row, reach[panel % 2]};
      }
    }
    return static_cast<std::size_t>(scan.take(before, hit) - hits);
  }

 private:
  static constexpr int kSums = 4;
  static constexpr int kRowTiles = kSums / kQueryTiles;
  static constexpr std::size_t kRows = kRowTiles * kTileRows;
  static_assert(kKnnCodePanelRows % kRows == 0);
  // Tiles: sums, of which that of row tile r and query tile q is r * kQueryTiles + q; then queries; then rows, by
  // turns.
  static constexpr int kQueriesAt = kSums;
  static constexpr int kRowsAt = kSums + 2;
  using EverySum = std::make_integer_sequence<int, kSums>;
  using EveryQueryTile = std::make_integer_sequence<int, kQueryTiles>;
  using EveryRowTile = std::make_integer_sequence<int, kRowTiles>;

  // Scored rows, and what each query takes of them; null before the first block.
  struct Block {
    std::size_t first_row = 0;
    const std::int32_t* reach = nullptr;
  };

  AmxScan(std::size_t row_bytes, std::size_t count, const std::int8_t* queries) noexcept
      : row_bytes_(row_bytes), count_(count), queries_(queries), tiles_(config(count)) {
    BOON_DCHECK(row_bytes % kTileBytes == 0 && count > kQueries - kTileRows && count <= kQueries);
    load_queries(queries, EveryQueryTile{});
  }

  // Absent queries take no time: a product takes as many cycles as its first operand has rows.
  static constexpr std::size_t queries_in(std::size_t count, std::size_t query_tile) noexcept {
    return std::min(count - query_tile * kTileRows, kTileRows);
  }
  static TileConfig config(std::size_t count) noexcept {
    TileConfig config;
    for (std::size_t q = 0; q < kQueryTiles; ++q) {
      config.set(kQueriesAt + q, queries_in(count, q), kTileBytes);
      for (std::size_t r = 0; r < kRowTiles; ++r) config.set(r * kQueryTiles + q, queries_in(count, q), kTileBytes);
    }
    for (std::size_t r = 0; r < 2; ++r) config.set(kRowsAt + r, kTileRows, kTileBytes);
    return config;
  }

  static void round_starts(const float* starts, float inverse_scale, std::int32_t* out) noexcept {
    const Lanes::Float scale = Lanes::broadcast(&inverse_scale);
    for (std::size_t i = 0; i < kKnnCodePanelRows; i += Lanes::kLanes) {
      Lanes::store(out + i, Lanes::round(Lanes::multiply(Lanes::load(starts + i), scale)));
    }
  }

  // All queries start from the same numbers: rows of a tile that are no bytes apart.
  template <int... sum>
  void begin(const std::int32_t* starts, std::integer_sequence<int, sum...>) noexcept {
    if (starts == nullptr) return (tiles_.template zero<sum>(), ...);
    (tiles_.template load<sum>(starts + sum / kQueryTiles * kTileRows, 0), ...);
  }
  template <int... q>
  void load_queries(const std::int8_t* queries, std::integer_sequence<int, q...>) noexcept {
    (tiles_.template load<kQueriesAt + q>(queries + q * kTileSize, kTileBytes), ...);
  }
  template <int r, int... q>
  void multiply_row_tile(const std::uint8_t* rows, std::integer_sequence<int, q...>) noexcept {
    tiles_.template load<kRowsAt + r % 2>(rows + r * kTileRows * row_bytes_, kTileBytes);
    (tiles_.template multiply_s8<r * kQueryTiles + q, kQueriesAt + q, kRowsAt + r % 2>(), ...);
  }
  template <int... r>
  void multiply_row_tiles(const std::uint8_t* rows, std::integer_sequence<int, r...>) noexcept {
    (multiply_row_tile<r>(rows, EveryQueryTile{}), ...);
  }

  void multiply(const std::uint8_t* rows, const std::int32_t* starts) noexcept {
    begin(starts, EverySum{});
    const bool queries_stay = row_bytes_ == kTileBytes;
    const std::int8_t* queries = queries_;
    for (std::size_t i = 0; i < row_bytes_; i += kTileBytes) {
      if (!queries_stay) load_queries(queries, EveryQueryTile{});
      multiply_row_tiles(rows, EveryRowTile{});
      rows += kTileSize;
      queries += kQueryTiles * kTileSize;
    }
  }

  template <int... sum>
  void store(std::integer_sequence<int, sum...>) noexcept {
    (tiles_.template store<sum>(sums_[sum], sizeof sums_[sum][0]), ...);
  }
  void store() noexcept { store(EverySum{}); }

  // By how much the largest score that query i of tile q has with these rows passes its threshold, lane by lane.
  Int excess(std::size_t q, std::size_t i, const std::int32_t* threshold) const noexcept {
    Int largest = Lanes::load_words(sums_[q][i]);
    BOON_UNROLL(4)
    for (std::size_t r = 1; r < kRowTiles; ++r) {
      largest = _mm512_max_epi32(largest, Lanes::load_words(sums_[r * kQueryTiles + q][i]));
    }
    return Lanes::subtract(largest, Lanes::broadcast(threshold));
  }

  // Appends the rows that reach a threshold.
  Hit* take(Block block, Hit* hit) const noexcept {
    if (block.reach == nullptr) return hit;
    Int all = _mm512_set1_epi32(-1);
    for (std::size_t q = 0; q < kQueryTiles; ++q) {
      const std::size_t count = queries_in(count_, q);
      const std::int32_t* thresholds = block.reach + q * kTileRows;
      for (std::size_t i = 0; i < count; ++i) all = _mm512_max_epi32(all, excess(q, i, thresholds + i));
    }
    if (Lanes::signs(all) == Lanes::kAllSigns) [[likely]]
      return hit;
    return append(block, hit);
  }

  [[gnu::noinline]] Hit* append(Block block, Hit* hit) const noexcept {
    std::uint32_t reached[sizeof sums_ / sizeof(std::int32_t) + Lanes::kLanes];
    std::uint32_t* end = reached;
    for (std::size_t query = 0; query < count_; ++query) {
      const std::size_t q = query / kTileRows, i = query % kTileRows;
      const std::int32_t* threshold = block.reach + query;
      if (Lanes::signs(excess(q, i, threshold)) == Lanes::kAllSigns) continue;
      for (std::size_t r = 0; r < kRowTiles; ++r) {
        const std::size_t sum = r * kQueryTiles + q;
        const Int passed = Lanes::subtract(Lanes::load_words(sums_[sum][i]), Lanes::broadcast(threshold));
        end = Lanes::list_clear(passed, static_cast<std::uint32_t>((sum * kTileRows + i) * kTileRows), end);
      }
    }
    for (const std::uint32_t* at = reached; at != end; ++at) {
      const std::size_t lane = *at % kTileRows, i = *at / kTileRows % kTileRows, sum = *at / (kTileRows * kTileRows);
      *hit++ = {static_cast<std::uint32_t>(sum % kQueryTiles * kTileRows + i),
                static_cast<std::uint32_t>(block.first_row + sum / kQueryTiles * kTileRows + lane),
                sums_[sum][i][lane]};
    }
    return hit;
  }

  std::size_t row_bytes_;
  std::size_t count_;
  const std::int8_t* queries_;
  // One block's are enough: they are read before the next ones' tiles, which had no need of them so far, are stored.
  alignas(64) std::int32_t sums_[kSums][kTileRows][kTileRows];
  AmxTiles tiles_;
};

std::size_t tile_width(std::size_t count) noexcept {
  return count > kTileRows ? 2 * kTileRows : kTileRows;
}

std::size_t scan(const KnnCodePanels& panels, const KnnCodeTile& tile, const std::int8_t* queries,
                 KnnHit<std::int32_t>* hits) noexcept {
  return tile.count > kTileRows ? AmxScan<2>::run(panels, tile, queries, hits)
                                : AmxScan<1>::run(panels, tile, queries, hits);
}

}  // namespace

// Both operands are signed, so there is no offset.
constinit const KnnCodeKernels kKnnCodesAmx = {.name = "amx",
                                               .code_max = 127,
                                               .row_offset = 0,
                                               .block_rows = kTileRows,
                                               .row_bytes_multiple = kTileBytes,
                                               .tile_queries = 2 * kTileRows,
                                               .query_layout = code_tiles,
                                               .tile_width = tile_width,
                                               .scan = scan};

}  // namespace boon::kernels
BOON_TARGET_END
