// For tests: packing at speed puts every element where the layouts say, and 0 where there is none.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_testing.h"
#include "boon/layout/layout.h"

namespace boon::kernels {

template <class Element>
Element element_to_pack(Random& random) {
  const std::uint64_t bits = random.next();
  if constexpr (std::is_same_v<Element, float>) return static_cast<float>(bits % 1000) + 1;
  if constexpr (std::is_same_v<Element, Bf16>) return {static_cast<std::uint16_t>(bits % 0x7f00 + 1)};
  if constexpr (std::is_same_v<Element, std::int8_t>) return static_cast<std::int8_t>(bits);
}

// pack(from, to) packs a strip of kStrip rows.
template <class Source, std::size_t kStrip, class Pack>
void expect_packed_as_layouts_say(Pack pack) {
  using Element = typename Source::Element;
  using Unit = typename Source::Unit;
  using Packed = decltype(Source::packed(Element{}));
  constexpr std::size_t kDepth = Source::kDepth;
  Random random(1);
  for (const Lies lies : kLies) {
    for (std::size_t rows = 1; rows <= 2 * kStrip + 1; rows += rows < 20 ? 1 : 5) {
      for (const std::size_t depth : {1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130}) {
        TestMatrix<Element> from(rows, depth, lies);
        from.fill([&] { return element_to_pack<Element>(random); });
        const std::size_t units = (depth + kDepth - 1) / kDepth;
        std::vector<Unit> to(kStrip * units + kPackSlack);
        pack(*from, to.data());

        const layout::Layout strip = packed_strip(kStrip, kDepth, units);
        for (std::size_t row = 0; row < kStrip; ++row) {
          for (std::size_t k = 0; k < units * kDepth; ++k) {
            const bool inside = row < rows && k < depth;
            const Packed expected = Source::packed(inside ? (*from)(row, k) : Element{});
            Packed packed;
            std::memcpy(&packed, reinterpret_cast<const Packed*>(to.data()) + strip(row, k), sizeof packed);
            ASSERT_EQ(std::memcmp(&packed, &expected, sizeof packed), 0)
                << rows << " x " << depth << ", lies " << static_cast<int>(lies) << ", at " << row << ", " << k;
          }
        }
      }
    }
  }
}

}  // namespace boon::kernels
