#include "boon/index/scratches.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace boon::index {
namespace {

const graph::Scratch* address_of(Scratches& scratches) {
  return &*Scratches::Lease(scratches);
}

TEST(Scratches, AreReused) {
  Scratches scratches;
  EXPECT_EQ(address_of(scratches), address_of(scratches));
}

TEST(Scratches, AreNeverSharedByTwo) {
  Scratches scratches;
  const Scratches::Lease first(scratches), second(scratches);
  EXPECT_NE(&*first, &*second);
}

TEST(Scratches, GoBackToTheThreadThatHadThem) {
  Scratches scratches;
  std::promise<void> taken, returned;
  const graph::Scratch *mine = nullptr, *others = nullptr;
  std::thread other;
  {
    const Scratches::Lease lease(scratches);
    mine = &*lease;
    other = std::thread([&] {
      const Scratches::Lease theirs(scratches);
      others = &*theirs;
      taken.set_value();
      returned.get_future().wait();
    });
    taken.get_future().wait();
  }
  returned.set_value();
  other.join();  // theirs came back last
  EXPECT_NE(mine, others);
  EXPECT_EQ(address_of(scratches), mine);
}

}  // namespace
}  // namespace boon::index
