// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_merge.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::MakeObject;
using testing::Parents;

constexpr absl::Duration kNow = absl::Seconds(100);
const kube::BucketFilter kEverything;
const ListMerge::Scope kAll{kEverything, kEverything};

/// A store with the objects old-0 … old-9 at version 5, and a list at version 20.
class ListMergeTest : public ::testing::Test {
 protected:
  ListMergeTest() {
    for (int i = 0; i < 10; ++i) {
      const std::string number = std::to_string(i);
      store_.Upsert(MakeObject("old-" + number, "uo" + number, "5"), &changes_);
    }
    changes_.clear();
    store_.BeginList(1);
    store_.EndList();
  }
  static ListMerge MergeOf(int objects) {
    CompleteList list{.number = 1, .began = kNow, .version = "20", .news = {}};
    for (int i = 0; i < objects; ++i) {
      const std::string number = std::to_string(i);
      list.news.Set({"default", "new-" + number}, ToStored(MakeObject("new-" + number, "un", "6")));
    }
    return {std::move(list), kNow};
  }

  ObjectStore store_;
  StoreChanges changes_;
};

TEST_F(ListMergeTest, ASmallListTakesOneStep) {
  ListMerge merge = MergeOf(2);
  EXPECT_TRUE(merge.Step(100, kNow, kAll, &store_, &changes_));
  EXPECT_EQ(store_.objects().size(), 2u);
  EXPECT_EQ(changes_.size(), 12u);
}

TEST_F(ListMergeTest, ALargeListIsMergedBeforeTheStoreIsSwept) {
  ListMerge merge = MergeOf(4);
  EXPECT_FALSE(merge.Step(2, kNow, kAll, &store_, &changes_));
  EXPECT_EQ(changes_.size(), 2u);
  EXPECT_EQ(merge.due(), kNow);
  EXPECT_FALSE(merge.Step(2, kNow + absl::Seconds(1), kAll, &store_, &changes_));
  EXPECT_EQ(store_.objects().size(), 14u - changes_.size() + 4u);
  EXPECT_EQ(merge.due(), kNow + absl::Seconds(1)) << "there is more to do at once";
  int steps = 2;
  while (!merge.Step(2, kNow, kAll, &store_, &changes_)) ASSERT_LT(++steps, 10);
  EXPECT_EQ(steps, 3) << "14 slots are swept by eight";
  EXPECT_EQ(store_.objects().size(), 4u);
}

TEST_F(ListMergeTest, ARemovalBetweenStepsCounts) {
  ListMerge merge = MergeOf(4);
  EXPECT_FALSE(merge.Step(2, kNow, kAll, &store_, &changes_));
  merge.OnRemoved(MakeObject("new-3", "un", "21").header);
  while (!merge.Step(2, kNow, kAll, &store_, &changes_)) {
  }
  EXPECT_EQ(store_.Find({"default", "new-3"}), nullptr);
  EXPECT_NE(store_.Find({"default", "new-2"}), nullptr);
}

TEST_F(ListMergeTest, ObjectsThatTheListDoesNotShowStay) {
  ListMerge merge = MergeOf(2);
  const kube::BucketFilter none = Parents({});
  EXPECT_TRUE(merge.Step(100, kNow, {kEverything, none}, &store_, &changes_));
  EXPECT_EQ(store_.objects().size(), 12u);
}

TEST_F(ListMergeTest, ObjectsThatAreNotKeptDoNotCome) {
  ListMerge merge = MergeOf(2);
  const kube::BucketFilter none = Parents({});
  EXPECT_TRUE(merge.Step(100, kNow, {none, kEverything}, &store_, &changes_));
  EXPECT_EQ(store_.objects().size(), 0u);
}

}  // namespace
}  // namespace xebec::watcher
