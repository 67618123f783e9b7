// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/dead_members.h"

#include <algorithm>
#include <variant>

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

constexpr absl::Duration kStart = absl::Seconds(100);
constexpr absl::Duration kExpiry = absl::Seconds(115);
constexpr absl::Duration kDelay = absl::Milliseconds(200);

/// "me" holds Lease 0 and "other" holds Lease 1.
class DeadMembersTest : public ::testing::Test {
 protected:
  DeadMembersTest() {
    See(leases_.Renew(0, "me", {.buckets = 2}), kStart);
    See(leases_.Renew(1, "other", {.buckets = 2}), kStart);
  }
  void See(const LeaseSeen& seen, absl::Duration now) {
    members_.Take(seen, now);
    dead_.OnSeen(seen.lease);
    dead_.Recheck();
  }
  bool Release(absl::Duration now) {
    out_.clear();
    return dead_.Release(members_, LeaseNumber{0}, kDelay, now, &out_);
  }
  size_t Writes() const {
    return std::count_if(out_.begin(), out_.end(), [](const Output& each) {
      return std::holds_alternative<WriteLease>(each);
    });
  }

  FakeLeases leases_;
  Members members_{absl::Seconds(15)};
  DeadMembers dead_{LeasePolicy(), "me"};
  Outputs out_;
};

TEST_F(DeadMembersTest, ReleasesTheLeaseOfAnotherWatcherAfterItsExpiryAndTheDelay) {
  EXPECT_FALSE(Release(kExpiry));
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(dead_.NextDeadline(), kExpiry + kDelay);
  EXPECT_TRUE(Release(kExpiry + kDelay));
  ASSERT_EQ(out_.size(), 2u);
  EXPECT_EQ(std::get<Note>(out_[0]).what, "Watcher dead");
  const auto& write = std::get<WriteLease>(out_[1]);
  EXPECT_EQ(write.lease, 1u);
  EXPECT_EQ(write.holder, "");
  EXPECT_EQ(write.resource_version, leases_.at(1).resource_version);
  EXPECT_EQ(write.content, leases_.at(1).content) << "what it knew of the assignment";
}

TEST_F(DeadMembersTest, ARenewalInTimeKeepsTheLease) {
  See(leases_.Renew(1, "other", {.buckets = 2}), kExpiry);
  EXPECT_FALSE(Release(kExpiry + kDelay));
  EXPECT_TRUE(out_.empty());
}

TEST_F(DeadMembersTest, RepeatsAWriteWithoutAnAnswerAfterTheRenewDeadline) {
  const absl::Duration sent = kExpiry + kDelay;
  Release(sent);
  EXPECT_EQ(dead_.NextDeadline(), sent + absl::Seconds(10));
  EXPECT_FALSE(Release(sent + absl::Seconds(9)));
  EXPECT_EQ(Writes(), 0u);
  Release(sent + absl::Seconds(10));
  EXPECT_EQ(Writes(), 1u);
}

TEST_F(DeadMembersTest, RepeatsAWriteThatFailedAtOnce) {
  EXPECT_FALSE(dead_.OnWriteFailed(1)) << "nothing was sent";
  Release(kExpiry + kDelay);
  EXPECT_TRUE(dead_.OnWriteFailed(1));
  Release(kExpiry + kDelay);
  EXPECT_EQ(Writes(), 1u);
}

TEST_F(DeadMembersTest, ReleasesAnotherLeaseOfThisWatcherAtOnce) {
  See(leases_.Renew(2, "me", {.buckets = 2}), kStart);
  EXPECT_FALSE(Release(kStart)) << "it is not dead";
  ASSERT_EQ(out_.size(), 1u);
  EXPECT_EQ(std::get<WriteLease>(out_[0]).lease, 2u);
}

}  // namespace
}  // namespace xebec::watcher::testing
