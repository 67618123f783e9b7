// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/members_view.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// An engine with eight buckets and what it shows of the watchers.
class MembersViewTest : public ::testing::Test {
 protected:
  static Options EightBuckets() {
    Options options;
    options.buckets = 8;
    options.address = "10.0.0.1:7442";
    return options;
  }
  void Start() {
    h_.StartAndJoin();
    h_.Converge();
  }
  /// The other watcher renews its Lease and holds buckets.
  void OtherHolds(const MemberFacts& facts, const std::vector<uint32_t>& buckets) {
    h_.leases.Renew(7, "watcher-b", facts);
    Assignment next = h_.leases.assignment();
    for (const uint32_t bucket : buckets) {
      BucketHolder& holder = next.buckets[bucket];
      holder = {"watcher-b", holder.epoch + 1, true};
    }
    if (!buckets.empty()) h_.leases.Assign(next);
    h_.Feed(h_.leases.List());
  }
  MembersView View() const { return h_.engine.Members(h_.now); }
  MemberView Other() const { return View().members.at(1); }

  Harness h_{EightBuckets()};
};

TEST(MembersView, ObjectsOfGainedBucketsAreTransferredFromEachHolderInAStepIfAllCanHandThemOver) {
  const auto member = [](const char* name, const char* buckets) {
    return MemberView{.identity = name,
                      .address = absl::StrCat(name, ":7442"),
                      .buckets = *BucketSet::Parse(buckets, 8)};
  };
  MembersView view{{member("a", "0"), member("b", "1-4"), member("c", "5"), member("d", "6")},
                   BucketSet(8)};
  view.members[0].self = true;
  view.members[1].state = MemberState::kLeaving;
  view.members[3].state = MemberState::kSilent;
  const auto first = [&view](const char* gained) {
    return FirstTransfer(view, *BucketSet::Parse(gained, 8));
  };
  const auto step = [](const char* from, const char* buckets) {
    return GainStep{from, *BucketSet::Parse(buckets, 8)};
  };
  EXPECT_EQ(first("1,3-4"), step("b:7442", "1,3-4"));
  EXPECT_EQ(first("3-5"), step("b:7442", "3-4")) << "two watchers";
  EXPECT_EQ(first("0-1"), std::nullopt) << "one is its own";
  EXPECT_EQ(first("4,6"), std::nullopt) << "one is of a silent watcher";
  EXPECT_EQ(first("5,7"), std::nullopt) << "nobody has one";
  EXPECT_EQ(first(""), std::nullopt);
  EXPECT_EQ(FirstTransfer(view, BucketSet::All(4)), std::nullopt) << "another number of buckets";
  view.members[2].address = "";
  EXPECT_EQ(first("4-5"), std::nullopt) << "one has no address";
}

TEST_F(MembersViewTest, BeforeItJoinsAWatcherWaitsAndSaysWhy) {
  h_.Start();
  const MembersView view = View();
  ASSERT_THAT(view.members, SizeIs(1));
  EXPECT_TRUE(view.members[0].self);
  EXPECT_EQ(view.members[0].identity, "watcher-a");
  EXPECT_EQ(view.members[0].address, "10.0.0.1:7442");
  EXPECT_EQ(view.members[0].state, MemberState::kWaiting);
  EXPECT_NE(view.members[0].reason, "");
  EXPECT_EQ(view.unassigned.size(), 8u);
}

TEST_F(MembersViewTest, AWatcherJoinsOthersOnlyOnceAPlannerHasAnswered) {
  OtherHolds({.buckets = 8}, {});
  h_.Feed(Join{});
  const auto joins = [this] {
    for (const WriteLease& write : h_.Take<WriteLease>()) {
      if (write.lease != kAssignmentLease && write.holder == "watcher-a") return true;
    }
    return false;
  };
  for (int i = 0; i < 60; ++i) {
    h_.Advance(absl::Seconds(1));
    OtherHolds({.buckets = 8}, {});
    EXPECT_FALSE(joins()) << i;
  }
  h_.Start();
  EXPECT_TRUE(joins());
}

TEST_F(MembersViewTest, TheOnlyWatcherHoldsAllBuckets) {
  Start();
  const MembersView view = View();
  ASSERT_THAT(view.members, SizeIs(1));
  EXPECT_EQ(view.members[0].state, MemberState::kActive);
  EXPECT_EQ(view.members[0].reason, "");
  EXPECT_TRUE(view.members[0].buckets.full());
  EXPECT_TRUE(view.unassigned.empty());
}

