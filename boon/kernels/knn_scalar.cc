// Exact search without intrinsics: the plain version of the loops, and the one that every x86-64 processor runs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "boon/kernels/knn_kernels.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("no-avx")
#include "boon/kernels/knn_code_loop.h"
#include "boon/kernels/knn_float_loop.h"

namespace boon::kernels {
namespace {

constexpr std::size_t kLaneCount = 4;

template <class Element>
struct Vector {
  Element lane[kLaneCount];
};

struct Lanes {
  static constexpr std::size_t kLanes = kLaneCount;
  static constexpr std::uint32_t kAllSigns = (1u << kLanes) - 1;
  static constexpr std::size_t kQueries = 3;

  template <class Element, class Of>
  static Vector<Element> each(const Of& of) noexcept {
    Vector<Element> out;
    for (std::size_t i = 0; i < kLanes; ++i) out.lane[i] = of(i);
    return out;
  }

  using Float = Vector<float>;
  static Float zero() noexcept { return {}; }
  static Float load(const float* p) noexcept {
    return each<float>([&](std::size_t i) { return p[i]; });
  }
  static void store(float* p, const Float& x) noexcept { std::memcpy(p, x.lane, sizeof x.lane); }
  static Float broadcast(const float* p) noexcept {
    return each<float>([&](std::size_t) { return *p; });
  }
  template <class Element>
  static Float widen(const Element* p) noexcept {
    return each<float>([&](std::size_t i) { return to_float(p[i]); });
  }
  static Float multiply(const Float& x, const Float& y) noexcept {
    return each<float>([&](std::size_t i) { return x.lane[i] * y.lane[i]; });
  }
  static Float subtract(const Float& x, const Float& y) noexcept {
    return each<float>([&](std::size_t i) { return x.lane[i] - y.lane[i]; });
  }
  static Float multiply_add(const Float& x, const Float& y, const Float& sum) noexcept {
    return each<float>([&](std::size_t i) { return x.lane[i] * y.lane[i] + sum.lane[i]; });
  }
  static void transpose(Float (&v)[kLanes]) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(v[i].lane[j], v[j].lane[i]);
    }
  }
  static Float larger(const Float& x, const Float& y) noexcept {
    return each<float>([&](std::size_t i) { return std::max(x.lane[i], y.lane[i]); });
  }
  static Float size(const Float& x) noexcept {
    return each<float>([&](std::size_t i) { return std::abs(x.lane[i]); });
  }
  static Float clamp(const Float& x, float limit) noexcept {
    return each<float>([&](std::size_t i) { return std::clamp(x.lane[i], -limit, limit); });
  }
  static Float both(const Float& x, const Float& y) noexcept {
    return each<float>(
        [&](std::size_t i) { return std::signbit(x.lane[i]) && std::signbit(y.lane[i]) ? -1.0f : 1.0f; });
  }
  static std::uint32_t signs(const Float& x) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kLanes; ++i) bits |= std::uint32_t{std::signbit(x.lane[i])} << i;
    return bits;
  }

  static constexpr std::size_t kCodeQueries = 3;
  static constexpr int kCodeMax = 127;
  static constexpr int kRowOffset = 128;
  using Int = Vector<std::int32_t>;
  static Int no_words() noexcept { return {}; }
  static Int load_words(const std::int32_t* p) noexcept {
    return each<std::int32_t>([&](std::size_t i) { return p[i]; });
  }
  static void store(std::int32_t* p, const Int& x) noexcept { std::memcpy(p, x.lane, sizeof x.lane); }
  static Int broadcast(const std::int32_t* p) noexcept {
    return each<std::int32_t>([&](std::size_t) { return *p; });
  }
  static Int add(const Int& x, const Int& y) noexcept {
    return each<std::int32_t>([&](std::size_t i) { return x.lane[i] + y.lane[i]; });
  }
  static Int subtract(const Int& x, const Int& y) noexcept {
    return each<std::int32_t>([&](std::size_t i) { return x.lane[i] - y.lane[i]; });
  }
  static Int both(const Int& x, const Int& y) noexcept {
    return each<std::int32_t>([&](std::size_t i) { return x.lane[i] & y.lane[i]; });
  }
  static std::uint32_t signs(const Int& x) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kLanes; ++i) bits |= std::uint32_t{x.lane[i] < 0} << i;
    return bits;
  }
  template <class Sums>
  static std::uint32_t* list_clear(const Sums& x, std::uint32_t first, std::uint32_t* out) noexcept {
    for (std::uint32_t clear = ~signs(x) & kAllSigns; clear != 0; clear &= clear - 1) {
      *out++ = first + static_cast<std::uint32_t>(__builtin_ctz(clear));
    }
    return out;
  }
  static Int round(const Float& x) noexcept {
    return each<std::int32_t>([&](std::size_t i) { return static_cast<std::int32_t>(std::lrint(x.lane[i])); });
  }
  static Float convert(const Int& x) noexcept {
    return each<float>([&](std::size_t i) { return static_cast<float>(x.lane[i]); });
  }
  static void store_bytes(std::int8_t* p, const Int& x) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) p[i] = static_cast<std::int8_t>(x.lane[i]);
  }

  // Four bytes a lane: of a row, unsigned, or of a query, signed.
  struct Rows {
    std::uint8_t byte[4 * kLaneCount];
  };
  struct Four {
    std::int8_t byte[4];
  };
  static Rows load(const std::uint8_t* p) noexcept {
    Rows rows;
    std::memcpy(rows.byte, p, sizeof rows.byte);
    return rows;
  }
  static Four broadcast(const std::int8_t* p) noexcept {
    Four four;
    std::memcpy(four.byte, p, sizeof four.byte);
    return four;
  }
  static Int add_products(const Int& sum, const Rows& rows, const Four& queries) noexcept {
    return each<std::int32_t>([&](std::size_t i) {
      std::int32_t total = sum.lane[i];
      for (std::size_t j = 0; j < 4; ++j) total += rows.byte[4 * i + j] * queries.byte[j];
      return total;
    });
  }
};

}  // namespace

constinit const KnnFloatKernels kKnnFloatsScalar = KnnFloatLoop<Lanes>::table();
constinit const KnnCodeKernels kKnnCodesScalar = KnnCodeLoop<Lanes>::table("scalar");

}  // namespace boon::kernels
BOON_TARGET_END
