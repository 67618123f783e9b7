// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_scheduler.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Request Make(uint64_t sequence, absl::Duration deadline = absl::InfiniteDuration(),
             std::string revision = "") {
  Request request;
  request.sequence = sequence;
  request.deadline = deadline;
  request.revision = std::move(revision);
  return request;
}

std::vector<uint64_t> Sequences(const std::vector<Request>& requests) {
  std::vector<uint64_t> out;
  for (const Request& request : requests) out.push_back(request.sequence);
  return out;
}

std::vector<uint64_t> Written(StreamScheduler* scheduler, StreamId stream) {
  std::vector<uint64_t> out;
  while (auto request = scheduler->NextToWrite(stream)) out.push_back(request->sequence);
  return out;
}

TEST(StreamScheduler, RequestsWaitUntilAStreamHasCredits) {
  StreamScheduler scheduler(10);
  EXPECT_FALSE(scheduler.Add(Make(1)).has_value());
  scheduler.Open(7, "");
  EXPECT_THAT(scheduler.TakeWoken(), IsEmpty());
  scheduler.Grant(7, 1);
  EXPECT_THAT(scheduler.TakeWoken(), ElementsAre(7));
  EXPECT_THAT(Written(&scheduler, 7), ElementsAre(1));
}

TEST(StreamScheduler, AStreamNeverHasMoreInFlightThanItsCredits) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Grant(1, 2);
  for (uint64_t s = 1; s <= 5; ++s) scheduler.Add(Make(s));
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(1, 2));
  EXPECT_TRUE(scheduler.Complete(1, 1));
  EXPECT_THAT(Written(&scheduler, 1), IsEmpty()) << "an answer without a credit frees nothing";
  scheduler.Grant(1, 1);
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(3));
}

TEST(StreamScheduler, TheStreamWithTheFewestRequestsInFlightIsTaken) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Open(2, "");
  scheduler.Grant(1, 5);
  scheduler.Grant(2, 5);
  for (uint64_t s = 1; s <= 4; ++s) scheduler.Add(Make(s));
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(1, 3));
  EXPECT_THAT(Written(&scheduler, 2), ElementsAre(2, 4));
  scheduler.Complete(2, 2);
  scheduler.Complete(2, 4);
  scheduler.Add(Make(5));
  scheduler.Add(Make(6));
  EXPECT_THAT(Written(&scheduler, 1), IsEmpty());
  EXPECT_THAT(Written(&scheduler, 2), ElementsAre(5, 6));
}

// Appliers grant a new stream few credits, and more while it is used.
TEST(StreamScheduler, ANewStreamWithFewCreditsGetsItsShare) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Open(2, "");
  scheduler.Grant(1, 64);
  scheduler.Grant(2, 8);
  for (uint64_t s = 1; s <= 4; ++s) scheduler.Add(Make(s));
  EXPECT_EQ(Written(&scheduler, 1).size(), 2u);
  EXPECT_EQ(Written(&scheduler, 2).size(), 2u);
}

TEST(StreamScheduler, StreamsOfQuickPeersTakeTurns) {
  StreamScheduler scheduler(10);
  for (const StreamId stream : {1, 2, 3}) {
    scheduler.Open(stream, "");
    scheduler.Grant(stream, 2);
  }
  std::vector<StreamId> chosen;
  for (uint64_t s = 1; s <= 6; ++s) {  // each is answered before the next comes
    scheduler.TakeWoken();
    scheduler.Add(Make(s));
    const std::vector<StreamId> woken = scheduler.TakeWoken();
    ASSERT_EQ(woken.size(), 1U);
    EXPECT_THAT(Written(&scheduler, woken[0]), ElementsAre(s));
    scheduler.Complete(woken[0], s);
    scheduler.Grant(woken[0], 1);
    chosen.push_back(woken[0]);
  }
  EXPECT_THAT(chosen, ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(StreamScheduler, RequestsGoToPeersOfTheWantedRevision) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "old");
  scheduler.Open(2, "new");
  scheduler.Grant(1, 5);
  scheduler.Grant(2, 1);
  scheduler.Add(Make(1, absl::InfiniteDuration(), "new"));
  scheduler.Add(Make(2, absl::InfiniteDuration(), "new"));
  EXPECT_THAT(Written(&scheduler, 1), IsEmpty());
  EXPECT_THAT(Written(&scheduler, 2), ElementsAre(1))
      << "the second waits for a credit of its revision";
}

TEST(StreamScheduler, AnyPeerServesARevisionThatIsNotConnected) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "old");
  scheduler.Grant(1, 1);
  scheduler.Add(Make(1, absl::InfiniteDuration(), "gone"));
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(1));
}

