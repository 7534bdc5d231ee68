// Exact search against brute force in double, to the bit, on whatever is hard for a way that is not exact.
#include "boon/kernels/knn.h"

#include <gtest/gtest.h>

#include <string>

#include "boon/core/error.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/knn_testing.h"

namespace boon::kernels {
namespace {

constexpr KnnSpace kSpaces[] = {KnnSpace::l2, KnnSpace::inner_product, KnnSpace::cosine};

// All there are, or, as these tests are run for each of them too, the one that BOON_ISA names.
std::vector<Isa> isas() {
  if (!requested_isa().empty()) return {isa_in_use()};
  std::vector<Isa> present;
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx}) {
    if (distances(isa) != nullptr) present.push_back(isa);
  }
  return present;
}

constexpr KnnPath kPaths[] = {KnnPath::automatic, KnnPath::plain, KnnPath::rows, KnnPath::floats, KnnPath::codes};

std::vector<KnnPath> paths(const KnnBase& base) {
  std::vector<KnnPath> possible;
  for (const KnnPath path : kPaths) {
    if (path != KnnPath::codes || base.has_codes()) possible.push_back(path);
  }
  return possible;
}

KnnQuery query_of(const TestSet& set, std::size_t k) {
  return {.data = set.queries.data(), .count = set.asked(), .k = k};
}

class Knn : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, Knn, testing::ValuesIn(kKinds),
                         [](const auto& instance) { return std::string(name(instance.param)); });

void expect_brute_force(const TestSet& set, KnnSpace space, std::initializer_list<std::size_t> ks) {
  const BruteForce truth(set, space);
  for (const Isa isa : isas()) {
    const KnnBase base(KnnRows::of(set.base.data(), set.rows(), set.dim), {.space = space, .isa = isa});
    for (const KnnPath path : paths(base)) {
      for (const std::size_t k : ks) {
        KnnQuery query = query_of(set, k);
        query.path = path;
        ASSERT_EQ(difference(ask(base, query), truth.ask(k)), "")
            << name(isa) << " " << name(path) << ", d " << set.dim << ", k " << k << ", space " << int(space);
      }
    }
  }
}

TEST_P(Knn, IsBruteForceOnEveryPathAndSet) {
  // A tile of queries and two more; rows of several blocks and panels, the last of them not full.
  for (const std::size_t dim : {1, 2, 3, 7, 33, 100, 128, 784}) {
    const TestSet set = make_set(GetParam(), dim > 300 ? 270 : 560, 14, dim, dim);
    for (const KnnSpace space : kSpaces) expect_brute_force(set, space, {1, 10, 100});
  }
}

TEST_P(Knn, RanksAllRowsOnEveryPath) {
  for (const std::size_t dim : {3, 33}) {
    const TestSet set = make_set(GetParam(), 270, 5, dim, dim);
    for (const KnnSpace space : kSpaces) expect_brute_force(set, space, {set.rows()});
  }
}

TEST(KnnDimensions, EveryOneUpToSeventy) {
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    const TestSet set = make_set(Kind::gaussian, 300, 14, dim, dim);
    for (const KnnSpace space : kSpaces) expect_brute_force(set, space, {5});
  }
}

TEST(KnnQueries, AnyNumberOfThemFillsTiles) {
  const TestSet set = make_set(Kind::clustered, 400, 40, 19);
  for (std::size_t count = 1; count <= 40; ++count) {
    TestSet some = set;
    some.queries.resize(count * some.dim);
    expect_brute_force(some, KnnSpace::l2, {7});
  }
}

TEST(KnnQueries, NoneAndNoRowsAreAnswered) {
  const float value = 1;
  const KnnBase empty(KnnRows::of(&value, 0, 1), {});
  const Answers none = ask(empty, {.data = &value, .count = 1, .k = 2});
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.rows, (std::vector<std::uint32_t>{kNoRow32, kNoRow32}));
  EXPECT_EQ(none.distances, (std::vector<float>{INFINITY, INFINITY}));
  EXPECT_EQ(ask(empty, {.data = nullptr, .count = 0, .k = 2}), Answers{});
}

