// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/member_lease.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::Contains;

constexpr absl::Duration kStart = absl::Seconds(100);

/// A member Lease whose writes arrive at once.
struct Candidate {
  Candidate(FakeLeases* shared, const std::string& identity, const std::string& instance = "")
      : leases(shared), lease({}, identity, instance, {.buckets = 4}) {
    lease.Join();
  }

  void List(absl::Duration at) {
    for (const LeaseSeen& each : leases->List().leases) Take(each, at);
    members.OnListed(at);
    Tick(at);
  }
  void Take(const LeaseSeen& seen, absl::Duration at) {
    Outputs out;
    if (members.Take(seen, at)) lease.OnSeen(seen, members, at, &out);
    Carry(out, at);
  }
  void Tick(absl::Duration at) {
    Outputs out;
    lease.Consider(members, at, &out);
    Carry(out, at);
  }
  void Carry(const Outputs& out, absl::Duration at) {
    for (const Output& output : out) {
      if (const auto* note = std::get_if<Note>(&output)) notes.push_back(note->detail);
      const auto* write = std::get_if<WriteLease>(&output);
      if (write == nullptr) continue;
      ++writes;
      if (cut_off) continue;
      const Input answer = leases->Write(*write);
      if (const auto* seen = std::get_if<LeasesSeen>(&answer)) {
        Take(seen->leases.front(), at);
      } else {
        Outputs failure;
        lease.OnWriteFailed(std::get<LeaseWriteFailed>(answer), at, &failure);
        List(at);
      }
    }
  }
  absl::Duration Run(absl::Duration from, absl::Duration time) {
    for (absl::Duration at = from; at <= from + time; at += absl::Milliseconds(100)) {
      if (lease.NextDeadline(members) <= at) Tick(at);
    }
    return from + time;
  }
  LeaseNumber number() const { return members.Find("a")->lease; }

  FakeLeases* leases;
  MemberLease lease;
  Members members{absl::Seconds(15)};
  int writes = 0;
  std::vector<std::string> notes;
  bool cut_off = false;
};

TEST(MemberLease, IsAcquiredAfterTheLeasesWereReadAndRenewedEveryTwoSeconds) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.Tick(kStart);
  EXPECT_EQ(a.writes, 0);
  a.List(kStart);
  EXPECT_TRUE(a.lease.Holds(kStart));
  EXPECT_EQ(a.writes, 1);
  const absl::Duration end = a.Run(kStart, absl::Seconds(20));
  EXPECT_EQ(a.writes, 11);
  EXPECT_TRUE(a.lease.Holds(end));
}

TEST(MemberLease, AWatcherThatIsNotReadyTakesNone) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.lease = MemberLease({}, "a", "", {.buckets = 4});
  a.List(kStart);
  a.Run(kStart, absl::Seconds(60));
  EXPECT_EQ(a.writes, 0);
}

TEST(MemberLease, WatchersGetDifferentOnes) {
  FakeLeases leases;
  std::vector<std::unique_ptr<Candidate>> all;
  for (LeaseNumber i = 0; i < kMemberLeases; ++i) {
    all.push_back(std::make_unique<Candidate>(&leases, absl::StrCat("w", i)));
  }
  for (auto& each : all) each->List(kStart);
  for (auto& each : all) EXPECT_TRUE(each->lease.Holds(kStart));
  Candidate one_more(&leases, "more");
  one_more.List(kStart);
  EXPECT_FALSE(one_more.lease.Holds(kStart));
  all[3]->lease.Release();
  all[3]->Tick(kStart);
  EXPECT_TRUE(all[3]->lease.Released());
  one_more.List(kStart);
  EXPECT_TRUE(one_more.lease.Holds(kStart));
}