TEST_F(MembersViewTest, EachBucketIsThatOfItsHolder) {
  Start();
  OtherHolds({.buckets = 8, .address = "10.0.0.2:7442"}, {0, 1, 5});
  const MembersView view = View();
  ASSERT_THAT(view.members, SizeIs(2));
  EXPECT_EQ(view.members[0].buckets.ToText(), "2-4,6-7");
  EXPECT_EQ(view.members[1].buckets.ToText(), "0-1,5");
  EXPECT_EQ(view.members[1].address, "10.0.0.2:7442");
  EXPECT_EQ(view.members[1].state, MemberState::kActive);
  EXPECT_TRUE(view.unassigned.empty());
}

TEST_F(MembersViewTest, AMemberThatDoesNotRenewIsSilentSinceItsLastRenewal) {
  Start();
  OtherHolds({.buckets = 8}, {0});
  const absl::Time renewed = h_.now.wall;
  h_.Advance(absl::Seconds(5));
  EXPECT_EQ(Other().state, MemberState::kActive);
  h_.Advance(absl::Seconds(2));
  EXPECT_EQ(Other().state, MemberState::kSilent);
  EXPECT_EQ(Other().silent_since, renewed);
  EXPECT_EQ(Other().buckets.ToText(), "0");
}

TEST_F(MembersViewTest, AMemberThatLeavesOrHasAnotherCountSaysSo) {
  Start();
  OtherHolds({.buckets = 8, .leaving = true}, {});
  EXPECT_EQ(Other().state, MemberState::kLeaving);
  OtherHolds({.buckets = 16}, {});
  EXPECT_EQ(Other().state, MemberState::kWaiting);
  EXPECT_THAT(Other().reason, HasSubstr("has 8 buckets and this watcher is configured with 16"));
}

TEST_F(MembersViewTest, AMemberThatPlansOtherKindsHasAWarning) {
  Start();
  OtherHolds({.buckets = 8, .work = WorkOf(EightBuckets())}, {3});
  EXPECT_EQ(Other().warning, "");
  OtherHolds({.buckets = 8, .work = "another"}, {3});
  EXPECT_THAT(Other().warning, HasSubstr("some parents are not reconciled"));
  EXPECT_EQ(Other().state, MemberState::kActive);
  EXPECT_EQ(h_.engine.Figures(h_.now).leadership.differing, 1u);
  h_.Advance(absl::Minutes(1));  // no write of the own Lease is answered
  ASSERT_NE(View().members.at(0).state, MemberState::kActive);
  EXPECT_EQ(h_.engine.Figures(h_.now).leadership.differing, 0u) << "it does not compare any more";
}

TEST_F(MembersViewTest, BucketsOfUnknownHoldersAreUnassigned) {
  Start();
  OtherHolds({.buckets = 8}, {3});
  h_.leases.Release(7);
  h_.Feed(h_.leases.List());
  EXPECT_EQ(View().unassigned.ToText(), "3");
}

TEST(MembersView, WithoutElectionThereIsOneWatcherWithOneBucket) {
  Harness h;
  h.Start();
  const MembersView view = h.engine.Members(h.now);
  ASSERT_THAT(view.members, SizeIs(1));
  EXPECT_EQ(view.members[0].state, MemberState::kActive);
  EXPECT_TRUE(view.members[0].Holds("any uid"));
  EXPECT_EQ(view.unassigned.count(), 1u);
  EXPECT_TRUE(view.unassigned.empty());
}

TEST_F(MembersViewTest, BucketsOfAWatcherThatIsSilentAreNobodys) {
  Start();
  OtherHolds({.buckets = 8}, {3, 4});
  const auto all = [this] { return h_.engine.leadership().AllAssigned(h_.now.monotonic); };
  const auto unassigned = [this] { return h_.engine.Figures(h_.now).leadership.unassigned; };
  EXPECT_TRUE(all());
  EXPECT_EQ(unassigned(), 0u);
  EXPECT_EQ(h_.engine.leadership().Assigned().ToVector().size(), 6u);
  for (int second = 0; second < 14; ++second) {
    h_.Advance(absl::Seconds(1));
    h_.AnswerLeases();
  }
  EXPECT_EQ(unassigned(), 0u);
  h_.Advance(absl::Seconds(2));
  EXPECT_FALSE(all());
  EXPECT_EQ(unassigned(), 4u) << "half of all; its Lease is not released yet";
  h_.AnswerLeases();
  h_.Advance(absl::Seconds(1));
  h_.AnswerLeases();
  EXPECT_EQ(unassigned(), 0u);
}

}  // namespace
}  // namespace xebec::watcher::testing
