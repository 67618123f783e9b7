// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/stream_credits.h"

#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr uint32_t kFirst = StreamCredits::kFirst;

TEST(StreamCredits, AStreamBeginsWithAFewCreditsAndGetsMoreAsItUsesThem) {
  StreamCredits credits(kFirst + 2, 100);
  EXPECT_THAT(credits.Open(1), ElementsAre(Pair(1, kFirst)));
  EXPECT_THAT(credits.Use(1), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(credits.Use(1), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(credits.Use(1), IsEmpty()) << "it has the most that it may have";
  EXPECT_EQ(credits.granted(), kFirst + 2);
}

// Five watchers with two streams each, of which the last watcher leads.
TEST(StreamCredits, StreamsOfStandbyWatchersLeaveTheCreditsToTheLeader) {
  StreamCredits credits(64, 512);
  for (StreamKey stream = 1; stream <= 10; ++stream) credits.Open(stream);
  uint32_t leader = 2 * kFirst;
  for (int plans = 0; plans < 200; ++plans) {
    for (const StreamKey stream : {9, 10}) {
      for (const auto& [key, count] : credits.Use(stream)) leader += count;
    }
  }
  EXPECT_EQ(leader, 2 * 64u);
}

TEST(StreamCredits, EveryStreamGetsOneCreditBeyondTheTotal) {
  StreamCredits credits(64, kFirst);
  credits.Open(1);
  EXPECT_THAT(credits.Open(2), ElementsAre(Pair(2, 1)));
  EXPECT_THAT(credits.Use(2), IsEmpty());
}

TEST(StreamCredits, AStreamThatEndsMakesRoomForTheOthers) {
  StreamCredits credits(64, kFirst);
  credits.Open(1);
  credits.Open(2);
  EXPECT_THAT(credits.Close(1), ElementsAre(Pair(2, kFirst - 1)));
  EXPECT_EQ(credits.granted(), kFirst);
  EXPECT_THAT(credits.Close(1), IsEmpty());
}

TEST(StreamCredits, AStreamThatIsNotOpenGetsNothing) {
  StreamCredits credits(64, 512);
  EXPECT_THAT(credits.Use(1), IsEmpty());
}

/// The streams of 16 watchers with two streams each, and their plans at the applier.
class SixteenWatchers : public ::testing::Test {
 protected:
  SixteenWatchers() {
    for (StreamKey stream = 1; stream <= kStreams; ++stream) Add(limit_.Open(stream));
  }

  void Add(const std::vector<StreamCredits::Grant>& grants) {
    for (const auto& [stream, count] : grants) credits_[stream] += count;
  }
  /// The stream sends as many plans as it may.
  void Fill(StreamKey stream) {
    while (plans_[stream] < credits_[stream]) {
      ++plans_[stream];
      Add(limit_.Use(stream));
    }
  }
  /// The oldest plan of the stream ends.
  void EndOne(StreamKey stream) {
    const StreamCredits::Ended ended = limit_.End(stream);
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
  StreamCredits limit_{kPerStream, kTotal};
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
  EXPECT_EQ(Total(), limit_.granted());
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
  EXPECT_EQ(limit_.granted(), kTotal);
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

TEST(StreamCredits, FewWatchersKeepTheirCreditsBetweenBursts) {
  StreamCredits credits(64, 512);
  for (StreamKey stream = 1; stream <= 4; ++stream) credits.Open(stream);
  for (int plans = 0; plans < 64; ++plans) credits.Use(1);
  const uint32_t granted = credits.granted();
  for (int plans = 0; plans < 64; ++plans) EXPECT_TRUE(credits.End(1).returned);
  EXPECT_EQ(credits.granted(), granted);
}

TEST(StreamCredits, PlansOfAStreamThatEndedReturnNothing) {
  StreamCredits credits(64, 512);
  credits.Open(1);
  credits.Use(1);
  credits.Close(1);
  EXPECT_THAT(credits.End(1).grants, IsEmpty());
  EXPECT_EQ(credits.granted(), 0u);
}

}  // namespace
}  // namespace xebec::applier