TEST(MemberLease, TheLoserOfARaceTakesAnotherOne) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.cut_off = true;
  a.List(kStart);  // its first write does not arrive
  for (LeaseNumber i = 0; i + 1 < kMemberLeases; ++i) leases.Renew(i, absl::StrCat("w", i), {});
  a.cut_off = false;
  a.List(kStart);
  a.Run(kStart, absl::Seconds(11));
  EXPECT_TRUE(a.lease.Holds(kStart + absl::Seconds(11)));
  EXPECT_EQ(a.number(), kMemberLeases - 1);
}

TEST(MemberLease, AHolderThatCannotRenewStopsAfterTheDeadline) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.List(kStart);
  a.cut_off = true;
  a.Run(kStart, absl::Seconds(9));
  EXPECT_TRUE(a.lease.Holds(kStart + absl::Seconds(9)));
  EXPECT_FALSE(a.lease.Holds(kStart + absl::Seconds(10)));
}

TEST(MemberLease, AnEventOfAnEarlierRenewalDoesNotProlongIt) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.List(kStart);
  const LeaseSeen first = leases.at(a.number());
  a.cut_off = true;
  a.Tick(kStart + absl::Seconds(2));
  a.Take(first, kStart + absl::Seconds(3));  // again, from the watch
  EXPECT_FALSE(a.lease.Holds(kStart + absl::Seconds(11)));
}

TEST(MemberLease, IsLostWhenOthersRelease) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.List(kStart);
  const LeaseNumber number = a.number();
  a.cut_off = true;
  a.Take(leases.Release(number), kStart + absl::Seconds(1));
  EXPECT_FALSE(a.lease.Holds(kStart + absl::Seconds(1)));
  a.cut_off = false;
  a.Run(kStart + absl::Seconds(12), absl::Seconds(1));
  EXPECT_TRUE(a.lease.Holds(kStart + absl::Seconds(13)));
  EXPECT_EQ(a.lease.acquisitions(), 2u);
}

TEST(MemberLease, OfAnEarlierProcessOfTheInstanceIsTakenAtOnce) {
  FakeLeases leases;
  leases.Renew(9, "pod_1_old", {.buckets = 4});
  Candidate a(&leases, "pod_1_new", "pod_1_");
  a.List(kStart);
  EXPECT_TRUE(a.lease.Holds(kStart));
  EXPECT_EQ(leases.at(9).holder, "pod_1_new");
}

TEST(MemberLease, TwoProcessesOfOneInstanceDoNotTakeItFromEachOtherForEver) {
  FakeLeases leases;
  Candidate a(&leases, "pod_1_a", "pod_1_"), b(&leases, "pod_1_b", "pod_1_");
  a.List(kStart);
  b.List(kStart);
  a.List(kStart);
  for (absl::Duration at = kStart; at < kStart + absl::Seconds(30); at += absl::Seconds(1)) {
    a.List(at);
    b.List(at);
  }
  EXPECT_TRUE(a.lease.Holds(kStart + absl::Seconds(30)));
  EXPECT_TRUE(b.lease.Holds(kStart + absl::Seconds(30)));
  EXPECT_LE(a.lease.acquisitions() + b.lease.acquisitions(), 3u);
  EXPECT_THAT(a.notes, Contains("held by pod_1_b: another process has the same instance "
                                "(lease.instance), which only one may have"));
}

TEST(MemberLease, OfADeadWatcherIsTakenIfNoOtherIsFree) {
  FakeLeases leases;
  for (LeaseNumber i = 0; i < kMemberLeases; ++i) leases.Renew(i, absl::StrCat("w", i), {});
  Candidate a(&leases, "a");
  a.List(kStart);
  a.Run(kStart, absl::Seconds(14));
  EXPECT_EQ(a.writes, 0);
  a.Run(kStart + absl::Seconds(14), absl::Seconds(2));
  EXPECT_TRUE(a.lease.Holds(kStart + absl::Seconds(16)));
}

