// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_book.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Parcel Make(uint64_t sequence, absl::Duration deadline = absl::InfiniteDuration(),
            std::string revision = "") {
  Parcel parcel;
  parcel.sequence = sequence;
  parcel.deadline = deadline;
  parcel.revision = std::move(revision);
  return parcel;
}

std::vector<uint64_t> Sequences(const std::vector<Parcel>& parcels) {
  std::vector<uint64_t> out;
  for (const Parcel& parcel : parcels) out.push_back(parcel.sequence);
  return out;
}

std::vector<uint64_t> Written(LaneBook* book, LaneId lane) {
  std::vector<uint64_t> out;
  while (auto parcel = book->NextToWrite(lane)) out.push_back(parcel->sequence);
  return out;
}

TEST(LaneBook, ParcelsWaitUntilALaneHasCredits) {
  LaneBook book(10);
  EXPECT_FALSE(book.Add(Make(1)).has_value());
  book.Open(7, "");
  EXPECT_THAT(book.TakeWoken(), IsEmpty());
  book.Grant(7, 1);
  EXPECT_THAT(book.TakeWoken(), ElementsAre(7));
  EXPECT_THAT(Written(&book, 7), ElementsAre(1));
}

TEST(LaneBook, ALaneNeverHasMoreInFlightThanItsCredits) {
  LaneBook book(10);
  book.Open(1, "");
  book.Grant(1, 2);
  for (uint64_t s = 1; s <= 5; ++s) book.Add(Make(s));
  EXPECT_THAT(Written(&book, 1), ElementsAre(1, 2));
  EXPECT_TRUE(book.Settle(1, 1));
  EXPECT_THAT(Written(&book, 1), IsEmpty()) << "an answer without a credit frees nothing";
  book.Grant(1, 1);
  EXPECT_THAT(Written(&book, 1), ElementsAre(3));
}

TEST(LaneBook, TheLaneWithMostFreeCreditsIsTaken) {
  LaneBook book(10);
  book.Open(1, "");
  book.Open(2, "");
  book.Grant(1, 1);
  book.Grant(2, 3);
  for (uint64_t s = 1; s <= 4; ++s) book.Add(Make(s));
  EXPECT_THAT(Written(&book, 1), ElementsAre(3));
  EXPECT_THAT(Written(&book, 2), ElementsAre(1, 2, 4));
}

