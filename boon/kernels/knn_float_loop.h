// Internal: the fp32 loop of exact search, written once for every width. A file per instruction set defines Lanes,
// includes this inside its target region and fills its table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "boon/kernels/knn_kernels.h"

namespace boon::kernels {

// Lanes has Float, kLanes, kAllSigns, kQueries (of a full tile, beside two vectors of rows in registers), zero(), load,
// store, widen(pointer to elements), broadcast(pointer), subtract, multiply, rounded by itself, multiply_add(x,
// y, sum), larger(x, y), size(x), both(x, y), which ands bits, signs(v), a bit a lane, list_clear(v, first, out), which
// appends the numbers of lanes whose sign is clear, counted from `first`, and may write kLanes of them, round(x), to
// the nearest whole numbers, convert, which makes floats of these, store_bytes, which makes bytes of them, and
// transpose, which exchanges rows and columns of a square of lanes.
template <class Lanes>
struct KnnFloatLoop {
  using Float = typename Lanes::Float;
  static constexpr std::size_t kLanes = Lanes::kLanes;
  static constexpr std::size_t kRows = 2 * kLanes;  // of a panel
  static constexpr int kHalvings = 8;

  template <std::size_t kCount>
  static void thresholds(const KnnPanels& panels, std::size_t panel, const KnnTile& tile, float* out) noexcept {
    const Float first = Lanes::broadcast(panels.first + panel), second = Lanes::broadcast(panels.second + panel);
    for (std::size_t q = 0; q < kCount; q += kLanes) {
      const Float less_one =
          Lanes::subtract(Lanes::load(tile.base + q), Lanes::multiply(Lanes::load(tile.first + q), first));
      Lanes::store(out + q, Lanes::subtract(less_one, Lanes::multiply(Lanes::load(tile.second + q), second)));
    }
  }

  // kRows rows with kQueries queries: sum j is that of query j / 2 and of half j % 2 of the rows. All is unrolled by
  // packs, as g++ keeps an array in registers only if none of its indices is left to run time.
  template <std::size_t kQueries>
  struct Tile {
    static constexpr std::size_t kSums = 2 * kQueries;
    using Every = std::make_index_sequence<kSums>;

    template <std::size_t... J>
    [[gnu::always_inline]] static inline void step(Float (&sums)[kSums], const float* rows, const float* queries,
                                                   std::index_sequence<J...>) noexcept {
      const Float halves[2] = {Lanes::load(rows), Lanes::load(rows + kLanes)};
      ((sums[J] = Lanes::multiply_add(halves[J % 2], Lanes::broadcast(queries + J / 2), sums[J])), ...);
    }

    // Appends the rows that reach a threshold.
    template <std::size_t... J>
    [[gnu::always_inline]] static inline KnnHit<float>* score(const float* rows, const float* starts, std::size_t dim,
                                                              const float* queries, const float* thresholds,
                                                              std::size_t first_row, KnnHit<float>* hit,
                                                              std::index_sequence<J...>) noexcept {
      const Float halves[2] = {Lanes::load(starts), Lanes::load(starts + kLanes)};
      Float sums[kSums];
      ((sums[J] = Lanes::subtract(halves[J % 2], Lanes::broadcast(thresholds + J / 2))), ...);
      for (std::size_t i = 0; i < dim; ++i) {
        step(sums, rows, queries, Every{});
        rows += kRows;
        queries += kQueries;
      }
      Float all = sums[0];
      ((all = Lanes::both(all, sums[J])), ...);
      if (Lanes::signs(all) == Lanes::kAllSigns) [[likely]]
        return hit;
      // No branch tells one sum from another, as none could be foreseen.
      alignas(64) float excess[kSums * kLanes];
      std::uint32_t reached[kSums * kLanes + kLanes];
      std::uint32_t* end = reached;
      ((Lanes::store(excess + J * kLanes, sums[J]), end = Lanes::list_clear(sums[J], J * kLanes, end)), ...);
      for (const std::uint32_t* i = reached; i != end; ++i) {
        const std::uint32_t q = *i / kRows;
        *hit++ = {q, static_cast<std::uint32_t>(first_row + *i % kRows), excess[*i] + thresholds[q]};
      }
      return hit;
    }

