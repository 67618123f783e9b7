// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/resource_cache.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/cache/lists/list_run.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Children;
using testing::Deleted;
using testing::MakeForeign;
using testing::MakeObject;
using testing::Modified;
using testing::UidIn;

constexpr absl::Duration kNow = absl::Seconds(100);
constexpr StreamId kWatch = 1;

/// A cache at version 10 with the object "a" at version 5.
class ResourceCacheTest : public ::testing::Test {
 protected:
  ResourceCacheTest() {
    List({MakeObject("a", "ua", "5")}, "10");
    changes_.clear();
  }
  /// Reads and takes over a list. `limit` is that of each step; 0 takes no step.
  void List(const std::vector<kube::DecodedObject>& objects, const std::string& version,
            uint32_t limit = 100) {
    ListRun run(2, true, cache_.BeginList(), kNow, cache_.versions().cursor());
    cache_.BeginWidening(kWatch);
    for (const kube::DecodedObject& object : objects) {
      run.Take(object, cache_.TakeListed(object, AnyParent, &changes_));
    }
    cache_.Adopt(std::move(run).Complete(version), kNow);
    while (limit > 0 && !cache_.MergeSome(limit, kNow, AnyParent, &changes_)) {
    }
  }
  void Event(const kube::WatchEvent& event) {
    cache_.Take(event, WatchRun(kWatch, {}, {}), AnyParent, &changes_);
  }
  bool Has(const std::string& name) const {
    return cache_.store().Find({"default", name}) != nullptr;
  }

  ResourceCache cache_{ResourceSpec{{"", "v1", "Pod", "pods", false}, "", "", {}}};
  StoreChanges changes_;
};

TEST_F(ResourceCacheTest, IsCompleteOnceAListIsTakenOver) {
  EXPECT_TRUE(cache_.complete());
  EXPECT_EQ(cache_.lists(), (ListNumbers{1, 1, kNow}));
  cache_.BeginList();
  EXPECT_EQ(cache_.lists(), (ListNumbers{2, 1, kNow}));
  cache_.Invalidate();
  EXPECT_FALSE(cache_.complete());
  EXPECT_TRUE(Has("a"));
}

TEST_F(ResourceCacheTest, TheWatermarkWaitsForAListThatIsTakenOver) {
  List({MakeObject("a", "ua", "5"), MakeObject("b", "ub", "12")}, "20", /*limit=*/0);
  Event(Bookmark("30"));
  EXPECT_EQ(cache_.versions().cursor(), "30");
  EXPECT_EQ(cache_.store().watermark(), "10");
  EXPECT_EQ(cache_.merge_due(), kNow);
  EXPECT_TRUE(cache_.MergeSome(100, kNow, AnyParent, &changes_));
  EXPECT_EQ(cache_.store().watermark(), "30");
  EXPECT_EQ(cache_.merge_due(), absl::InfiniteDuration());
}

TEST_F(ResourceCacheTest, ARemovalDuringTheMergeCounts) {
  List({MakeObject("a", "ua", "5"), MakeObject("b", "ub", "12")}, "20", /*limit=*/0);
  Event(Deleted(MakeObject("b", "ub", "21")));
  EXPECT_TRUE(cache_.MergeSome(100, kNow, AnyParent, &changes_));
  EXPECT_FALSE(Has("b"));
}

TEST_F(ResourceCacheTest, WhatWasRemovedDuringAListDoesNotComeBack) {
  cache_.BeginList();
  Event(Deleted(MakeObject("a", "ua", "15")));
  cache_.NoteRemoval(MakeObject("a", "ua", "15").header);
  EXPECT_TRUE(cache_.TakeListed(MakeObject("a", "ua", "12"), AnyParent, &changes_))
      << "the list is behind";
  Event(Modified(MakeObject("a", "ua", "14")));
  EXPECT_FALSE(Has("a")) << "the watch repeats itself";
  cache_.ForgetRemovals();
  Event(Modified(MakeObject("a", "ua", "14")));
  EXPECT_FALSE(Has("a")) << "it is still behind";
  Event(Bookmark("15"));
  cache_.ForgetRemovals();
  EXPECT_FALSE(cache_.TakeListed(MakeObject("a", "ua", "12"), AnyParent, &changes_))
      << "nothing older can come";
}