TEST(LaneBook, LanesOfQuickPeersTakeTurns) {
  LaneBook book(10);
  for (const LaneId lane : {1, 2, 3}) {
    book.Open(lane, "");
    book.Grant(lane, 2);
  }
  std::vector<LaneId> chosen;
  for (uint64_t s = 1; s <= 6; ++s) {  // each is answered before the next comes
    book.TakeWoken();
    book.Add(Make(s));
    const std::vector<LaneId> woken = book.TakeWoken();
    ASSERT_EQ(woken.size(), 1U);
    EXPECT_THAT(Written(&book, woken[0]), ElementsAre(s));
    book.Settle(woken[0], s);
    book.Grant(woken[0], 1);
    chosen.push_back(woken[0]);
  }
  EXPECT_THAT(chosen, ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(LaneBook, ParcelsGoToPeersOfTheWantedRevision) {
  LaneBook book(10);
  book.Open(1, "old");
  book.Open(2, "new");
  book.Grant(1, 5);
  book.Grant(2, 1);
  book.Add(Make(1, absl::InfiniteDuration(), "new"));
  book.Add(Make(2, absl::InfiniteDuration(), "new"));
  EXPECT_THAT(Written(&book, 1), IsEmpty());
  EXPECT_THAT(Written(&book, 2), ElementsAre(1)) << "the second waits for a slot of its revision";
}

TEST(LaneBook, AnyPeerServesARevisionThatIsNotConnected) {
  LaneBook book(10);
  book.Open(1, "old");
  book.Grant(1, 1);
  book.Add(Make(1, absl::InfiniteDuration(), "gone"));
  EXPECT_THAT(Written(&book, 1), ElementsAre(1));
}

TEST(LaneBook, AClosedLaneTellsWhatWasWrittenFromWhatWasNot) {
  LaneBook book(10);
  book.Open(1, "");
  book.Grant(1, 3);
  for (uint64_t s = 1; s <= 4; ++s) book.Add(Make(s));
  book.NextToWrite(1);
  const Losses losses = book.Close(1);
  EXPECT_THAT(losses.lost, ElementsAre(1));
  EXPECT_THAT(Sequences(losses.unsent), ElementsAre(2, 3));
  EXPECT_EQ(book.InFlight(), 1u) << "the fourth still waits for a lane";
  EXPECT_EQ(book.Capacity(), 0u);
}

TEST(LaneBook, AnOverdueParcelKeepsItsCreditUntilThePeerAnswers) {
  LaneBook book(10);
  book.Open(1, "");
  book.Grant(1, 2);
  book.Add(Make(1, absl::Seconds(5)));
  Written(&book, 1);
  EXPECT_THAT(book.Expire(absl::Seconds(4)).lost, IsEmpty());
  EXPECT_THAT(book.Expire(absl::Seconds(5)).lost, ElementsAre(1));
  EXPECT_EQ(book.Capacity(), 1u);
  EXPECT_TRUE(book.Busy(1)) << "the peer still works on it";
  EXPECT_FALSE(book.Settle(1, 1)) << "nobody waits for it any more";
  book.Grant(1, 1);
  EXPECT_EQ(book.Capacity(), 2u);
  EXPECT_FALSE(book.Busy(1));
}

TEST(LaneBook, WhatWasNotWrittenExpiresAsUnsentAndGivesItsCreditBack) {
  LaneBook book(10);
  book.Open(1, "");
  book.Grant(1, 1);
  book.Add(Make(1, absl::Seconds(5)));
  book.Add(Make(2, absl::Seconds(6)));
  EXPECT_EQ(book.NextDeadline(), absl::Seconds(5));
  const Losses losses = book.Expire(absl::Seconds(5));
  EXPECT_THAT(Sequences(losses.unsent), ElementsAre(1));
  EXPECT_THAT(Written(&book, 1), ElementsAre(2));
}

TEST(LaneBook, ADrainingLaneFinishesWhatItHasAndGetsNothingNew) {
  LaneBook book(10);
  book.Open(1, "");
  book.Grant(1, 2);
  book.Add(Make(1));
  book.Drain(1);
  book.Add(Make(2));
  EXPECT_THAT(Written(&book, 1), ElementsAre(1));
  EXPECT_EQ(book.Capacity(), 1u);
  EXPECT_TRUE(book.Settle(1, 1));
  EXPECT_FALSE(book.Busy(1));
}

TEST(LaneBook, TooManyWaitingParcelsAreGivenBack) {
  LaneBook book(2);
  EXPECT_FALSE(book.Add(Make(1)).has_value());
  EXPECT_FALSE(book.Add(Make(2)).has_value());
  EXPECT_EQ(book.Add(Make(3))->sequence, 3u);
  EXPECT_THAT(Sequences(book.Clear().unsent), ElementsAre(1, 2));
  EXPECT_EQ(book.InFlight(), 0u);
}

TEST(LaneBook, ASequenceThatIsInFlightIsGivenBack) {
  LaneBook book(2);
  book.Add(Make(1));
  EXPECT_TRUE(book.Add(Make(1)).has_value());
  EXPECT_EQ(book.InFlight(), 1u);
}

TEST(LaneBook, HugeGrantsDoNotOverflow) {
  LaneBook book(2);
  book.Open(1, "");
  for (int i = 0; i < 3; ++i) book.Grant(1, UINT32_MAX);
  EXPECT_EQ(book.Capacity(), 1u << 20);
}

/// Counts the exits of every parcel through any sequence of happenings.
class Accountant {
 public:
  explicit Accountant(uint32_t seed) : random_(seed) {}

  void Step() {
    ++now_;
    switch (Pick(7)) {
      case 0:
        return Add();
      case 1:
        return book_.Open(Pick(4), "");
      case 2:
        return book_.Grant(Pick(4), Pick(3));
      case 3:
        return Take(book_.Close(Pick(4)));
      case 4:
        return Write();
      case 5:
        return Answer();
      default:
        return Take(book_.Expire(absl::Seconds(now_)));
    }
  }

  void Finish() {
    Take(book_.Clear());
    for (LaneId lane = 0; lane < 4; ++lane) Take(book_.Close(lane));
    EXPECT_EQ(book_.InFlight(), 0u);
    for (const auto& [sequence, exits] : exits_) EXPECT_EQ(exits, 1) << sequence;
  }

 private:
  uint32_t Pick(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  void Exit(uint64_t sequence) { ++exits_[sequence]; }

  void Add() {
    Parcel parcel = Make(++sequence_, absl::Seconds(now_ + Pick(30)));
    exits_[sequence_] = 0;
    if (book_.Add(std::move(parcel)).has_value()) Exit(sequence_);
  }
  void Write() {
    const LaneId lane = Pick(4);
    const auto parcel = book_.NextToWrite(lane);
    if (!parcel) return;
    EXPECT_GT(parcel->sequence, last_[lane]) << "each lane writes in order";
    last_[lane] = parcel->sequence;
  }
  void Answer() {
    const uint64_t sequence = 1 + Pick(static_cast<uint32_t>(sequence_ + 1));
    if (book_.Settle(Pick(4), sequence)) Exit(sequence);
  }
  void Take(const Losses& losses) {
    for (const Parcel& parcel : losses.unsent) Exit(parcel.sequence);
    for (const uint64_t sequence : losses.lost) Exit(sequence);
  }

  std::mt19937 random_;
  LaneBook book_{8};
  uint64_t sequence_ = 0;
  int64_t now_ = 0;
  std::map<uint64_t, int> exits_;
  std::map<LaneId, uint64_t> last_;
};

TEST(LaneBook, EveryParcelLeavesExactlyOnceWhateverHappens) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Accountant accountant(seed);
    for (int step = 0; step < 400; ++step) accountant.Step();
    accountant.Finish();
  }
}

}  // namespace
}  // namespace xebec::rpc
