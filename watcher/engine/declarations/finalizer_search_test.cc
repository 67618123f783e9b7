// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/finalizer_search.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/objects.h"
#include "watcher/engine/testing/pool_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Deleted;
using testing::MakeObject;
using testing::Modified;
using testing::PartType;
using Result = FinalizerSearch::Result;

constexpr char kFinalizer[] = "operators.xebec.dev/web";

/// A watched resource with the parents "p0" to "p9", and a search that examines three at a time.
class FinalizerSearchTest : public ::testing::Test {
 protected:
  FinalizerSearchTest() {
    rig_.Watch(PartType());
    std::vector<kube::DecodedObject> parents;
    for (int i = 0; i < 10; ++i) parents.push_back(Parent(i));
    rig_.Serve(PartType(), std::move(parents));
  }

  kube::DecodedObject Parent(int number, bool held = false) {
    const std::string name = absl::StrCat("p", number);
    kube::DecodedObject object = MakeObject(name, "u" + name, absl::StrCat(++version_));
    if (held) object.json = MakeObjectBytes(absl::StrCat("[\"", kFinalizer, "\"]"));
    return object;
  }
  void Feed(kube::WatchEvent event) { rig_.Feed(PartType(), {std::move(event)}); }
  /// The parent gets the finalizer, or loses it.
  void Write(int number, bool held) {
    Feed(Modified(Parent(number, held)));
    search_.OnParent({"default", absl::StrCat("p", number)});
  }
  Result Continue() { return search_.Continue(rig_.pool.Of(PartType()), rig_.pool, kFinalizer, 3); }
  Result Finish() {
    Result result = Continue();
    for (int i = 0; i < 10 && result == Result::kUnknown; ++i) result = Continue();
    return result;
  }

  testing::PoolRig rig_;
  int version_ = 1000;
  FinalizerSearch search_;
};

TEST_F(FinalizerSearchTest, ExaminesAFewParentsAtATime) {
  ASSERT_EQ(rig_.pool.store(0).objects().size(), 10u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Continue(), Result::kUnknown);
  EXPECT_EQ(Continue(), Result::kNone);
  EXPECT_EQ(Continue(), Result::kNone);
}

TEST_F(FinalizerSearchTest, GoesOnWhereItFoundAParentOnceThatIsReleased) {
  Write(8, true);
  EXPECT_EQ(Finish(), Result::kFound);
  EXPECT_EQ(Continue(), Result::kFound);
  Write(8, false);
  EXPECT_EQ(Finish(), Result::kNone);
}

TEST_F(FinalizerSearchTest, NoticesAParentThatGetsTheFinalizerAfterItWasExamined) {
  ASSERT_EQ(Finish(), Result::kNone);
  Write(0, true);
  EXPECT_EQ(Continue(), Result::kFound);
  Feed(Deleted(Parent(0, true)));
  EXPECT_EQ(Continue(), Result::kNone) << "a parent that is gone has no finalizer";
}

TEST_F(FinalizerSearchTest, NoticesAParentThatIsAddedAfterTheEnd) {
  ASSERT_EQ(Finish(), Result::kNone);
  Feed(Added(Parent(11, true)));
  search_.OnParent({"default", "p11"});
  EXPECT_EQ(Continue(), Result::kFound);
}

TEST_F(FinalizerSearchTest, StartsOverForAnotherFinalizer) {
  Write(0, true);
  FinalizerSearch other;
  EXPECT_EQ(other.Continue(rig_.pool.Of(PartType()), rig_.pool, "example.com/other", 20),
            Result::kNone);
  EXPECT_EQ(other.Continue(rig_.pool.Of(PartType()), rig_.pool, kFinalizer, 20), Result::kFound);
}

TEST_F(FinalizerSearchTest, FindsNothingWithoutWatches) {
  EXPECT_EQ(search_.Continue({}, rig_.pool, kFinalizer, 3), Result::kNone);
  EXPECT_EQ(Finish(), Result::kNone) << "the watch is new";
}

}  // namespace
}  // namespace xebec::watcher