TEST_F(ResourceCacheTest, AWiderCacheStaysCompleteAndListsReplaceEqualVersions) {
  ResourceSpec narrow = cache_.scope().held();
  narrow.projection.fields = {"spec"};
  ResourceSpec wide = cache_.scope().held();
  wide.projection.fields = {"spec", "status"};
  cache_ = ResourceCache(narrow);
  List({MakeObject("a", "ua", "5")}, "10");
  kube::DecodedObject object = MakeObject("a", "ua", "5");
  object.json = MakeObjectBytes("{\"status\":{}}");
  EXPECT_TRUE(cache_.TakeListed(object, AnyParent, &changes_)) << "equal versions have equal bytes";
  EXPECT_EQ(cache_.Specify(wide, kNow), ResourceCache::Respecified::kListNow);
  EXPECT_TRUE(cache_.complete());
  EXPECT_EQ(cache_.scope().held(), narrow);
  EXPECT_FALSE(cache_.TakeListed(object, AnyParent, &changes_)) << "its bytes are other ones";
  EXPECT_FALSE(cache_.TakeListed(MakeObject("a", "ua", "6"), AnyParent, &changes_));
  EXPECT_EQ(cache_.store().Find({"default", "a"})->resource_version, "5")
      << "the watch may yet show version 6 with the fields that it has";
  List({object}, "12");
  EXPECT_EQ(cache_.scope().held(), wide);
  EXPECT_TRUE(cache_.TakeListed(MakeObject("a", "ua", "5"), AnyParent, &changes_))
      << "bytes are not compared any more";
}

TEST_F(ResourceCacheTest, WhatCannotBeWidenedIsIncomplete) {
  ResourceSpec other = cache_.scope().held();
  other.label_selector = "app=web";
  EXPECT_EQ(cache_.Specify(other, kNow), ResourceCache::Respecified::kNothing) << "it has these";
  EXPECT_TRUE(cache_.complete());
  cache_ = ResourceCache(other);
  List({}, "10");
  other.label_selector = "app=db";
  EXPECT_EQ(cache_.Specify(other, kNow), ResourceCache::Respecified::kListNow);
  EXPECT_FALSE(cache_.complete());
}

// The objects that were forgotten lay between them: else no page of the memory would be free.
TEST_F(ResourceCacheTest, WhatStaysWhenItNarrowsGetsOtherMemory) {
  List({MakeObject("a", "ua", "5", UidIn(0)), MakeObject("b", "ub", "5", UidIn(1))}, "20");
  const PackedJson before = cache_.store().Find({"default", "b"})->json;
  ResourceSpec narrow = cache_.scope().wanted();
  narrow.projection.keep = Children({1});
  EXPECT_EQ(cache_.Specify(narrow, kNow), ResourceCache::Respecified::kNothing);
  cache_.ForgetSome(100, kNow, AnyParent, &changes_);
  EXPECT_FALSE(Has("a"));
  ASSERT_TRUE(Has("b"));
  const PackedJson after = cache_.store().Find({"default", "b"})->json;
  EXPECT_EQ(after, before);
  changes_.clear();
  EXPECT_EQ(before.packed().users(), 1u) << "the store has other bytes";
}

TEST_F(ResourceCacheTest, RemovesToldByDeletionsAndForeignObjects) {
  EXPECT_TRUE(Removes(Deleted(MakeObject("a", "ua", "15"))));
  EXPECT_TRUE(Removes(Modified(MakeForeign("a", "ua", "15"))));
  EXPECT_FALSE(Removes(Added(MakeObject("a", "ua", "15"))));
  EXPECT_FALSE(Removes(Bookmark("15")));
}

}  // namespace
}  // namespace xebec::watcher
