// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/widening.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"

namespace xebec::watcher {
namespace {

using testing::Children;

ResourceSpec Fields(std::vector<std::string> fields) {
  return {{"", "v1", "Pod", "pods", false}, "", "", {.fields = std::move(fields)}};
}
ResourceSpec Of(std::initializer_list<uint32_t> buckets) {
  ResourceSpec spec = Fields({"spec"});
  spec.projection.keep = Children(buckets);
  return spec;
}

/// Widens from "spec" to "status" too. Streams up to the third are narrow.
class WideningTest : public ::testing::Test {
 protected:
  static constexpr StreamId kNarrow = 3;
  static constexpr StreamId kWide = 4;
  WideningTest() {
    widening_.Want(Fields({"spec", "status"}));
    widening_.OnListBegun(kNarrow);
  }
  Widening widening_{Fields({"spec"})};
};

TEST_F(WideningTest, HoldsTheNarrowSpecUntilTheWideListIsTakenOver) {
  EXPECT_EQ(widening_.held(), Fields({"spec"}));
  EXPECT_EQ(widening_.wanted(), Fields({"spec", "status"}));
  EXPECT_FALSE(widening_.Complete("10"));
  EXPECT_TRUE(widening_.active());
  widening_.OnListed();
  EXPECT_TRUE(widening_.Complete("10"));
  EXPECT_FALSE(widening_.active());
  EXPECT_EQ(widening_.held(), Fields({"spec", "status"}));
  EXPECT_FALSE(widening_.Complete("10")) << "it has ended";
}

TEST_F(WideningTest, WaitsUntilTheEventsOfNarrowWatchesHaveComeAgain) {
  widening_.OnEvent(kNarrow - 1, "14");
  widening_.OnEvent(kNarrow, "15");
  widening_.OnListed();
  widening_.OnEvent(kWide, "20");
  EXPECT_FALSE(widening_.Complete("14"));
  EXPECT_TRUE(widening_.Complete("15"));
}

TEST_F(WideningTest, WhatIsReplacedIsNotWidened) {
  widening_.Replace(Fields({"data"}));
  EXPECT_FALSE(widening_.active());
  EXPECT_EQ(widening_.held(), Fields({"data"}));
  EXPECT_EQ(widening_.wanted(), Fields({"data"}));
}

TEST_F(WideningTest, FinishesWithoutAList) {
  widening_.Finish();
  EXPECT_EQ(widening_.held(), Fields({"spec", "status"}));
  EXPECT_FALSE(widening_.listing());
}

TEST_F(WideningTest, HoldsWhatAListWasForThoughMoreIsWantedMeanwhile) {
  widening_.Want(Fields({"data", "spec", "status"}));
  widening_.OnListed();
  EXPECT_TRUE(widening_.Complete("10"));
  EXPECT_EQ(widening_.held(), Fields({"spec", "status"}));
  EXPECT_TRUE(widening_.active());
  EXPECT_FALSE(widening_.listing()) << "another list has to follow";
}

TEST_F(WideningTest, AListIsOfNoUseForASpecThatDoesNotCoverIt) {
  EXPECT_TRUE(widening_.MayList(Fields({"data", "spec", "status"})));
  EXPECT_FALSE(widening_.MayList(Fields({"data", "spec"})));
}

TEST(WideningOfBuckets, WhatIsLostIsHeldNoMoreWhateverIsListed) {
  Widening widening(Of({0, 1}));
  widening.Want(Of({0, 1, 2, 3}));
  widening.OnListBegun(1);
  widening.Narrow(Children({1, 2}));
  EXPECT_EQ(widening.held(), Of({1}));
  widening.Want(Of({1, 2}));
  widening.OnListed();
  EXPECT_TRUE(widening.Complete("10"));
  EXPECT_EQ(widening.held(), Of({1, 2}));
  EXPECT_FALSE(widening.active());
}

TEST(WideningOfBuckets, AListDoesNotCountForABucketThatWasLostMeanwhile) {
  Widening widening(Of({0}));
  widening.Want(Of({0, 1}));
  widening.OnListBegun(1);
  widening.Narrow(Children({0}));
  widening.Want(Of({0}));
  EXPECT_FALSE(widening.active());
  widening.Want(Of({0, 1}));
  widening.OnListed();
  EXPECT_TRUE(widening.Complete("10"));
  EXPECT_EQ(widening.held(), Of({0})) << "objects were forgotten while it was read";
  EXPECT_TRUE(widening.active());
}

TEST(WideningOfBuckets, APlainListWaitsForNothing) {
  Widening widening(Of({0}));
  widening.OnListBegun(1);
  widening.OnEvent(1, "15");
  widening.OnListed();
  EXPECT_TRUE(widening.Complete("14"));
  EXPECT_FALSE(widening.listing());
}

}  // namespace
}  // namespace xebec::watcher
