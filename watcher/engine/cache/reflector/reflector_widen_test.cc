// SPDX-License-Identifier: Apache-2.0
// A cache that is made wider while it is used.
#include "gtest/gtest.h"
#include "watcher/engine/cache/reflector/reflector.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::kPods;
using testing::ListEnd;
using testing::MakeObject;
using testing::Modified;
using testing::ReflectorTest;

/// A reflector that watches the fields "spec" from version 10 with object "a" at version 5, and is
/// asked for "status" too.
class WidenTest : public ReflectorTest {
 protected:
  WidenTest() {
    reflector_ = Reflector({kPods, "", "", {.fields = {"spec"}}}, {});
    StartWatching();
    watch_ = Stream();
    wider_ = reflector_.spec();
    wider_.projection.fields = {"spec", "status"};
    Do([&](auto& c) { reflector_.Respecify(wider_, c); });
  }
  static kube::DecodedObject Wide(const std::string& name, const std::string& version) {
    kube::DecodedObject object = MakeObject(name, "u" + name, version);
    object.json = MakeObjectBytes("{\"status\":" + version + "}");
    return object;
  }
  std::string BytesOf(const std::string& name) const {
    const StoredObject* object = reflector_.store().Find({"default", name});
    return object == nullptr ? "" : *object->json.Unpack();
  }

  StreamId watch_ = 0;
  ResourceSpec wider_;
};

TEST_F(WidenTest, StaysReadyAndWatchedAsItIsWhileTheWiderListRuns) {
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_TRUE(reflector_.cache().scope().active());
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->projection.fields.size(), 2u);
  EXPECT_EQ(Requested<StopStream>(), nullptr);
  EventsOf(watch_, {Added(MakeObject("b", "ub", "11"))});
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(reflector_.spec().projection.fields.size(), 1u);
}

TEST_F(WidenTest, HoldsMoreOnceTheListIsTakenOver) {
  Events({Added(Wide("a", "5")), ListEnd("12")});
  EXPECT_FALSE(reflector_.cache().scope().active());
  EXPECT_EQ(reflector_.spec(), wider_);
  EXPECT_EQ(BytesOf("a"), "{\"status\":5}");
}

TEST_F(WidenTest, EventsOfTheOldWatchThatAreAheadOfTheListComeAgainBeforeItHoldsMore) {
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "15")), Added(MakeObject("b", "ub", "16")),
                    Deleted(MakeObject("b", "ub", "17")), Bookmark("30")});
  Events({Added(Wide("a", "5")), ListEnd("12")});
  EXPECT_TRUE(reflector_.cache().scope().active()) << "object a lacks its status";
  Events({Modified(Wide("a", "15"))});
  EXPECT_EQ(BytesOf("a"), "{\"status\":15}");
  EXPECT_TRUE(reflector_.cache().scope().active());
  Events({Added(Wide("b", "16")), Deleted(Wide("b", "17"))});
  EXPECT_FALSE(reflector_.cache().scope().active()) << "bookmarks show no objects";
  EXPECT_FALSE(Has("b"));
}

TEST_F(WidenTest, AListThatFailsIsRepeatedInTheNewWay) {
  Fail(500);
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "15"))});
  EXPECT_TRUE(Has("a"));
  TickWhenDue();
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->projection.fields.size(), 2u);
  Events({Added(Wide("a", "15")), ListEnd("20")});
  EXPECT_FALSE(reflector_.cache().scope().active());
  EXPECT_EQ(BytesOf("a"), "{\"status\":15}");
}

TEST_F(WidenTest, WhatIsWidenedTwiceIsListedForBothOneAfterTheOther) {
  ResourceSpec widest = wider_;
  widest.projection.fields = {"data", "spec", "status"};
  Do([&](auto& c) { reflector_.Respecify(widest, c); });
  EXPECT_TRUE(out_.empty()) << "the list that is being read goes on";
  Events({Added(Wide("a", "5")), ListEnd("12")});
  EXPECT_EQ(reflector_.spec(), wider_);
  EXPECT_TRUE(reflector_.cache().scope().active());
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->projection.fields.size(), 3u);
  Events({Added(Wide("a", "5")), ListEnd("12")});
  EXPECT_EQ(reflector_.spec(), widest);
}

TEST_F(WidenTest, AListThatIsOfNoUseIsReplacedAtOnce) {
  ResourceSpec other = wider_;
  other.projection.fields = {"data", "spec"};
  const StreamId list = Stream();
  Do([&](auto& c) { reflector_.Respecify(other, c); });
  EXPECT_EQ(Requested<StopStream>()->stream, list);
  Events({Added(Wide("a", "5")), ListEnd("12")});
  EXPECT_EQ(reflector_.spec(), other);
  EXPECT_FALSE(reflector_.cache().scope().active());
}

}  // namespace
}  // namespace xebec::watcher
