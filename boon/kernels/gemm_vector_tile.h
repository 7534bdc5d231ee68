// Internal: the tile of C that GemmLoops (gemm_loops.h) asks for, on vectors: strips packed from the Kernel's sources,
// multiplied by micro-kernels of each size.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "boon/kernels/gemm_microkernel.h"
#include "boon/kernels/gemm_pack.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {
namespace {

template <class Kernel>
struct VectorTile : Kernel {
  using Element = typename Kernel::LeftSource::Element;
  using Unit = typename Kernel::Unit;
  using Sum = typename Kernel::Sum;
  using Update = typename Kernel::Update;
  static constexpr std::size_t kRows = Kernel::kVectors * Kernel::kWidth;
  static constexpr std::size_t kColumns = Kernel::kColumns;
  static constexpr std::size_t kDepth = Kernel::LeftSource::kDepth;
  static constexpr std::size_t kUnitsMultiple = 1;
  struct State {};

  static constexpr std::size_t left_strip(std::size_t units) noexcept { return kBiasUnits + kRows * units; }
  static constexpr std::size_t right_strip(std::size_t units) noexcept { return kColumns * units; }

  static void pack_left(Matrix<const Element> from, Unit* to) noexcept {
    StripPacker<typename Kernel::LeftSource, kRows>::pack(from, to + kBiasUnits);
    if constexpr (Kernel::kBias) Kernel::put_bias(to + kBiasUnits, (from.columns + kDepth - 1) / kDepth, to);
  }
  static void pack_right(Matrix<const Element> from, Unit* to) noexcept {
    StripPacker<typename Kernel::RightSource, kColumns>::pack(from, to);
  }
  static void multiply(State& /*none*/, const Unit* left, const Unit* right, std::size_t units, Update update,
                       TileOfC<Sum> c) noexcept {
    constexpr std::size_t kSteps = kColumns / Kernel::kColumnStep;
    static constexpr auto kMicro = micro_table(std::make_index_sequence<Kernel::kVectors * kSteps>{});
    kMicro[(c.rows - 1) / Kernel::kWidth * kSteps + (c.columns - 1) / Kernel::kColumnStep](left, right, units, update,
                                                                                           c);
  }

 private:
  static constexpr std::size_t kBiasUnits = Kernel::kBias ? kRows : 0;
  static_assert(kColumns % Kernel::kColumnStep == 0);

  using Micro = void (*)(const Unit* left, const Unit* right, std::size_t units, Update update,
                         TileOfC<Sum> c) noexcept;

  template <std::size_t vectors, std::size_t columns>
  static void packed_micro(const Unit* left, const Unit* right, std::size_t units, Update update,
                           TileOfC<Sum> c) noexcept {
    MicroKernel<Kernel, vectors, columns>::run(PackedLeft<Kernel>{left}, PackedRight<Kernel>{right}, units, update, c);
  }

  template <std::size_t... i>
  static constexpr auto micro_table(std::index_sequence<i...> /*cells*/) noexcept {
    constexpr std::size_t kSteps = kColumns / Kernel::kColumnStep;
    return std::array<Micro, sizeof...(i)>{packed_micro<i / kSteps + 1, (i % kSteps + 1) * Kernel::kColumnStep>...};
  }
};

}  // namespace
}  // namespace boon::kernels
