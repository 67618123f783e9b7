// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/credit_book.h"

#include <map>
#include <vector>

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

/// The streams of 16 watchers with two streams each, and their plans at the applier.
class SixteenWatchers : public ::testing::Test {
 protected:
  SixteenWatchers() {
    for (StreamKey stream = 1; stream <= kStreams; ++stream) Add(book_.Open(stream));
  }

  void Add(const std::vector<CreditBook::Grant>& grants) {
    for (const auto& [stream, count] : grants) credits_[stream] += count;
  }
  /// The stream sends as many plans as it may.
  void Fill(StreamKey stream) {
    while (plans_[stream] < credits_[stream]) {
      ++plans_[stream];
      Add(book_.Use(stream));
    }
  }
  /// The oldest plan of the stream ends.
  void EndOne(StreamKey stream) {
    const CreditBook::Ended ended = book_.End(stream);
    --plans_[stream];
    if (!ended.returned) --credits_[stream];
    Add(ended.grants);
  }
  void EndAll(StreamKey stream) {
    while (plans_[stream] > 0) EndOne(stream);
  }
  uint32_t Total() const {
    uint32_t total = 0;
    for (const auto& [stream, count] : credits_) total += count;
    return total;
  }

  static constexpr StreamKey kStreams = 32;
  static constexpr uint32_t kPerStream = 64;
  static constexpr uint32_t kTotal = 512;
  CreditBook book_{kPerStream, kTotal};
  std::map<StreamKey, uint32_t> credits_, plans_;
};

TEST_F(SixteenWatchers, ABusyWatcherGetsWhatTheOthersNoLongerUse) {
  for (StreamKey stream = 1; stream <= 8; ++stream) {
    Fill(stream);
    EndAll(stream);
  }
  for (const StreamKey stream : {31, 32}) Fill(stream);
  EXPECT_EQ(credits_[31], kPerStream);
  EXPECT_EQ(credits_[32], kPerStream);
  EXPECT_EQ(Total(), book_.granted());
  EXPECT_LE(Total(), kTotal);
}

TEST_F(SixteenWatchers, AWatcherThatComesLateGetsItsShareOfTheBusyOnes) {
  for (StreamKey stream = 1; stream <= 8; ++stream) Fill(stream);
  ASSERT_EQ(Total(), kTotal) << "nothing is left";
  for (int round = 0; round < 100; ++round) {
    for (StreamKey stream = 1; stream <= kStreams; ++stream) {
      Fill(stream);
      EndOne(stream);
    }
  }
  for (const auto& [stream, count] : credits_) EXPECT_EQ(count, kTotal / kStreams) << stream;
  EXPECT_EQ(book_.granted(), kTotal);
}

TEST_F(SixteenWatchers, CreditsOfABusyStreamStayWhileNobodyElseNeedsThem) {
  for (const StreamKey stream : {1, 2, 3}) Fill(stream);
  for (int round = 0; round < 100; ++round) {
    for (const StreamKey stream : {1, 2, 3}) {
      EndOne(stream);
      Fill(stream);
    }
  }
  for (const StreamKey stream : {1, 2, 3}) EXPECT_EQ(credits_[stream], kPerStream);
}

TEST(CreditBook, FewWatchersKeepTheirCreditsBetweenBursts) {
  CreditBook book(64, 512);
  for (StreamKey stream = 1; stream <= 4; ++stream) book.Open(stream);
  for (int plans = 0; plans < 64; ++plans) book.Use(1);
  const uint32_t granted = book.granted();
  for (int plans = 0; plans < 64; ++plans) EXPECT_TRUE(book.End(1).returned);
  EXPECT_EQ(book.granted(), granted);
}

TEST(CreditBook, PlansOfAStreamThatEndedReturnNothing) {
  CreditBook book(64, 512);
  book.Open(1);
  book.Use(1);
  book.Close(1);
  EXPECT_THAT(book.End(1).grants, IsEmpty());
  EXPECT_EQ(book.granted(), 0u);
}

}  // namespace
}  // namespace xebec::applier
