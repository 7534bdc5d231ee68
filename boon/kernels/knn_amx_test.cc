// Exact search with AMX, against the plain loop in double. Where the processor has no tiles, its instructions are run
// in software, so that all but their speed is tested. Many are needed for little, so it gets fewer rows than other
// sets.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "boon/core/error.h"
#include "boon/kernels/amx_trap.h"
#include "boon/kernels/knn.h"
#include "boon/kernels/knn_base.h"
#include "boon/kernels/knn_testing.h"

namespace boon::kernels {
namespace {

constexpr KnnSpace kSpaces[] = {KnnSpace::l2, KnnSpace::inner_product, KnnSpace::cosine};

class KnnAmx : public testing::Test {
 protected:
  void SetUp() override {
    if (!isa_support().avx512) GTEST_SKIP() << "the code around the tiles is AVX-512, which this processor lacks";
    if (!isa_support().has(Isa::amx)) trap_.emplace();
  }
  void TearDown() override {
    EXPECT_EQ(AmxTrap::threads_with_tiles(), 0u);
    if (!trap_) return;
    EXPECT_GT(AmxTrap::products() - products_before_, 100u);
  }

  static KnnBase base_of(const TestSet& set, KnnSpace space) {
    IsaSupport support = isa_support();
    support.amx_int8 = support.amx_bf16 = true;
    return {KnnRows::of(set.base.data(), set.rows(), set.dim), {.space = space, .isa = Isa::amx, .support = support}};
  }
  static bool searches_by_tiles(const KnnBase& base) {
    return base.has_codes() && base.parts().codes->kernels == &kKnnCodesAmx;
  }

  static void expect_plain_answers(const TestSet& set, KnnSpace space, std::size_t threads = 1) {
    const KnnBase base = base_of(set, space);
    for (const std::size_t k : {1, 10}) {
      KnnQuery query{.data = set.queries.data(), .count = set.asked(), .k = k, .path = KnnPath::plain};
      const Answers expected = ask(base, query);
      query.threads = threads;
      query.path = base.has_codes() ? KnnPath::codes : KnnPath::automatic;
      ASSERT_EQ(difference(ask(base, query), expected), "")
          << set.what << ", d " << set.dim << ", k " << k << ", " << set.asked() << " queries, space " << int(space);
    }
  }

 private:
  std::optional<AmxTrap> trap_;
  std::size_t products_before_ = AmxTrap::products();
};

class KnnAmxKinds : public KnnAmx, public testing::WithParamInterface<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, KnnAmxKinds, testing::ValuesIn(kKinds),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST_P(KnnAmxKinds, AnswerAsThePlainLoop) {
  // One step of depth, one that is not full, two and three; one tile of queries, two, and a tile more.
  struct Shape {
    std::size_t dim, queries;
  };
  for (const Shape shape : {Shape{64, 20}, {37, 5}, {100, 33}, {130, 16}}) {
    const TestSet set = make_set(GetParam(), 300, shape.queries, shape.dim);
    for (const KnnSpace space : kSpaces) expect_plain_answers(set, space);
  }
}

TEST_F(KnnAmx, BasesAreSearchedByAnyNumberOfThreads) {
  const TestSet set = make_set(Kind::gaussian, 1000, 60, 70);
  for (const KnnSpace space : kSpaces) {
    for (const std::size_t threads : {1, 2, 3}) expect_plain_answers(set, space, threads);
  }
}

TEST_F(KnnAmx, BasesHoldRowsOfWholeTiles) {
  for (const std::size_t dim : {32, 64, 65}) {
    const TestSet set = make_set(Kind::gaussian, 256, 40, dim);
    const KnnBase base = base_of(set, KnnSpace::l2);
    ASSERT_TRUE(searches_by_tiles(base));
    const KnnCodes& codes = *base.parts().codes;
    EXPECT_EQ(codes.row_bytes, dim == 65 ? 128u : 64u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(codes.packed.data()) % kTileBytes, 0u) << "a row of a tile on two lines";
    expect_plain_answers(set, KnnSpace::l2);
  }
}

TEST_F(KnnAmx, LeavesFewComponentsToVectors) {
  const TestSet few = make_set(Kind::gaussian, 256, 20, 31), more = make_set(Kind::gaussian, 256, 40, 32);
  EXPECT_FALSE(searches_by_tiles(base_of(few, KnnSpace::l2)));
  EXPECT_EQ(base_of(few, KnnSpace::l2).parts().codes->row_bytes, 32u);
  expect_plain_answers(few, KnnSpace::l2);
  EXPECT_TRUE(searches_by_tiles(base_of(more, KnnSpace::l2)));
  for (const KnnSpace space : kSpaces) expect_plain_answers(more, space);
}

TEST(KnnIsas, HaveTheirOwnLoopsOverCodes) {
  const TestSet set = make_set(Kind::gaussian, 10, 0, 64);
  const auto loops_of = [&](Isa isa, IsaSupport support) {
    const KnnBase base(KnnRows::of(set.base.data(), set.rows(), set.dim), {.isa = isa, .support = support});
    return base.parts().codes->kernels->name;
  };
  IsaSupport all = isa_support();
  if (!all.avx512) GTEST_SKIP() << "this processor lacks AVX-512";
  all.avx512_vnni = all.amx_int8 = all.amx_bf16 = true;
  IsaSupport plain = all;
  plain.avx512_vnni = false;
  EXPECT_EQ(loops_of(Isa::amx, all), "amx");
  EXPECT_EQ(loops_of(Isa::avx512, all), "vnni") << "tiles are there, and not asked for";
  EXPECT_EQ(loops_of(Isa::avx512, plain), "avx512");
  EXPECT_EQ(loops_of(Isa::avx2, all), "avx2");
  IsaSupport none = all;
  none.amx_int8 = false;
  EXPECT_THROW(loops_of(Isa::amx, none), Error);
}

}  // namespace
}  // namespace boon::kernels
