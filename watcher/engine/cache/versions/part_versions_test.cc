// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/versions/part_versions.h"

#include <initializer_list>
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Children;
using testing::MakeBuckets;
using testing::MakeObject;
using testing::UidIn;

kube::ObjectHeader Child(uint32_t bucket, const std::string& version) {
  return MakeObject("a", "ua", version, UidIn(bucket)).header;
}

TEST(PartVersions, StatesUpToTheVersionOfTheirPartAreContained) {
  PartVersions parts;
  parts.Add(Children({1, 2}), "20");
  EXPECT_TRUE(parts.Contain(Child(1, "20")));
  EXPECT_TRUE(parts.Contain(Child(2, "9")));
  EXPECT_FALSE(parts.Contain(Child(1, "21")));
  EXPECT_FALSE(parts.Contain(Child(0, "9"))) << "it belongs to no part";
  parts.Add(Children({0, 1}), "30");
  EXPECT_TRUE(parts.Contain(Child(1, "21"))) << "the later version counts";
}

TEST(PartVersions, AParentLabelDoesNotTellThePart) {
  PartVersions parts;
  parts.Add(Children({1}), "20");
  kube::ObjectHeader labelled = Child(1, "9");
  labelled.parent_label = "w";
  EXPECT_FALSE(parts.Contain(labelled));
}

TEST(PartVersions, APartEndsWhenTheWatchHasReachedItsVersion) {
  PartVersions parts;
  parts.Add(Children({1}), "20");
  parts.Add(Children({2}), "30");
  parts.Reach("19");
  EXPECT_EQ(parts.Of(MakeBuckets({1}), "19"), "20");
  parts.Reach("20");
  EXPECT_EQ(parts.Of(MakeBuckets({1}), "20"), "20");
  EXPECT_FALSE(parts.Contain(Child(1, "9")));
  EXPECT_FALSE(parts.empty());
  parts.Reach("100");
  EXPECT_TRUE(parts.empty());
}

TEST(PartVersions, BucketsOfSeveralPartsAreAsOldAsTheWatch) {
  PartVersions parts;
  parts.Add(Children({1}), "20");
  parts.Add(Children({2}), "30");
  EXPECT_EQ(parts.Of(MakeBuckets({1, 2}), "10"), "10");
  EXPECT_EQ(parts.Of(MakeBuckets({0}), "10"), "10");
  EXPECT_EQ(parts.Latest("10"), "30");
  EXPECT_EQ(parts.Latest("40"), "40");
}

TEST(PartVersions, LostBucketsLeaveTheirParts) {
  PartVersions parts;
  parts.Add(Children({1, 2}), "20");
  parts.Narrow(Children({0, 2}));
  EXPECT_FALSE(parts.Contain(Child(1, "9")));
  EXPECT_TRUE(parts.Contain(Child(2, "9")));
  parts.Narrow({});
  EXPECT_TRUE(parts.Contain(Child(2, "9"))) << "everything is kept";
  parts.Narrow(Children({0}));
  EXPECT_FALSE(parts.Contain(Child(2, "9")));
  EXPECT_FALSE(parts.empty()) << "the watch has not reached it";
}

TEST(PartVersions, WithoutBucketsThereAreNoParts) {
  PartVersions parts;
  parts.Add({}, "20");
  EXPECT_TRUE(parts.empty());
}

}  // namespace
}  // namespace xebec::watcher