TEST(MemberLease, ThatIsLeftTellsTheOthersAtOnce) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.List(kStart);
  a.lease.Leave();
  a.Tick(kStart);
  EXPECT_TRUE(DecodeMember(leases.at(a.number()).content)->leaving);
}

/// A candidate whose writes arrive, but have no answer.
struct Unanswered : Candidate {
  using Candidate::Candidate;

  /// The next write that is due at `at`.
  WriteLease Send(absl::Duration at) {
    Outputs out;
    lease.Consider(members, at, &out);
    return std::get<WriteLease>(out.at(0));
  }
  void Fail(LeaseNumber number, absl::Duration at) {
    Outputs out;
    lease.OnWriteFailed({number, ApiFailure{}}, at, &out);
  }
};

TEST(MemberLease, IsHeldSinceTheFirstOfTheRenewalsOfWhichOneArrived) {
  FakeLeases leases;
  Unanswered a(&leases, "a");
  a.List(kStart);
  const absl::Duration first = kStart + absl::Seconds(2);
  const WriteLease renewal = a.Send(first);
  leases.Write(renewal);
  a.Fail(renewal.lease, first);
  const absl::Duration second = first + absl::Seconds(2);
  a.Send(second);
  a.Take(leases.at(renewal.lease), second);
  EXPECT_TRUE(a.lease.Holds(first + absl::Milliseconds(9900)));
  EXPECT_FALSE(a.lease.Holds(first + absl::Seconds(10))) << "others count from the first renewal";
}

TEST(MemberLease, WhatOthersWaitForIsToldBeforeTheNextRenewal) {
  FakeLeases leases;
  Candidate a(&leases, "a");
  a.List(kStart);
  const auto kept = [&] { return DecodeMember(leases.at(a.number()).content)->kept; };
  EXPECT_EQ(kept(), BucketSet(4)) << "nothing yet";
  BucketSet first(4);
  first.Add(0);
  a.lease.Keep(first, /*soon=*/true);
  a.Tick(kStart);
  EXPECT_EQ(kept(), first);
  a.lease.Keep(BucketSet::All(4), /*soon=*/false);
  a.Tick(kStart);
  EXPECT_EQ(kept(), first);
  a.Run(kStart, absl::Seconds(2));
  EXPECT_EQ(kept(), BucketSet::All(4));
}

TEST(MemberLease, WhatOthersWaitForIsToldAfterARenewalThatLacksIt) {
  FakeLeases leases;
  Unanswered a(&leases, "a");
  a.List(kStart);
  const absl::Duration later = kStart + absl::Seconds(2);
  const WriteLease renewal = a.Send(later);
  a.lease.Keep(BucketSet::All(4), /*soon=*/true);
  leases.Write(renewal);
  a.Take(leases.at(renewal.lease), later);
  EXPECT_EQ(a.lease.NextDeadline(a.members), later);
  a.Tick(later);
  EXPECT_EQ(DecodeMember(leases.at(renewal.lease).content)->kept, BucketSet::All(4));
}

TEST(Member, AnInstanceIsNotTheBeginningOfAnother) {
  EXPECT_TRUE(BelongsTo("host_a_", "host_a_0123456789abcdef"));
  EXPECT_FALSE(BelongsTo("host_a_", "host_a_b_0123456789abcdef"));
  EXPECT_FALSE(BelongsTo("", "host_0123456789abcdef"));
}

TEST(MemberLease, IsNotHeldIfTheAcquisitionThatArrivedWasSentLongAgo) {
  FakeLeases leases;
  Unanswered a(&leases, "a");
  a.members.OnListed(kStart);
  const WriteLease first = a.Send(kStart);
  leases.Write(first);
  const absl::Duration later = kStart + absl::Seconds(12);
  a.Send(later);  // in place of the first, which has no answer
  a.Take(leases.at(first.lease), later + absl::Seconds(1));
  EXPECT_FALSE(a.lease.Holds(later + absl::Seconds(1)));
}

}  // namespace
}  // namespace xebec::watcher::testing
