#include "boon/kernels/knn_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "boon/kernels/knn_base.h"
#include "boon/kernels/knn_strips.h"

namespace boon::kernels {
namespace {

// Steps stay where their products and inverses do.
constexpr float kStepMin = 0x1p-40f;
constexpr double kStartMax = 0x1p29;

// Rows in the order of their largest component, to 64 sizes for each power of two; equal ones by number.
std::vector<std::uint32_t> order_by(const std::vector<float>& largest) {
  constexpr int kShift = 23 - 6;
  std::vector<std::uint32_t> begin((std::size_t{1} << (31 - kShift)) + 1);
  const auto bucket = [](float size) { return std::bit_cast<std::uint32_t>(size) >> kShift; };
  for (const float size : largest) ++begin[bucket(size) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> order(largest.size());
  for (std::uint32_t row = 0; row < largest.size(); ++row) order[begin[bucket(largest[row])]++] = row;
  return order;
}

// One panel's rows, framed and encoded.
class PanelMaker {
 public:
  PanelMaker(const KnnBase::Parts& base, KnnCodes& codes)
      : base_(base),
        codes_(codes),
        framed_(base.rows.dim),
        coded_(base.rows.dim),
        strip_(code_strip(codes.kernels->block_rows)),
        strip_step_(strip_(0, 4)),
        bytes_(codes.row_bytes, static_cast<std::uint8_t>(codes.kernels->row_offset)) {}

  void make(std::size_t panel, float largest) {
    const KnnCodeKernels& kernels = *codes_.kernels;
    const float step = base_.frame.whole && kernels.code_max == 127
                           ? 1
                           : std::max(largest / static_cast<float>(kernels.code_max), kStepMin);
    double rest = 0, longest = 0;
    float largest_start = 0;
    for (std::size_t place = panel * kKnnCodePanelRows; place < (panel + 1) * kKnnCodePanelRows; ++place) {
      const std::uint32_t row = codes_.rows[place];
      if (row == kNoRow32) {
        std::fill(coded_.begin(), coded_.end(), std::int8_t{0});
      } else {
        frame_row(base_, row, framed_.data());
        const float squares = base_.floats->encode(framed_.data(), framed_.size(), step, coded_.data());
        // Summed in fp32, so right to (dim + 4) 2^-24: below 2^-10.
        rest = std::max(rest, std::sqrt(double{squares} * (1 + 0x1p-10)));
        longest = std::max(longest, KnnBase::Parts::length_of(base_.half_squares[row]));
      }
      if (!codes_.starts.empty()) {
        const float start = row == kNoRow32 ? 0 : -base_.half_squares[row] / step;
        codes_.starts[place] = start;
        largest_start = std::max(largest_start, -start);
      }
      put(place);
    }
    const KnnBounds bounds = base_.bounds();
    codes_.steps[panel] = step;
    codes_.inverse_steps[panel] = 1 / step;
    codes_.first[panel] = bounds.first_of_coded_panel(rest, longest);
    codes_.second[panel] = bounds.second_of_coded_panel(longest);
    codes_.largest_starts[panel] = largest_start;
  }

 private:
  void put(std::size_t place) noexcept {
    const KnnCodeKernels& kernels = *codes_.kernels;
    const std::size_t block = place / kernels.block_rows;
    auto* at = reinterpret_cast<std::uint8_t*>(codes_.packed.data()) + block * kernels.block_rows * codes_.row_bytes +
               strip_(place % kernels.block_rows, 0);
    std::transform(coded_.begin(), coded_.end(), bytes_.begin(),
                   [&](int code) { return static_cast<std::uint8_t>(code + kernels.row_offset); });
    for (std::size_t i = 0; i < codes_.row_bytes; i += 4, at += strip_step_) std::memcpy(at, bytes_.data() + i, 4);
  }

  const KnnBase::Parts& base_;
  KnnCodes& codes_;
  std::vector<float> framed_;
  std::vector<std::int8_t> coded_;
  layout::Layout strip_;
  std::int64_t strip_step_;          // from four components to the next
  std::vector<std::uint8_t> bytes_;  // as they are packed; those past the dimension are codes of 0
};

}  // namespace

KnnCodePanels KnnCodes::from(std::size_t panel, std::size_t count) const noexcept {
  KnnCodePanels panels;
  panels.count = count;
  panels.first = first.data() + panel;
  panels.second = second.data() + panel;
  panels.starts = starts.empty() ? nullptr : starts.data() + panel * kKnnCodePanelRows;
  panels.packed = reinterpret_cast<const std::uint8_t*>(packed.data()) + panel * kKnnCodePanelRows * row_bytes;
  panels.row_bytes = row_bytes;
  panels.inverse_scales = inverse_steps.data() + panel;
  panels.largest_starts = largest_starts.data() + panel;
  return panels;
}

std::size_t KnnCodes::memory_bytes() const noexcept {
  return packed.capacity() + rows.capacity() * sizeof(std::uint32_t) +
         (starts.capacity() + 5 * steps.capacity()) * sizeof(float);
}

KnnCodes make_codes(const KnnBase::Parts& base, const KnnCodeKernels& kernels, ThreadPool& pool) {
  KnnCodes codes;
  codes.kernels = &kernels;
  const std::size_t count = base.rows.count, multiple = kernels.row_bytes_multiple;
  codes.row_bytes = (base.rows.dim + multiple - 1) / multiple * multiple;

  std::vector<float> largest(count);
  constexpr std::size_t kGrain = 1024;
  pool.for_each((count + kGrain - 1) / kGrain, 1, [&](std::size_t chunk, std::size_t) {
    std::vector<float> framed(base.rows.dim);
    for (std::size_t row = chunk * kGrain; row < std::min(count, (chunk + 1) * kGrain); ++row) {
      largest[row] = frame_row(base, row, framed.data());
    }
  });
  codes.rows = order_by(largest);

  const std::size_t panels = (count + kKnnCodePanelRows - 1) / kKnnCodePanelRows;
  codes.rows.resize(panels * kKnnCodePanelRows, kNoRow32);
  codes.packed.reserve(panels * kKnnCodePanelRows * codes.row_bytes);
  if (base.space == KnnSpace::l2) codes.starts.resize(codes.rows.size());
  for (auto* of_panels : {&codes.steps, &codes.inverse_steps, &codes.first, &codes.second, &codes.largest_starts}) {
    of_panels->resize(panels);
  }
  pool.for_each(panels, 8, [&](std::size_t panel, std::size_t) {
    float of_panel = 0;
    for (std::size_t i = 0; i < kKnnCodePanelRows; ++i) {
      const std::uint32_t row = codes.rows[panel * kKnnCodePanelRows + i];
      if (row != kNoRow32) of_panel = std::max(of_panel, largest[row]);
    }
    PanelMaker(base, codes).make(panel, of_panel);
  });
  for (const float start : codes.largest_starts) codes.largest_start = std::max(codes.largest_start, start);
  return codes;
}

float query_step(const KnnBase::Parts& base, const std::vector<float>& framed_query) noexcept {
  const auto is_code = [](float x) { return x >= -128 && x <= 127 && x == std::floor(x); };
  const float least = std::max(kStepMin, static_cast<float>(base.codes->largest_start / kStartMax));
  if (base.frame.whole && least <= 1 && std::all_of(framed_query.begin(), framed_query.end(), is_code)) return 1;
  float largest = 0;
  for (const float x : framed_query) largest = std::max(largest, std::abs(x));
  return std::max(largest / 127, least);
}

}  // namespace boon::kernels