    static std::size_t scan(const KnnPanels& panels, const float* packed, std::size_t dim, const KnnTile& tile,
                            const float* queries, KnnHit<float>* hits) noexcept {
      alignas(64) static constexpr float kNoStarts[kRows] = {};
      alignas(64) float reach[kKnnTileQueriesMax];
      KnnHit<float>* hit = hits;
      for (std::size_t panel = 0; panel < panels.count; ++panel) {
        thresholds<kQueries>(panels, panel, tile, reach);
        const float* starts = panels.starts == nullptr ? kNoStarts : panels.starts + panel * kRows;
        hit = score(packed + panel * kRows * dim, starts, dim, queries, reach, panel * kRows, hit, Every{});
      }
      return static_cast<std::size_t>(hit - hits);
    }
  };

  // Full tiles, two thirds, a third, and a query alone.
  static constexpr std::size_t kQueries = Lanes::kQueries;
  static_assert(kQueries % 3 == 0 && kQueries <= kKnnTileQueriesMax && kKnnTileQueriesMax % kLanes == 0);

  static std::size_t tile_width(std::size_t count) noexcept {
    if (count > kQueries * 2 / 3) return kQueries;
    if (count > kQueries / 3) return kQueries * 2 / 3;
    return count > 1 ? kQueries / 3 : 1;
  }

  static std::size_t scan(const KnnPanels& panels, const float* packed, std::size_t dim, const KnnTile& tile,
                          const float* queries, KnnHit<float>* hits) noexcept {
    switch (tile_width(tile.count)) {
      case 1:
        return Tile<1>::scan(panels, packed, dim, tile, queries, hits);
      case kQueries:
        return Tile<kQueries>::scan(panels, packed, dim, tile, queries, hits);
      case kQueries * 2 / 3:
        return Tile<kQueries * 2 / 3>::scan(panels, packed, dim, tile, queries, hits);
      default:
        return Tile<kQueries / 3>::scan(panels, packed, dim, tile, queries, hits);
    }
  }

  // A row's end, with zeros after it, as one vector.
  template <class Element>
  struct Rest {
    alignas(64) Element values[kLanes] = {};
    Rest(const Element* begin, const Element* end) noexcept { std::memcpy(values, begin, (end - begin) * sizeof *end); }
  };

  template <class Element>
  static float frame(const Element* row, std::size_t dim, float scale, const float* center, float* out) noexcept {
    const Float by = Lanes::broadcast(&scale);
    const auto framed = [&](const Element* x, const float* less) {
      return Lanes::subtract(Lanes::multiply(Lanes::widen(x), by), Lanes::load(less));
    };
    Float largest = Lanes::zero();
    std::size_t i = 0;
    for (; i + kLanes <= dim; i += kLanes) {
      const Float values = framed(row + i, center + i);
      Lanes::store(out + i, values);
      largest = Lanes::larger(largest, Lanes::size(values));
    }
    alignas(64) float lanes[kLanes];
    if (i < dim) {
      const Float values =
          framed(Rest<Element>(row + i, row + dim).values, Rest<float>(center + i, center + dim).values);
      Lanes::store(lanes, values);
      std::memcpy(out + i, lanes, (dim - i) * sizeof *out);
      largest = Lanes::larger(largest, Lanes::size(values));
    }
    Lanes::store(lanes, largest);
    return *std::max_element(lanes, lanes + kLanes);
  }

