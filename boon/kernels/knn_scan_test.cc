// The loops over codes, by themselves: their hits are the rows that reach what a query takes, none more and none less.
// Answers would not show a hit too many, as what follows sorts it out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/random.h"
#include "boon/kernels/amx_trap.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/knn_kernels.h"

namespace boon::kernels {
namespace {

std::vector<const KnnCodeKernels*> code_kernels() {
  const IsaSupport have = isa_support();
  std::vector<const KnnCodeKernels*> present{&kKnnCodesScalar};
  if (have.avx2) present.push_back(&kKnnCodesAvx2);
  if (have.avx512) present.push_back(&kKnnCodesAvx512);
  if (have.avx512_vnni) present.push_back(&kKnnCodesVnni);
  if (have.avx512) present.push_back(&kKnnCodesAmx);  // its tiles, if need be, in software
  return present;
}

using Hits = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>>;

// Panels of codes and a tile of queries, drawn. What a query takes differs from panel to panel, since their steps do,
// and 3 steps of rounding are all that may be wrong with a score.
class Scan {
 public:
  Scan(const KnnCodeKernels& kernels, std::size_t dim, std::size_t queries, bool starting)
      : kernels_(kernels),
        dim_(dim),
        row_bytes_((dim + kernels.row_bytes_multiple - 1) / kernels.row_bytes_multiple * kernels.row_bytes_multiple),
        random_(dim * 1009 + queries),
        rows_(draw(kRows)),
        queries_(draw(queries)),
        starts_(kRows) {
    for (float& start : starts_) start = -static_cast<float>(random_.below(1000));
    pack_rows();
    pack_queries();
    panels_.count = kPanels;
    panels_.first = panels_.second = kNone;
    panels_.starts = starting ? starts_.data() : nullptr;
    panels_.packed = reinterpret_cast<const std::uint8_t*>(packed_rows_.data());
    panels_.row_bytes = row_bytes_;
    panels_.inverse_scales = kInverseScales;
    panels_.largest_starts = starting ? kLargestStarts : kNone;
  }

  Hits expected() const {
    Hits hits;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t q = 0; q < tile_.count; ++q) {
        const std::int32_t score = score_of(row, q);
        const float least = tile_.base[q] * kInverseScales[row / kKnnCodePanelRows];
        if (score >= static_cast<std::int32_t>(least) - 3)
          hits.emplace_back(static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(row), score);
      }
    }
    std::sort(hits.begin(), hits.end());
    return hits;
  }
  Hits found() const {
    std::vector<KnnHit<std::int32_t>> out(kRows * tile_.count);
    out.resize(kernels_.scan(panels_, tile_, reinterpret_cast<const std::int8_t*>(packed_queries_.data()), out.data()));
    Hits hits;
    for (const auto& hit : out) hits.emplace_back(hit.query, hit.row, hit.score);
    std::sort(hits.begin(), hits.end());
    return hits;
  }

 private:
  static constexpr std::size_t kPanels = 3, kRows = kPanels * kKnnCodePanelRows;
  static constexpr float kNone[kPanels] = {}, kInverseScales[kPanels] = {1, 0.5, 2},
                         kLargestStarts[kPanels] = {1000, 1000, 1000};
  using Codes = std::vector<std::vector<int>>;

  Codes draw(std::size_t count) {
    Codes codes(count, std::vector<int>(dim_));
    const int most = kernels_.code_max;
    for (auto& code : codes) {
      for (int& value : code) value = static_cast<int>(random_.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
    }
    return codes;
  }

  // Also past the dimension codes of 0.
  int code(const Codes& codes, std::size_t i, std::size_t component) const {
    return component < dim_ ? codes[i][component] : 0;
  }

  void pack_rows() {
    packed_rows_.reserve(kRows * row_bytes_);
    const std::size_t width = kernels_.block_rows;
    const layout::Layout strip = code_strip(width);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < row_bytes_; ++i) {
        packed_rows_.data()[row / width * width * row_bytes_ + static_cast<std::size_t>(strip(row % width, i))] =
            static_cast<std::byte>(code(rows_, row, i) + kernels_.row_offset);
      }
    }
  }

  // A third of the queries take many rows, a third few, and a third none.
  void pack_queries() {
    tile_.count = queries_.size();
    std::fill_n(tile_.base, kKnnTileQueriesMax, std::numeric_limits<float>::infinity());
    std::fill_n(tile_.first, kKnnTileQueriesMax, 0.0f);
    std::fill_n(tile_.second, kKnnTileQueriesMax, 0.0f);
    std::fill_n(tile_.offsets, kKnnTileQueriesMax, 0);
    packed_queries_.reserve(kernels_.tile_queries * row_bytes_);
    const layout::Layout place = kernels_.query_layout(kernels_.tile_width(tile_.count));
    const double spread = kernels_.code_max * 127 * std::sqrt(static_cast<double>(dim_)) / 3;
    for (std::size_t q = 0; q < tile_.count; ++q) {
      for (std::size_t i = 0; i < row_bytes_; ++i) {
        packed_queries_.data()[place(q, i)] = static_cast<std::byte>(code(queries_, q, i));
        tile_.offsets[q] += code(queries_, q, i) * kernels_.row_offset;
      }
      const double least = spread * (q % 3 == 0 ? 0.5 : q % 3 == 1 ? 2.5 : 100);
      tile_.base[q] = static_cast<float>(2 * std::floor(least / 2));  // a whole number in every panel
    }
  }

  std::int32_t score_of(std::size_t row, std::size_t q) const {
    std::int32_t score = panels_.starts == nullptr ? 0 : static_cast<std::int32_t>(starts_[row]);
    for (std::size_t i = 0; i < dim_; ++i) score += rows_[row][i] * queries_[q][i];
    return score;
  }

  const KnnCodeKernels& kernels_;
  std::size_t dim_, row_bytes_;
  Random random_;
  Codes rows_, queries_;
  std::vector<float> starts_;
  PageBuffer packed_rows_, packed_queries_;
  KnnCodePanels panels_;
  KnnCodeTile tile_;
};

TEST(KnnCodeScans, HitsAreTheRowsThatReach) {
  std::optional<AmxTrap> trap;
  if (!isa_support().has(Isa::amx)) trap.emplace();
  for (const KnnCodeKernels* kernels : code_kernels()) {
    for (const std::size_t dim : {1, 40, 64, 65, 128, 200}) {
      std::size_t hits = 0;
      for (std::size_t queries = 1; queries <= kernels->tile_queries; queries += dim == 65 ? 1 : 5) {
        for (const bool starting : {false, true}) {
          const Scan scan(*kernels, dim, queries, starting);
          const Hits expected = scan.expected();
          hits += expected.size();
          ASSERT_EQ(scan.found(), expected)
              << kernels->name << ", " << queries << " queries, d " << dim << (starting ? ", with starts" : "");
        }
      }
      EXPECT_GT(hits, 30u);
    }
  }
  EXPECT_FALSE(AmxTrap::tiles_in_use());
}

}  // namespace
}  // namespace boon::kernels