TEST(KnnQueries, MoreThanThereAreRowsIsPadded) {
  const float rows[] = {3, 1};
  const KnnBase base(KnnRows::of(rows, 2, 1), {});
  const float query = 0;
  std::uint64_t found[3];
  float distances_found[3];
  EXPECT_EQ(knn(base, {.data = &query, .count = 1, .k = 3}, found, distances_found), 2u);
  EXPECT_EQ(std::vector<std::uint64_t>(found, found + 3), (std::vector<std::uint64_t>{1, 0, kNoRow64}));
  EXPECT_EQ(std::vector<float>(distances_found, distances_found + 3), (std::vector<float>{1, 9, INFINITY}));
}

TEST(KnnQueries, ZeroNearestAreRefused) {
  const float value = 1;
  const KnnBase base(KnnRows::of(&value, 1, 1), {});
  EXPECT_THROW(ask(base, {.data = &value, .count = 1, .k = 0}), Error);
}

TEST(KnnQueries, AFilterIsABitARow) {
  const TestSet set = make_set(Kind::gaussian, 1000, 9, 20);
  for (const std::uint64_t of_a_thousand : {0, 3, 30, 500, 990}) {
    Random random(of_a_thousand);
    std::vector<bool> allowed(set.rows());
    // Bits past the last row are not rows.
    std::vector<std::uint64_t> words(set.rows() / 64 + 1, ~std::uint64_t{0});
    for (std::size_t row = 0; row < set.rows(); ++row) {
      allowed[row] = random.below(1000) < of_a_thousand;
      if (!allowed[row]) words[row / 64] &= ~(std::uint64_t{1} << (row % 64));
    }
    for (const KnnSpace space : kSpaces) {
      const BruteForce truth(set, space);
      for (const Isa isa : isas()) {
        const KnnBase base(KnnRows::of(set.base.data(), set.rows(), set.dim), {.space = space, .isa = isa});
        for (const KnnPath path : paths(base)) {
          for (const std::size_t k : {1, 10, 600}) {
            KnnQuery query = query_of(set, k);
            query.path = path;
            query.allowed = words.data();
            ASSERT_EQ(difference(ask(base, query), truth.ask(k, &allowed)), "") << name(path) << " " << of_a_thousand;
          }
        }
      }
    }
  }
}

TEST(KnnQueries, AnyNumberOfThreadsAnswersTheSame) {
  const TestSet set = make_set(Kind::clustered, 5000, 40, 33);
  for (const KnnSpace space : kSpaces) {
    const KnnBase base(KnnRows::of(set.base.data(), set.rows(), set.dim), {.space = space});
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, set.asked()}) {
      KnnQuery query = query_of(set, 20);
      query.count = count;
      query.path = KnnPath::plain;
      const Answers expected = ask(base, query);
      for (const KnnPath path : paths(base)) {
        query.path = path;
        for (query.threads = 1; query.threads <= 3; ++query.threads) {
          ASSERT_EQ(difference(ask(base, query), expected), "") << query.threads << " threads, " << name(path);
        }
      }
    }
  }
}

TEST(KnnQueries, RowsMayStandApartAndBeBytes) {
  const TestSet set = make_set(Kind::pixels, 900, 13, 50);
  std::vector<float> apart(set.rows() * 61, NAN);
  std::vector<std::uint8_t> bytes(set.rows() * 53, 77);
  std::vector<float> queries_apart(set.asked() * 55, NAN);
  for (std::size_t i = 0; i < set.base.size(); ++i) {
    apart[i / 50 * 61 + i % 50] = set.base[i];
    bytes[i / 50 * 53 + i % 50] = static_cast<std::uint8_t>(set.base[i]);
  }
  for (std::size_t i = 0; i < set.queries.size(); ++i) queries_apart[i / 50 * 55 + i % 50] = set.queries[i];
  for (const KnnSpace space : kSpaces) {
    const Answers expected = BruteForce(set, space).ask(30);
    for (const Isa isa : isas()) {
      const KnnBaseOptions options{.space = space, .isa = isa};
      const KnnBase floats(KnnRows::of(apart.data(), set.rows(), 50, 61), options);
      const KnnBase of_bytes(KnnRows::of(bytes.data(), set.rows(), 50, 53), options);
      for (const KnnPath path : paths(floats)) {
        KnnQuery query = query_of(set, 30);
        query.data = queries_apart.data();
        query.stride = 55;
        query.path = path;
        EXPECT_EQ(difference(ask(floats, query), expected), "") << name(path);
        EXPECT_EQ(difference(ask(of_bytes, query), expected), "") << name(path);
      }
    }
  }
}