  static float encode(const float* values, std::size_t dim, float step, std::int8_t* codes) noexcept {
    const float inverse = 1 / step;
    const Float by = Lanes::broadcast(&inverse), steps = Lanes::broadcast(&step);
    Float sums = Lanes::zero();
    const auto encode_lanes = [&](const float* from, std::int8_t* to) {
      const Float value = Lanes::load(from);
      const auto code = Lanes::round(Lanes::multiply(value, by));
      Lanes::store_bytes(to, code);
      const Float rest = Lanes::subtract(value, Lanes::multiply(steps, Lanes::convert(code)));
      sums = Lanes::multiply_add(rest, rest, sums);
    };
    std::size_t i = 0;
    for (; i + kLanes <= dim; i += kLanes) encode_lanes(values + i, codes + i);
    if (i < dim) {
      std::int8_t last[kLanes];
      encode_lanes(Rest<float>(values + i, values + dim).values, last);
      std::memcpy(codes + i, last, dim - i);
    }
    alignas(64) float lanes[kLanes];
    Lanes::store(lanes, sums);
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
  }

  // kLanes components of kLanes rows, in the columns of a strip.
  template <class Element>
  static void pack_square(const Element* const* rows, std::size_t count, std::size_t i, const float* scales,
                          const float* center, float* out) noexcept {
    Float square[kLanes];
    const Float less = Lanes::load(center + i);
    for (std::size_t row = 0; row < kLanes; ++row) {
      square[row] =
          row < count
              ? Lanes::subtract(Lanes::multiply(Lanes::widen(rows[row] + i), Lanes::broadcast(scales + row)), less)
              : Lanes::zero();
    }
    Lanes::transpose(square);
    for (std::size_t j = 0; j < kLanes; ++j) Lanes::store(out + (i + j) * kRows, square[j]);
  }

  template <class Element>
  static void pack(const Element* const* rows, std::size_t count, std::size_t dim, const float* scales,
                   const float* center, float* panel) noexcept {
    const std::size_t whole = dim / kLanes * kLanes;
    for (std::size_t half = 0; half < kRows; half += kLanes) {
      const std::size_t present = std::min(std::max(count, half) - half, kLanes);
      for (std::size_t i = 0; i < whole; i += kLanes) {
        pack_square(rows + half, present, i, scales + half, center, panel + half);
      }
    }
    for (std::size_t i = whole; i < dim; ++i) {
      for (std::size_t row = 0; row < kRows; ++row) {
        panel[i * kRows + row] = row < count ? to_float(rows[row][i]) * scales[row] - center[i] : 0;
      }
    }
  }

  static float reached_by(const float* values, std::size_t count, std::size_t k, float low) noexcept {
    static_assert(kKnnReachedMultiple % kLanes == 0);
    Float largest = Lanes::load(values);
    for (std::size_t i = kLanes; i < count; i += kLanes) largest = Lanes::larger(largest, Lanes::load(values + i));
    alignas(64) float lanes[kLanes];
    Lanes::store(lanes, largest);
    float high = *std::max_element(lanes, lanes + kLanes);
    if (!(low < high)) return low;
    for (int step = 0; step < kHalvings; ++step) {
      const float middle = low + (high - low) / 2;
      const Float least = Lanes::broadcast(&middle);
      std::size_t reach = 0;
      for (std::size_t i = 0; i < count; i += kLanes) {
        const std::uint32_t fall_short = Lanes::signs(Lanes::subtract(Lanes::load(values + i), least));
        reach += kLanes - static_cast<std::size_t>(__builtin_popcount(fall_short));
      }
      if (reach >= k) low = middle;
      if (reach <= k) high = middle;
    }
    return low;
  }

  template <class Element>
  static constexpr KnnFraming<Element> kFraming = {frame<Element>, pack<Element>};

  static constexpr KnnFloatKernels table() noexcept {
    return {.panel_rows = kRows,
            .tile_queries = kQueries,
            .framings = {kFraming<float>, kFraming<std::uint8_t>, kFraming<Fp16>, kFraming<Bf16>},
            .encode = encode,
            .reached_by = reached_by,
            .tile_width = tile_width,
            .scan = scan};
  }
};

}  // namespace boon::kernels
