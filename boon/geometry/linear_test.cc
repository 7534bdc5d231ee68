#include "boon/geometry/linear.h"

#include <bit>

#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using kernels::Isa;

std::vector<Isa> isas() {
  std::vector<Isa> present{Isa::scalar};
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (kernels::isa_support().has(isa)) present.push_back(isa);
  }
  return present;
}

// The obvious loops, each sum in the order that linear.h promises.
template <class T>
void plain_add_products(const T* a, std::size_t step, std::size_t depth, const T* b, std::size_t stride, T* out,
                        std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < depth; ++i) {
      volatile T product = a[i * step] * b[i * stride + j];  // rounded by itself
      out[j] += product;
    }
  }
}

void plain_hadamard(std::vector<float>& values) {
  for (std::size_t distance = 1; distance < values.size(); distance *= 2) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((i & distance) != 0) continue;
      const float a = values[i], b = values[i + distance];
      values[i] = a + b, values[i + distance] = a - b;
    }
  }
}

TEST(Linear, SumsHaveTheBitsOfThePlainLoopOnEveryInstructionSet) {
  for (std::size_t n = 0; n < 140; ++n) {
    const std::size_t depth = n % 7 * 5, step = 1 + n % 3, stride = n + n % 2;
    const Cloud a = normal_cloud(1, depth * step + 1, n), b = normal_cloud(1, depth * stride + 1, n + 1);
    const std::vector<double> wide_a(a.values.begin(), a.values.end()), wide_b(b.values.begin(), b.values.end());
    std::vector<float> expected(n, 0.5F);
    std::vector<double> wide_expected(n, 0.5);
    plain_add_products(a.values.data(), step, depth, b.values.data(), stride, expected.data(), n);
    plain_add_products(wide_a.data(), step, depth, wide_b.data(), stride, wide_expected.data(), n);
    for (const Isa isa : isas()) {
      std::vector<float> out(n, 0.5F);
      std::vector<double> wide_out(n, 0.5);
      linear(isa).add_products_f32(a.values.data(), step, depth, b.values.data(), stride, out.data(), n);
      linear(isa).add_products_f64(wide_a.data(), step, depth, wide_b.data(), stride, wide_out.data(), n);
      ASSERT_EQ(out, expected) << kernels::name(isa) << " " << n;
      ASSERT_EQ(wide_out, wide_expected) << kernels::name(isa) << " " << n;
    }
  }
}

TEST(Linear, RotatesRowsWithTheSameBitsOnEveryInstructionSet) {
  for (std::size_t n = 0; n < 40; ++n) {
    const Cloud cloud = normal_cloud(2, n, n);
    const std::vector<double> x(cloud.values.begin(), cloud.values.begin() + static_cast<std::ptrdiff_t>(n));
    const std::vector<double> y(cloud.values.begin() + static_cast<std::ptrdiff_t>(n), cloud.values.end());
    for (const Isa isa : isas()) {
      auto out_x = x, out_y = y;
      linear(isa).rotate_rows(out_x.data(), out_y.data(), 0.6, 0.8, n);
      for (std::size_t i = 0; i < n; ++i) {
        volatile double cx = 0.6 * x[i], sy = 0.8 * y[i], sx = 0.8 * x[i], cy = 0.6 * y[i];
        ASSERT_EQ(out_x[i], cx - sy);
        ASSERT_EQ(out_y[i], sx + cy);
      }
    }
  }
}

TEST(Linear, HadamardHasTheBitsOfThePlainLoopOnEveryInstructionSet) {
  for (std::size_t n = 1; n <= 4096; n *= 2) {
    std::vector<float> expected = normal_cloud(1, n, n).values;
    const std::vector<float> in = expected;
    plain_hadamard(expected);
    for (const Isa isa : isas()) {
      std::vector<float> out = in;
      linear(isa).hadamard(out.data(), n);
      ASSERT_EQ(out, expected) << kernels::name(isa) << " " << n;
    }
  }
}

}  // namespace
}  // namespace boon::geometry