TEST(StreamScheduler, AClosedStreamTellsWhatWasWrittenFromWhatWasNot) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Grant(1, 3);
  for (uint64_t s = 1; s <= 4; ++s) scheduler.Add(Make(s));
  scheduler.NextToWrite(1);
  const Losses losses = scheduler.Close(1);
  EXPECT_THAT(losses.lost, ElementsAre(1));
  EXPECT_THAT(Sequences(losses.unsent), ElementsAre(2, 3));
  EXPECT_EQ(scheduler.InFlight(), 1u) << "the fourth still waits for a stream";
  EXPECT_EQ(scheduler.TotalCredits(), 0u);
}

TEST(StreamScheduler, AnOverdueRequestKeepsItsCreditUntilThePeerAnswers) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Grant(1, 2);
  scheduler.Add(Make(1, absl::Seconds(5)));
  Written(&scheduler, 1);
  EXPECT_THAT(scheduler.Expire(absl::Seconds(4)).lost, IsEmpty());
  EXPECT_THAT(scheduler.Expire(absl::Seconds(5)).lost, ElementsAre(1));
  EXPECT_EQ(scheduler.TotalCredits(), 1u);
  EXPECT_TRUE(scheduler.Busy(1)) << "the peer still works on it";
  EXPECT_FALSE(scheduler.Complete(1, 1)) << "nobody waits for it any more";
  scheduler.Grant(1, 1);
  EXPECT_EQ(scheduler.TotalCredits(), 2u);
  EXPECT_FALSE(scheduler.Busy(1));
}

TEST(StreamScheduler, WhatWasNotWrittenExpiresAsUnsentAndGivesItsCreditBack) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Grant(1, 1);
  scheduler.Add(Make(1, absl::Seconds(5)));
  scheduler.Add(Make(2, absl::Seconds(6)));
  EXPECT_EQ(scheduler.NextDeadline(), absl::Seconds(5));
  const Losses losses = scheduler.Expire(absl::Seconds(5));
  EXPECT_THAT(Sequences(losses.unsent), ElementsAre(1));
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(2));
}

TEST(StreamScheduler, ADrainingStreamFinishesWhatItHasAndGetsNothingNew) {
  StreamScheduler scheduler(10);
  scheduler.Open(1, "");
  scheduler.Grant(1, 2);
  scheduler.Add(Make(1));
  scheduler.Drain(1);
  scheduler.Add(Make(2));
  EXPECT_THAT(Written(&scheduler, 1), ElementsAre(1));
  EXPECT_EQ(scheduler.TotalCredits(), 1u);
  EXPECT_TRUE(scheduler.Complete(1, 1));
  EXPECT_FALSE(scheduler.Busy(1));
}

TEST(StreamScheduler, TooManyWaitingRequestsAreGivenBack) {
  StreamScheduler scheduler(2);
  EXPECT_FALSE(scheduler.Add(Make(1)).has_value());
  EXPECT_FALSE(scheduler.Add(Make(2)).has_value());
  EXPECT_EQ(scheduler.Add(Make(3))->sequence, 3u);
  EXPECT_THAT(Sequences(scheduler.Clear().unsent), ElementsAre(1, 2));
  EXPECT_EQ(scheduler.InFlight(), 0u);
}

TEST(StreamScheduler, ASequenceThatIsInFlightIsGivenBack) {
  StreamScheduler scheduler(2);
  scheduler.Add(Make(1));
  EXPECT_TRUE(scheduler.Add(Make(1)).has_value());
  EXPECT_EQ(scheduler.InFlight(), 1u);
}

TEST(StreamScheduler, HugeGrantsDoNotOverflow) {
  StreamScheduler scheduler(2);
  scheduler.Open(1, "");
  for (int i = 0; i < 3; ++i) scheduler.Grant(1, UINT32_MAX);
  EXPECT_EQ(scheduler.TotalCredits(), 1u << 20);
}

/// Counts the exits of every request through any sequence of happenings.
class Accountant {
 public:
  explicit Accountant(uint32_t seed) : random_(seed) {}

  void Step() {
    ++now_;
    switch (Pick(7)) {
      case 0:
        return Add();
      case 1:
        return scheduler_.Open(Pick(4), "");
      case 2:
        return scheduler_.Grant(Pick(4), Pick(3));
      case 3:
        return Take(scheduler_.Close(Pick(4)));
      case 4:
        return Write();
      case 5:
        return Answer();
      default:
        return Take(scheduler_.Expire(absl::Seconds(now_)));
    }
  }

  void Finish() {
    Take(scheduler_.Clear());
    for (StreamId stream = 0; stream < 4; ++stream) Take(scheduler_.Close(stream));
    EXPECT_EQ(scheduler_.InFlight(), 0u);
    for (const auto& [sequence, exits] : exits_) EXPECT_EQ(exits, 1) << sequence;
  }