template <class Half>
void expect_answers_of_rounded_rows(Kind kind, std::size_t dim, Half (*round)(float)) {
  TestSet set = make_set(kind, 500, 13, dim);
  std::vector<Half> halves(set.rows() * (dim + 3));  // they stand apart
  for (std::size_t i = 0; i < set.base.size(); ++i) {
    halves[i / dim * (dim + 3) + i % dim] = round(set.base[i]);
    set.base[i] = to_float(round(set.base[i]));
  }
  for (const KnnSpace space : kSpaces) {
    const Answers expected = BruteForce(set, space).ask(20);
    for (const Isa isa : isas()) {
      const KnnBase base(KnnRows::of(halves.data(), set.rows(), dim, dim + 3), {.space = space, .isa = isa});
      for (const KnnPath path : paths(base)) {
        KnnQuery query = query_of(set, 20);
        query.path = path;
        EXPECT_EQ(difference(ask(base, query), expected), "") << name(kind) << ", " << dim << ", " << name(path);
      }
    }
  }
}

TEST(KnnQueries, RowsOfHalvesCountAsTheirValues) {
  for (const Kind kind : {Kind::gaussian, Kind::clustered, Kind::copies, Kind::zeros, Kind::pixels}) {
    for (const std::size_t dim : {1, 7, 16, 50, 67}) {
      expect_answers_of_rounded_rows<Fp16>(kind, dim, [](float x) { return to_fp16(x); });
      expect_answers_of_rounded_rows<Bf16>(kind, dim, [](float x) { return to_bf16(x); });
    }
  }
  expect_answers_of_rounded_rows<Bf16>(Kind::huge, 40, [](float x) { return to_bf16(x); });
  expect_answers_of_rounded_rows<Bf16>(Kind::tiny, 40, [](float x) { return to_bf16(x); });
}

TEST(KnnBases, WhatCannotBeIsRefusedInWords) {
  const float value = 1;
  const auto message = [&](const KnnRows& rows) -> std::string {
    try {
      KnnBase base(rows, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(KnnRows::of(&value, 1, 0)), "rows of 0 components: there may be 1 to 1048576");
  EXPECT_EQ(message(KnnRows::of(&value, 1, 4, 3)), "rows of 16 bytes cannot stand 12 bytes apart");
  EXPECT_EQ(message({&value, 1, 2, 10, Element::f32}), "rows of floats cannot stand 10 bytes apart: no multiple of 4");
  EXPECT_EQ(message({&value, 1, 2, 5, Element::fp16}), "rows of floats cannot stand 5 bytes apart: no multiple of 2");
  EXPECT_EQ(message(KnnRows::of(&value, std::size_t{1} << 32, 4)),
            "4294967296 rows: exact search takes up to 4,294,967,294; search them in parts");
}

TEST(KnnBases, FollowRowsThatMoved) {
  const float here[] = {1, 2, 3}, there[] = {1, 2, 3};
  KnnBase base(KnnRows::of(here, 3, 1), {});
  base.moved(there);
  EXPECT_EQ(base.rows().data, there);
  const float query = 2.2f;
  EXPECT_EQ(ask(base, {.data = &query, .count = 1, .k = 1}).rows, std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace boon::kernels
