// SPDX-License-Identifier: Apache-2.0
// Buckets that this watcher gets from a living one: what its caches need before it plans.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

/// A watcher that is about to join another one, with more widgets in the bucket that it will get
/// than a list reads at a barrier, by pages of one object.
class LargeYieldTest : public ::testing::Test {
 protected:
  LargeYieldTest() {
    Options options;
    options.buckets = 2;
    options.list_page = 1;
    h_ = Harness(options);
    while (in_second_.size() < kWidgets) AddWidget();
    h_.Start();
    h_.leases.Renew(7, "other", {.buckets = 2});
    h_.leases.Assign({{{"other", 4, true}, {"other", 4, true}}});
    h_.Feed(h_.leases.List());
    h_.Feed(Join{});
    h_.AnswerLeases();
    h_.Advance(absl::Milliseconds(300));
    h_.Deliver();
    h_.AnswerLeases();
    widgets_ = h_.StreamOf(WidgetType());
  }
  void AddWidget() {
    const std::string name = absl::StrCat("w", ++widget_count_);
    h_.cluster.SetWidget(name, 1, 7);
    const Json& widget = *h_.cluster.Find(WidgetType(), {"default", name});
    if (BucketOf(FindString(widget, {"metadata", "uid"}), 2) == 1) in_second_.push_back(name);
  }
  void Yield() {
    h_.Advance(absl::Milliseconds(1));  // later than the lists
    h_.leases.Assign({{{"other", 4, true}, {"watcher-a", 5, true, !seen_.empty()}}, seen_});
    h_.Feed(h_.leases.List());
  }
  /// Nothing is planned until the watch shows the changes of the widgets.
  void ExpectPlansOfTheHeldChanges() {
    h_.Deliver();
    EXPECT_TRUE(h_.observations.empty());
    h_.held = {};
    h_.Deliver();
    ASSERT_FALSE(h_.observations.empty());
    EXPECT_EQ(h_.observations[0].observation.envelope.parent.generation, 2);
  }
  static constexpr size_t kWidgets = 12;
  static kube::WatchEvent Bookmark(const std::string& version) {
    kube::WatchEvent bookmark;
    bookmark.type = kube::WatchEventType::kBookmark;
    bookmark.object.header.resource_version = version;
    return bookmark;
  }

  Harness h_;
  std::vector<std::string> in_second_;
  int widget_count_ = 0;
  SeenVersions seen_;  // that the predecessor states
  StreamId widgets_ = 0;
};

TEST_F(LargeYieldTest, ListsNothingAgainButWaitsUntilTheWatchHasPassedABarrier) {
  EXPECT_EQ(h_.Keys().size(), kWidgets) << "of the bucket that it will get";
  h_.cluster.ForeignPart("other", 1);  // a version of which the watch of widgets knows nothing
  Yield();
  h_.Deliver();
  EXPECT_TRUE(h_.engine.Leads(1));
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.StreamOf(WidgetType()), widgets_) << "the watch goes on";
  h_.Feed(EventsArrived{widgets_, {Bookmark(h_.cluster.version())}});
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(LargeYieldTest, PlansAtOnceIfTheWatchHasShownWhatThePredecessorStates) {
  seen_ = {{"example.com/v1/widgets", h_.cluster.version()}, {"v1/parts", h_.cluster.version()}};
  h_.cluster.ForeignPart("other", 1);  // a version of which the watch of widgets knows nothing
  Yield();
  EXPECT_FALSE(h_.observations.empty());
  EXPECT_EQ(h_.StreamOf(WidgetType()), widgets_) << "the watch goes on";
  EXPECT_TRUE(h_.Take<StartList>().empty());
}

TEST_F(LargeYieldTest, WaitsUntilTheWatchShowsWhatThePredecessorStates) {
  h_.held = {"widgets"};
  for (const std::string& each : in_second_) h_.cluster.SetWidget(each, 0, 8);
  seen_ = {{"example.com/v1/widgets", h_.cluster.version()}, {"v1/parts", "1"}};
  Yield();
  ExpectPlansOfTheHeldChanges();
}

TEST_F(LargeYieldTest, ReadsAStatementThatALaterAssignmentOfTheSameInputReplaces) {
  h_.Advance(absl::Milliseconds(1));
  const std::string version = h_.cluster.version();
  h_.cluster.ForeignPart("other", 1);
  LeasesSeen seen;
  h_.leases.Assign({{{"other", 4, true}, {"watcher-a", 5, true, true}},
                    {{"example.com/v1/widgets", version}, {"v1/parts", version}}});
  seen.leases.push_back(h_.leases.at(kAssignmentLease));
  h_.leases.Assign({{{"other", 4, true}, {"watcher-a", 5, true}}});
  seen.leases.push_back(h_.leases.at(kAssignmentLease));
  h_.Feed(std::move(seen));
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(LargeYieldTest, StatesNothingOfAResourceOfWhichItHasNotSeenWhatThePredecessorStated) {
  seen_ = {{"example.com/v1/widgets", "999"}, {"v1/parts", "1"}};
  Yield();
  h_.leases.Renew(7, "other", {.buckets = 2, .kept = BucketSet::All(2)});
  h_.Feed(h_.leases.List());
  h_.Feed(Stop{});
  h_.AnswerLeases();
  const Assignment given = h_.leases.assignment();
  ASSERT_EQ(given.buckets[1].watcher, "other");
  EXPECT_TRUE(given.seen.contains("v1/parts"));
  EXPECT_FALSE(given.seen.contains("example.com/v1/widgets"));
}

TEST_F(LargeYieldTest, NeedsABarrierForResourcesOfWhichNothingIsStated) {
  seen_ = {{"v1/parts", "1"}};
  h_.cluster.ForeignPart("other", 1);
  Yield();
  h_.Deliver();
  EXPECT_TRUE(h_.observations.empty());
  h_.Feed(EventsArrived{widgets_, {Bookmark(h_.cluster.version())}});
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(LargeYieldTest, PlansFromWhatThePredecessorWroteLast) {
  Yield();
  h_.held = {"widgets"};
  for (const std::string& each : in_second_) h_.cluster.SetWidget(each, 0, 8);
  ExpectPlansOfTheHeldChanges();
}

}  // namespace
}  // namespace xebec::watcher::testing
