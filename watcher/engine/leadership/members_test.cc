// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/members.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

constexpr absl::Duration kStart = absl::Seconds(100);

class MembersTest : public ::testing::Test {
 protected:
  void List(absl::Duration at) {
    for (const LeaseSeen& each : leases_.List().leases) members_.Take(each, at);
    members_.OnListed(at);
  }

  FakeLeases leases_;
  Members members_{absl::Seconds(15)};
};

TEST_F(MembersTest, AreThoseThatHoldALease) {
  leases_.Renew(3, "b", {.buckets = 4, .address = "host:1"});
  leases_.Renew(0, "a", {.buckets = 4});
  leases_.Renew(5, "gone", {.buckets = 4});
  leases_.Release(5);
  List(kStart);
  ASSERT_EQ(members_.present().size(), 2u);
  EXPECT_EQ(members_.present()[0].identity, "a");
  ASSERT_NE(members_.Find("b"), nullptr);
  EXPECT_EQ(members_.Find("b")->facts.address, "host:1");
  EXPECT_EQ(members_.Find("gone"), nullptr);
}

TEST_F(MembersTest, AnEarlierStateThatComesLateIsIgnored) {
  const LeaseSeen old = leases_.Renew(3, "a", {.buckets = 4});
  const LeaseSeen now = leases_.Release(3);
  EXPECT_TRUE(members_.Take(now, kStart));
  EXPECT_FALSE(members_.Take(old, kStart));
  EXPECT_TRUE(members_.present().empty());
}

TEST_F(MembersTest, ALeaseExpiresWhenItHasNotChangedForItsDuration) {
  leases_.Renew(3, "a", {.buckets = 4});
  List(kStart);
  EXPECT_EQ(members_.ExpiresAt(3), kStart + absl::Seconds(15));
  members_.Take(leases_.Renew(3, "a", {.buckets = 4}), kStart + absl::Seconds(9));
  EXPECT_EQ(members_.ExpiresAt(3), kStart + absl::Seconds(24));
  List(kStart + absl::Seconds(10));
  EXPECT_EQ(members_.ExpiresAt(3), kStart + absl::Seconds(24)) << "it has not changed";
}

TEST_F(MembersTest, NothingExpiresWhileTheLeasesCannotBeRead) {
  leases_.Renew(3, "a", {.buckets = 4});
  List(kStart);
  members_.OnReadFailed();
  members_.Take(leases_.Renew(0, "me", {.buckets = 4}), kStart + absl::Seconds(30));
  EXPECT_EQ(members_.ExpiresAt(3), absl::InfiniteDuration()) << "only an own Lease was read";
  EXPECT_EQ(members_.Find("a")->expires_at, absl::InfiniteDuration());
  List(kStart + absl::Seconds(60));
  EXPECT_EQ(members_.ExpiresAt(3), kStart + absl::Seconds(75));
}

TEST_F(MembersTest, TellWhatTheyKeep) {
  BucketSet kept(4);
  kept.Add(2);
  leases_.Renew(0, "a", {.buckets = 4, .kept = kept});
  leases_.Renew(1, "nothing", {.buckets = 4, .kept = BucketSet(4)});
  leases_.Renew(2, "older", {.buckets = 4});
  leases_.Set({.lease = 3,
               .exists = true,
               .holder = "too many",
               .content = R"({"buckets":4,"kept":"0-7"})"});
  List(kStart);
  EXPECT_EQ(members_.Find("a")->facts.kept, kept);
  EXPECT_EQ(members_.Find("nothing")->facts.kept, BucketSet(4));
  EXPECT_EQ(members_.Find("older")->facts.kept, std::nullopt);
  EXPECT_EQ(members_.Find("too many")->facts.kept, std::nullopt);
}

TEST_F(MembersTest, WhatTheyKnewOfTheAssignmentIsRememberedWhenTheyHaveEnded) {
  members_.Take(leases_.Renew(1, "b", {.buckets = 4, .assignment = {7, 3}}), kStart);
  members_.Take(leases_.Release(1), kStart);
  members_.Take(leases_.Renew(2, "c", {.buckets = 4, .assignment = {5, 9}}), kStart);
  EXPECT_EQ(members_.told(), (AssignmentKnowledge{7, 9}));
  members_.Take(leases_.Renew(2, "c", {.buckets = 4, .assignment = {kMaxEpoch, 1}}), kStart);
  members_.Take(leases_.Renew(2, "c", {.buckets = 4, .assignment = {1, kMaxEpoch}}), kStart);
  EXPECT_EQ(members_.told(), (AssignmentKnowledge{7, 9})) << "no watcher wrote that";
}

TEST_F(MembersTest, FactsThatCannotBeReadAreDefaults) {
  leases_.Set({.lease = 1, .exists = true, .holder = "x", .content = "nonsense"});
  List(kStart);
  ASSERT_NE(members_.Find("x"), nullptr);
  EXPECT_EQ(members_.Find("x")->facts, MemberFacts());
}

}  // namespace
}  // namespace xebec::watcher::testing
