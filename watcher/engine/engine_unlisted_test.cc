// SPDX-License-Identifier: Apache-2.0
// Which parents the answers for users may lack.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

std::string Unlisted(const Harness& h, const std::string& plural = "widgets") {
  return h.engine.Unlisted([&](const ResourceType& type) { return type.plural == plural; })
      .buckets.ToText();
}

TEST(EngineUnlisted, AWatcherThatIsAloneLacksAllUntilTheFirstListIsComplete) {
  Harness h;
  h.cluster.SetWidget("w", 1, 7);
  EXPECT_EQ(Unlisted(h), "0") << "no planner has answered";
  h.Feed(DescriptionArrived{WidgetDescription()});
  EXPECT_EQ(Unlisted(h), "0");
  EXPECT_TRUE(h.Keys().empty());
  h.Deliver();
  EXPECT_EQ(Unlisted(h), "");
  EXPECT_EQ(h.Keys().size(), 1u);
}

TEST(EngineUnlisted, WhatIsNotServedOrMayNotBeListedIsNotMissing) {
  Harness h;
  h.unserved = {"widgets"};
  h.Start();
  EXPECT_EQ(Unlisted(h), "");
}

TEST(EngineUnlisted, ParentsOfControllersThatAreNotKnownYetMayBeMissing) {
  Options options = Harness::WithoutElection();
  options.hooks = true;
  Harness h(options);
  PlannerDescription description = WidgetDescription();
  description.kinds.front().declares = true;
  h.Feed(DescriptionArrived{description});
  EXPECT_EQ(Unlisted(h, "gadgets"), "0");
  h.Deliver();
  EXPECT_EQ(Unlisted(h, "gadgets"), "");
}

/// A watcher that holds the first of two buckets, beside another one with the second.
class UnlistedTest : public ::testing::Test {
 protected:
  UnlistedTest() {
    Options options;
    options.buckets = 2;
    h_ = Harness(options);
    for (int i = 0; i < 8; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
    h_.Start();
    h_.leases.Renew(7, "other", {.buckets = 2, .kept = BucketSet::All(2)});
    h_.leases.Assign({{{"watcher-a", 4, true}, {"other", 4, true}}});
    h_.Feed(h_.leases.List());
    h_.Feed(Join{});
    h_.Converge();
    h_.Advance(absl::Seconds(1));
    h_.Converge();
  }
  /// The other watcher is dead, and somebody gives its bucket to this one.
  void TakeOver() {
    h_.leases.Release(7);
    h_.leases.Assign({{{"watcher-a", 4, true}, {"watcher-a", 5, true}}});
    h_.Feed(h_.leases.List());
  }

  Harness h_;
};

TEST_F(UnlistedTest, TheBucketsOfOthersAreNotMissing) {
  EXPECT_EQ(Unlisted(h_), "");
  EXPECT_LT(h_.Keys().size(), 8u);
}

TEST_F(UnlistedTest, ABucketThatWasTakenOverIsMissingUntilItsParentsAreListed) {
  TakeOver();
  EXPECT_LT(h_.Keys().size(), 8u);
  EXPECT_EQ(Unlisted(h_), "1");
  EXPECT_EQ(Unlisted(h_, "gadgets"), "") << "of another kind";
  h_.Converge();
  EXPECT_EQ(Unlisted(h_), "");
  EXPECT_EQ(h_.Keys().size(), 8u);
}

}  // namespace
}  // namespace xebec::watcher::testing
