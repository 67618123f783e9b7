// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/credit_book.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr uint32_t kFirst = CreditBook::kFirst;

TEST(CreditBook, AStreamBeginsWithAFewCreditsAndGetsMoreAsItUsesThem) {
  CreditBook book(kFirst + 2, 100);
  EXPECT_THAT(book.Open(1), ElementsAre(Pair(1, kFirst)));
  EXPECT_THAT(book.Use(1), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(book.Use(1), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(book.Use(1), IsEmpty()) << "it has the most that it may have";
  EXPECT_EQ(book.granted(), kFirst + 2);
}

// Five watchers with two streams each, of which the last watcher leads.
TEST(CreditBook, StreamsOfStandbyWatchersLeaveTheCreditsToTheLeader) {
  CreditBook book(64, 512);
  for (StreamKey stream = 1; stream <= 10; ++stream) book.Open(stream);
  uint32_t leader = 2 * kFirst;
  for (int plans = 0; plans < 200; ++plans) {
    for (const StreamKey stream : {9, 10}) {
      for (const auto& [key, count] : book.Use(stream)) leader += count;
    }
  }
  EXPECT_EQ(leader, 2 * 64u);
}

TEST(CreditBook, EveryStreamGetsOneCreditBeyondTheTotal) {
  CreditBook book(64, kFirst);
  book.Open(1);
  EXPECT_THAT(book.Open(2), ElementsAre(Pair(2, 1)));
  EXPECT_THAT(book.Use(2), IsEmpty());
}

TEST(CreditBook, AStreamThatEndsMakesRoomForTheOthers) {
  CreditBook book(64, kFirst);
  book.Open(1);
  book.Open(2);
  EXPECT_THAT(book.Close(1), ElementsAre(Pair(2, kFirst - 1)));
  EXPECT_EQ(book.granted(), kFirst);
  EXPECT_THAT(book.Close(1), IsEmpty());
}

TEST(CreditBook, AStreamThatIsNotOpenGetsNothing) {
  CreditBook book(64, 512);
  EXPECT_THAT(book.Use(1), IsEmpty());
}

}  // namespace
}  // namespace xebec::applier
