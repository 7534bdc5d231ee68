// Internal: the loop over codes of exact search, written once for every width. A file per instruction set defines
// Lanes, includes this inside its target region and fills its table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "boon/kernels/knn_float_loop.h"
#include "boon/kernels/knn_kernels.h"

namespace boon::kernels {

// What the first kCount queries, and up to a whole vector, take of a panel: rounded to steps, and lowered by what
// rounding may have added: 1 step here, 1 in the start, and 2^-22 of the start in its conversion. Clamped where no
// score can be (|score| < 2^29, knn_bounds.h), so that sums do not overflow.
template <class Lanes, std::size_t kCount>
void code_thresholds(const KnnCodePanels& panels, std::size_t panel, const KnnCodeTile& tile,
                     std::int32_t* out) noexcept {
  using Float = typename Lanes::Float;
  alignas(64) float reach[kKnnTileQueriesMax];
  KnnFloatLoop<Lanes>::template thresholds<kCount>(panels, panel, tile, reach);
  const float to_steps = panels.inverse_scales[panel] * tile.inverse_scale;
  const float slack = 3 + panels.largest_starts[panel] * tile.inverse_scale * 0x1p-21f;
  const Float factor = Lanes::broadcast(&to_steps), less = Lanes::broadcast(&slack);
  for (std::size_t q = 0; q < kCount; q += Lanes::kLanes) {
    const Float steps = Lanes::subtract(Lanes::multiply(Lanes::load(reach + q), factor), less);
    const auto whole = Lanes::round(Lanes::clamp(steps, 0x1p30f));
    Lanes::store(out + q, Lanes::add(whole, Lanes::load_words(tile.offsets + q)));
  }
}

// Lanes has what KnnFloatLoop needs, clamp(x, limit), and Int with load,
// broadcast(pointer to four bytes or to a number), add, subtract, both, signs, list_clear, store, and add_products(sum,
// rows, queries), which adds to each lane four products of an unsigned byte and a signed one. kCodeQueries are those of
// a full tile, kCodeMax and kRowOffset as in KnnCodeKernels.
template <class Lanes>
struct KnnCodeLoop {
  using Float = typename Lanes::Float;
  using Int = typename Lanes::Int;
  static constexpr std::size_t kLanes = Lanes::kLanes;
  static constexpr std::size_t kRows = 2 * kLanes;  // scored at once
  static_assert(kKnnCodePanelRows % kRows == 0);

  // As KnnFloatLoop::Tile, in whole numbers.
  template <std::size_t kQueries>
  struct Tile {
    static constexpr std::size_t kSums = 2 * kQueries;
    using Every = std::make_index_sequence<kSums>;

    template <std::size_t... J>
    [[gnu::always_inline]] static inline void step(Int (&sums)[kSums], const std::uint8_t* rows,
                                                   const std::int8_t* queries, std::index_sequence<J...>) noexcept {
      const auto low = Lanes::load(rows), high = Lanes::load(rows + 4 * kLanes);
      ((sums[J] = Lanes::add_products(sums[J], J % 2 == 0 ? low : high, Lanes::broadcast(queries + 4 * (J / 2)))), ...);
    }

    template <std::size_t... J>
    [[gnu::always_inline]] static inline KnnHit<std::int32_t>* score(
        const std::uint8_t* rows, Int low_start, Int high_start, std::size_t row_bytes, const std::int8_t* queries,
        const std::int32_t* thresholds, const KnnCodeTile& tile, std::size_t first_row, KnnHit<std::int32_t>* hit,
        std::index_sequence<J...>) noexcept {
      const Int halves[2] = {low_start, high_start};
      Int sums[kSums];
      ((sums[J] = Lanes::subtract(halves[J % 2], Lanes::broadcast(thresholds + J / 2))), ...);
      for (std::size_t i = 0; i < row_bytes; i += 4) {
        step(sums, rows, queries, Every{});
        rows += 4 * kRows;
        queries += 4 * kQueries;
      }
      Int all = sums[0];
      ((all = Lanes::both(all, sums[J])), ...);
      if (Lanes::signs(all) == Lanes::kAllSigns) [[likely]]
        return hit;
      alignas(64) std::int32_t excess[kSums * kLanes];
      std::uint32_t reached[kSums * kLanes + kLanes];
      std::uint32_t* end = reached;
      ((Lanes::store(excess + J * kLanes, sums[J]), end = Lanes::list_clear(sums[J], J * kLanes, end)), ...);
      for (const std::uint32_t* i = reached; i != end; ++i) {
        const std::uint32_t q = *i / kRows;
        if (q >= tile.count) break;
        *hit++ = {q, static_cast<std::uint32_t>(first_row + *i % kRows),
                  excess[*i] + (thresholds[q] - tile.offsets[q])};
      }
      return hit;
    }

    static std::size_t scan(const KnnCodePanels& panels, const KnnCodeTile& tile, const std::int8_t* queries,
                            KnnHit<std::int32_t>* hits) noexcept {
      alignas(64) std::int32_t reach[kKnnTileQueriesMax];
      const Float scale = Lanes::broadcast(&tile.inverse_scale);
      KnnHit<std::int32_t>* hit = hits;
      for (std::size_t panel = 0; panel < panels.count; ++panel) {
        code_thresholds<Lanes, kQueries>(panels, panel, tile, reach);
        for (std::size_t row = panel * kKnnCodePanelRows; row < (panel + 1) * kKnnCodePanelRows; row += kRows) {
          Int low = Lanes::no_words(), high = Lanes::no_words();
          if (panels.starts != nullptr) {
            low = Lanes::round(Lanes::multiply(Lanes::load(panels.starts + row), scale));
            high = Lanes::round(Lanes::multiply(Lanes::load(panels.starts + row + kLanes), scale));
          }
          hit = score(panels.packed + row * panels.row_bytes, low, high, panels.row_bytes, queries, reach, tile, row,
                      hit, Every{});
        }
      }
      return static_cast<std::size_t>(hit - hits);
    }
  };

  static constexpr std::size_t kQueries = Lanes::kCodeQueries;
  static_assert(kQueries % 3 == 0 && kQueries <= kKnnTileQueriesMax);

  static std::size_t tile_width(std::size_t count) noexcept {
    if (count > kQueries * 2 / 3) return kQueries;
    if (count > kQueries / 3) return kQueries * 2 / 3;
    return count > 1 ? kQueries / 3 : 1;
  }

  static std::size_t scan(const KnnCodePanels& panels, const KnnCodeTile& tile, const std::int8_t* queries,
                          KnnHit<std::int32_t>* hits) noexcept {
    switch (tile_width(tile.count)) {
      case 1:
        return Tile<1>::scan(panels, tile, queries, hits);
      case kQueries:
        return Tile<kQueries>::scan(panels, tile, queries, hits);
      case kQueries * 2 / 3:
        return Tile<kQueries * 2 / 3>::scan(panels, tile, queries, hits);
      default:
        return Tile<kQueries / 3>::scan(panels, tile, queries, hits);
    }
  }

  static constexpr KnnCodeKernels table(std::string_view name) noexcept {
    return {.name = name,
            .code_max = Lanes::kCodeMax,
            .row_offset = Lanes::kRowOffset,
            .block_rows = kRows,
            .row_bytes_multiple = 4,
            .tile_queries = kQueries,
            .query_layout = code_strip,
            .tile_width = tile_width,
            .scan = scan};
  }
};

}  // namespace boon::kernels