 private:
  uint32_t Pick(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  void Exit(uint64_t sequence) { ++exits_[sequence]; }

  void Add() {
    Request request = Make(++sequence_, absl::Seconds(now_ + Pick(30)));
    exits_[sequence_] = 0;
    if (scheduler_.Add(std::move(request)).has_value()) Exit(sequence_);
  }
  void Write() {
    const StreamId stream = Pick(4);
    const auto request = scheduler_.NextToWrite(stream);
    if (!request) return;
    EXPECT_GT(request->sequence, last_[stream]) << "each stream writes in order";
    last_[stream] = request->sequence;
  }
  void Answer() {
    const uint64_t sequence = 1 + Pick(static_cast<uint32_t>(sequence_ + 1));
    if (scheduler_.Complete(Pick(4), sequence)) Exit(sequence);
  }
  void Take(const Losses& losses) {
    for (const Request& request : losses.unsent) Exit(request.sequence);
    for (const uint64_t sequence : losses.lost) Exit(sequence);
  }

  std::mt19937 random_;
  StreamScheduler scheduler_{8};
  uint64_t sequence_ = 0;
  int64_t now_ = 0;
  std::map<uint64_t, int> exits_;
  std::map<StreamId, uint64_t> last_;
};

TEST(StreamScheduler, EveryRequestLeavesExactlyOnceWhateverHappens) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Accountant accountant(seed);
    for (int step = 0; step < 400; ++step) accountant.Step();
    accountant.Finish();
  }
}

/// Two peers with ten credits each: "a" on stream 1, "b" on stream 2.
class EjectionTest : public testing::Test {
 protected:
  EjectionTest() {
    scheduler_.Open(1, "", "a");
    scheduler_.Open(2, "", "b");
    scheduler_.Grant(1, 10);
    scheduler_.Grant(2, 10);
  }
  void Fail(StreamId stream, int times) {
    for (int i = 0; i < times; ++i) scheduler_.Judge(stream, true, now_);
  }
  void AddMany(size_t count) {
    for (size_t i = 0; i < count; ++i) scheduler_.Add(Make(++last_));
  }

  StreamScheduler scheduler_{100, {.consecutive_failures = 2, .base_ejection = absl::Seconds(5)}};
  absl::Duration now_ = absl::Hours(1);
  uint64_t last_ = 0;
};

TEST_F(EjectionTest, AnEjectedPeerGetsNoRequestsThoughItHasMostCredits) {
  Fail(1, 2);
  AddMany(5);
  EXPECT_THAT(Written(&scheduler_, 1), IsEmpty());
  EXPECT_EQ(Written(&scheduler_, 2).size(), 5u);
  EXPECT_EQ(scheduler_.TotalCredits(), 10u) << "the credits of an ejected peer do not count";
}

TEST_F(EjectionTest, AfterItsTimeAPeerGetsOneRequestUntilItSucceeds) {
  Fail(1, 2);
  EXPECT_EQ(scheduler_.NextDeadline(), now_ + absl::Seconds(5));
  now_ += absl::Seconds(5);
  scheduler_.Expire(now_);
  EXPECT_EQ(scheduler_.TotalCredits(), 11u);
  AddMany(6);
  const std::vector<uint64_t> probe = Written(&scheduler_, 1);
  ASSERT_EQ(probe.size(), 1u);
  EXPECT_EQ(Written(&scheduler_, 2).size(), 5u);
  scheduler_.Complete(1, probe[0]);
  EXPECT_EQ(scheduler_.Judge(1, false, now_), StreamScheduler::PeerChange::kRestored);
  AddMany(4);
  EXPECT_EQ(Written(&scheduler_, 1).size(), 4u);
}

TEST_F(EjectionTest, APeerIsNotEjectedInFavourOfOneThatDrains) {
  scheduler_.Drain(2);
  Fail(1, 2);
  AddMany(3);
  EXPECT_EQ(Written(&scheduler_, 1).size(), 3u);
}

TEST_F(EjectionTest, TheLastHealthyPeerIsNotEjected) {
  Fail(1, 2);
  Fail(2, 20);
  AddMany(5);
  EXPECT_EQ(Written(&scheduler_, 2).size(), 5u);
}

TEST_F(EjectionTest, EjectedPeersAreUsedWhenNoOtherIsConnected) {
  Fail(1, 2);
  AddMany(1);
  scheduler_.Close(2);
  EXPECT_EQ(scheduler_.TotalCredits(), 10u);
  AddMany(3);
  EXPECT_EQ(Written(&scheduler_, 1).size(), 3u);
}

}  // namespace
}  // namespace xebec::rpc
