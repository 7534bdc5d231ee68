// Internal: the inner loops of exact search, a table for each instruction set.
//
// Rows are scored a panel at a time against a tile of queries. A row's score t is larger for nearer rows. A row is a
// hit, and is reported, if its score reaches what the query still takes in this panel,
//
//   base[query] - first[query] * panel.first - second[query] * panel.second,
//
// where the products bound what the score may be wrong by (knn_bounds.h). Accumulators start from the row's start less
// that number, so that a hit is a sign bit that is clear, and a tile without hits, as nearly all are, costs one branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "boon/kernels/element.h"
#include "boon/kernels/knn_strips.h"

namespace boon::kernels {

inline constexpr std::size_t kKnnTileQueriesMax = 32;
inline constexpr std::size_t kKnnReachedMultiple = 16;

// What the queries of a tile take. Beyond `count`, base is infinite, so that there are no hits.
struct alignas(64) KnnTile {
  float base[kKnnTileQueriesMax];
  float first[kKnnTileQueriesMax];
  float second[kKnnTileQueriesMax];
  std::size_t count = 0;
};

// How wrong the scores of a panel may be, and what is added to those of its rows.
struct KnnPanels {
  std::size_t count = 0;
  const float* first = nullptr;  // of each panel, as above
  const float* second = nullptr;
  const float* starts = nullptr;  // of each row; null: 0
};

template <class Score>
struct KnnHit {
  std::uint32_t query;  // in the tile
  std::uint32_t row;    // in the panels
  Score score;
};

// A panel of floats is a strip of panel_rows, and so is a tile of queries (float_strip, knn_strips.h).
template <class Element>
struct KnnFraming {
  // Writes out[i] = row[i] * scale - center[i] and returns the largest of them, in size.
  float (*frame)(const Element* row, std::size_t dim, float scale, const float* center, float* out) noexcept;
  // Frames `count` rows, at most panel_rows, each by its own scale, into a panel. Absent rows become zeros.
  void (*pack)(const Element* const* rows, std::size_t count, std::size_t dim, const float* scales, const float* center,
               float* panel) noexcept;
};

struct KnnFloatKernels {
  std::size_t panel_rows;
  std::size_t tile_queries;

  std::tuple<KnnFraming<float>, KnnFraming<std::uint8_t>, KnnFraming<Fp16>, KnnFraming<Bf16>> framings;
  template <class Element>
  const KnnFraming<Element>& framing() const noexcept {
    return std::get<KnnFraming<Element>>(framings);
  }

  // Writes the nearest whole numbers to values / step, which fit a byte, and returns the sum of (value - step *
  // code)^2.
  float (*encode)(const float* values, std::size_t dim, float step, std::int8_t* codes) noexcept;

  // `low`, or a larger number that k of `count` values reach, and few more than k do. `low` is finite, the values are
  // or are minus infinity, and `count` is a multiple of kKnnReachedMultiple. Halving an interval costs a fraction of
  // nth_element, of which no branch can be foreseen.
  float (*reached_by)(const float* values, std::size_t count, std::size_t k, float low) noexcept;

  // How many queries stand side by side in the strip of a tile of `count`; those beyond `count` are zeros.
  std::size_t (*tile_width)(std::size_t count) noexcept;
  // Writes hits, at most panel_rows * tile.count a panel, and returns how many.
  std::size_t (*scan)(const KnnPanels& panels, const float* packed, std::size_t dim, const KnnTile& tile,
                      const float* queries, KnnHit<float>* hits) noexcept;
};

extern const KnnFloatKernels kKnnFloatsScalar;
extern const KnnFloatKernels kKnnFloatsAvx2;
extern const KnnFloatKernels kKnnFloatsAvx512;

// Rows of a panel of codes.
inline constexpr std::size_t kKnnCodePanelRows = 128;

struct KnnCodePanels : KnnPanels {
  const std::uint8_t* packed = nullptr;
  std::size_t row_bytes = 0;              // a multiple of row_bytes_multiple
  const float* inverse_scales = nullptr;  // of each panel: 1 / what a step of its codes stands for
  const float* largest_starts = nullptr;  // of each panel, in size
};

struct KnnCodeTile : KnnTile {
  float inverse_scale = 1;  // 1 / what a step of the queries' codes stands for
  // Of each query: row_offset times the sum of its codes, which is in all of its sums.
  std::int32_t offsets[kKnnTileQueriesMax];
};

// A panel of codes is strips of block_rows, each a code_strip (knn_strips.h); a tile of queries lies as query_layout
// says.
//
// A component is a whole number from -code_max to code_max, in rows with row_offset added. A score counts steps: the
// sum of products plus the start, which is multiplied by the tile's inverse_scale and rounded.
struct KnnCodeKernels {
  std::string_view name;
  int code_max;
  int row_offset;
  std::size_t block_rows;          // side by side in a strip
  std::size_t row_bytes_multiple;  // 4, or 64 for tiles of AMX
  std::size_t tile_queries;

  layout::Layout (*query_layout)(std::size_t width);
  std::size_t (*tile_width)(std::size_t count) noexcept;
  // As above; at most kKnnCodePanelRows * tile.count hits a panel.
  std::size_t (*scan)(const KnnCodePanels& panels, const KnnCodeTile& tile, const std::int8_t* queries,
                      KnnHit<std::int32_t>* hits) noexcept;
};

extern const KnnCodeKernels kKnnCodesScalar;
extern const KnnCodeKernels kKnnCodesAvx2;
extern const KnnCodeKernels kKnnCodesAvx512;
extern const KnnCodeKernels kKnnCodesVnni;
extern const KnnCodeKernels kKnnCodesAmx;

}  // namespace boon::kernels
