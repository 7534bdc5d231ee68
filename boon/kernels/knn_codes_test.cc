// Packed rows: every instruction set makes the floats and codes of the plain loop, and puts them where the layout of a
// strip says.
#include "boon/kernels/knn_codes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "boon/kernels/knn_base.h"
#include "boon/kernels/knn_strips.h"
#include "boon/kernels/knn_testing.h"

namespace boon::kernels {
namespace {

std::vector<const KnnFloatKernels*> float_kernels() {
  std::vector<const KnnFloatKernels*> present{&kKnnFloatsScalar};
  if (isa_support().has(Isa::avx2)) present.push_back(&kKnnFloatsAvx2);
  if (isa_support().has(Isa::avx512)) present.push_back(&kKnnFloatsAvx512);
  return present;
}

// The vectors of one dimension, in a buffer that ends with the row, so that a sanitizer sees who reads on.
struct Vectors {
  std::vector<float> row, center;
  std::vector<std::uint8_t> bytes;
  std::vector<Fp16> fp16;
  std::vector<Bf16> bf16;

  explicit Vectors(std::size_t dim) : row(dim), center(dim), bytes(dim) {
    Random random(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      row[i] = static_cast<float>(random.normal());
      center[i] = static_cast<float>(random.normal());
      bytes[i] = static_cast<std::uint8_t>(random.below(256));
    }
    for (const float x : row) {
      fp16.push_back(to_fp16(x));
      bf16.push_back(to_bf16(x));
    }
  }
};

template <class Element>
std::vector<float> framed_plainly(const std::vector<Element>& row, float scale, const std::vector<float>& center) {
  std::vector<float> out(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const volatile float product = to_float(row[i]) * scale;  // rounded, whatever -march says
    out[i] = product - center[i];
  }
  return out;
}

float largest_of(const std::vector<float>& values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(KnnFrames, AreTheSameBitsByEveryInstructionSet) {
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    const Vectors v(dim);
    for (const KnnFloatKernels* kernels : float_kernels()) {
      const auto check = [&]<class Element>(const std::vector<Element>& row) {
        const std::vector<float> expected = framed_plainly(row, 0.7f, v.center);
        std::vector<float> found(dim);
        EXPECT_EQ(kernels->framing<Element>().frame(row.data(), dim, 0.7f, v.center.data(), found.data()),
                  largest_of(expected));
        EXPECT_EQ(found, expected);
      };
      check(v.row);
      check(v.bytes);
      check(v.fp16);
      check(v.bf16);
    }
  }
}

TEST(KnnFloats, StandWhereTheLayoutOfAStripSays) {
  for (const KnnFloatKernels* kernels : float_kernels()) {
    const std::size_t width = kernels->panel_rows;
    const layout::Layout strip = float_strip(width);
    for (const std::size_t dim : {1, 3, 8, 16, 21, 37}) {
      std::vector<Vectors> rows;
      for (std::size_t row = 0; row < width; ++row) rows.emplace_back(dim);
      for (std::size_t row = 0; row < width; ++row) rows[row].row[row % dim] = static_cast<float>(row);
      const std::vector<float>& center = rows[0].center;
      for (const std::size_t count : {std::size_t{1}, width / 2 - 1, width / 2 + 1, width}) {
        std::vector<const float*> floats;
        std::vector<const std::uint8_t*> bytes;
        std::vector<float> scales;
        for (std::size_t row = 0; row < count; ++row) {
          floats.push_back(rows[row].row.data());
          bytes.push_back(rows[row].bytes.data());
          scales.push_back(std::ldexp(1.0f, static_cast<int>(row % 4) - 2));
        }
        std::vector<float> packed(width * dim, NAN), packed_bytes(width * dim, NAN);
        kernels->framing<float>().pack(floats.data(), count, dim, scales.data(), center.data(), packed.data());
        kernels->framing<std::uint8_t>().pack(bytes.data(), count, dim, scales.data(), center.data(),
                                              packed_bytes.data());
        for (std::size_t row = 0; row < width; ++row) {
          std::vector<float> expected(dim), expected_bytes(dim);  // absent rows are zeros
          if (row < count) {
            expected = framed_plainly(rows[row].row, scales[row], center);
            expected_bytes = framed_plainly(rows[row].bytes, scales[row], center);
          }
          for (std::size_t i = 0; i < dim; ++i) {
            const auto at = static_cast<std::size_t>(strip(row, i));
            ASSERT_EQ(packed[at], expected[i]) << "row " << row << " of " << count << ", component " << i;
            ASSERT_EQ(packed_bytes[at], expected_bytes[i]) << "row " << row << " of " << count << ", component " << i;
          }
        }
      }
    }
  }
}

TEST(KnnCodes, AreTheNearestWholeNumbersByEveryInstructionSet) {
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    Vectors v(dim);
    const float step = largest_of(v.row) / 127;
    v.row[dim / 2] = 2.5f * step;  // a tie, as long as the product is exact
    std::vector<std::int8_t> expected(dim);
    double squares = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      expected[i] = static_cast<std::int8_t>(std::nearbyint(v.row[i] * (1 / step)));
      squares += std::pow(double{v.row[i]} - double{step} * expected[i], 2);
    }
    for (const KnnFloatKernels* kernels : float_kernels()) {
      std::vector<std::int8_t> found(dim);
      // What is left of a component is a difference of numbers 254 times as large at most.
      EXPECT_NEAR(kernels->encode(v.row.data(), dim, step, found.data()), squares, 1e-4 * squares + 1e-5 * step * step);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(KnnCodes, StandWhereTheLayoutOfAStripSays) {
  ThreadPool pool(1);
  IsaSupport support = isa_support();
  support.amx_int8 = support.amx_bf16 = true;  // to pack rows, no tile is needed
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx}) {
    if (!support.has(isa)) continue;
    for (const KnnSpace space : {KnnSpace::l2, KnnSpace::cosine}) {
      const TestSet set = make_set(Kind::lengths, 300, 0, 69);
      const KnnRows rows = KnnRows::of(set.base.data(), set.rows(), set.dim);
      const KnnBase base(rows, {.space = space, .isa = isa, .support = support});
      const KnnBase scalar(rows, {.space = space, .isa = Isa::scalar});
      const KnnCodes& codes = *base.parts().codes;
      const KnnCodes plain = make_codes(scalar.parts(), *codes.kernels, pool);  // encoded by the scalar loops
      EXPECT_EQ(codes.rows, plain.rows);
      EXPECT_EQ(codes.steps, plain.steps);
      EXPECT_EQ(codes.starts, plain.starts);

      const std::size_t width = codes.kernels->block_rows;
      const layout::Layout strip = code_strip(width);
      std::vector<float> framed(set.dim);
      std::vector<std::int8_t> code(codes.row_bytes);
      for (std::size_t place = 0; place < codes.rows.size(); ++place) {
        std::fill(code.begin(), code.end(), std::int8_t{0});
        if (codes.rows[place] != kNoRow32) {
          frame_row(scalar.parts(), codes.rows[place], framed.data());
          kKnnFloatsScalar.encode(framed.data(), set.dim, codes.steps[place / kKnnCodePanelRows], code.data());
        }
        const std::size_t begin = place / width * width * codes.row_bytes;
        for (std::size_t i = 0; i < codes.row_bytes; ++i) {
          const auto at = begin + static_cast<std::size_t>(strip(place % width, i));
          ASSERT_EQ(codes.packed.data()[at], static_cast<std::byte>(code[i] + codes.kernels->row_offset))
              << name(isa) << ", place " << place << ", component " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace boon::kernels
