// SPDX-License-Identifier: Apache-2.0
// What clients are told of keys.
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

bool Any(const ResourceType&) { return true; }
bool None(const ResourceType&) { return false; }

class EngineKeysTest : public ::testing::Test {
 protected:
  EngineKeysTest() {
    for (const char* name : {"a", "b", "c", "d", "e"}) h_.cluster.SetWidget(name, 1, 7);
    h_.cluster.SetWidget("a", 1, 7, "team");
    h_.Start();
  }
  /// The names on all pages of that size, pages separated by "|".
  std::string Pages(size_t limit, const std::string& ns = "") const {
    std::string text;
    std::string token;
    do {
      const KeyPage page = h_.engine.List(Any, ns, token, limit);
      EXPECT_LE(page.keys.size(), limit);
      for (const KeyView& view : page.keys) text += view.ref.name;
      token = page.next;
      text += token.empty() ? "" : "|";
    } while (!token.empty());
    return text;
  }

  Harness h_;
};

TEST_F(EngineKeysTest, AfterARestartParentsThatNobodyHasReconciledComeFirst) {
  h_.RunReconciles();
  Harness restarted;
  restarted.cluster = h_.cluster;
  restarted.cluster.SetWidget("new", 1, 7);
  restarted.cluster.SetWidget("d", 2, 7);
  restarted.Start();
  std::set<std::string> first;
  for (int i = 0; i < 2; ++i) {
    first.insert(restarted.TakeObservation().observation.envelope.parent.ref.name);
  }
  EXPECT_EQ(first, (std::set<std::string>{"d", "new"}));
}

TEST_F(EngineKeysTest, ListsInPagesUntilTheEnd) {
  EXPECT_EQ(Pages(100), "abcdea");
  EXPECT_EQ(Pages(6), "abcdea");
  EXPECT_EQ(Pages(4), "abcd|ea");
  EXPECT_EQ(Pages(1), "a|b|c|d|e|a");
  EXPECT_EQ(Pages(2, "default"), "ab|cd|e");
  EXPECT_EQ(Pages(2, "team"), "a");
  EXPECT_EQ(Pages(2, "other"), "");
  EXPECT_TRUE(h_.engine.List(None, "", "", 10).keys.empty());
}

TEST_F(EngineKeysTest, APageGoesOnAfterAKeyThatIsGone) {
  const KeyPage first = h_.engine.List(Any, "default", "", 2);
  h_.RunReconciles();
  h_.cluster.Delete(WidgetType(), "b");
  h_.Deliver();
  const KeyPage second = h_.engine.List(Any, "default", first.next, 2);
  ASSERT_EQ(second.keys.size(), 2u);
  EXPECT_EQ(second.keys[0].ref.name, "c");
}

TEST_F(EngineKeysTest, APageShowsAKeyThatCameAfterItsBeginning) {
  const KeyPage first = h_.engine.List(Any, "default", "", 2);
  h_.cluster.SetWidget("aa", 1, 7);
  h_.cluster.SetWidget("bb", 1, 7);
  h_.Deliver();
  const KeyPage second = h_.engine.List(Any, "default", first.next, 2);
  ASSERT_EQ(second.keys.size(), 2u);
  EXPECT_EQ(second.keys[0].ref.name, "bb");
  EXPECT_EQ(second.keys[1].ref.name, "c");
}

TEST_F(EngineKeysTest, ListsTheKeysOfAControllerThatTookTheKindOver) {
  PlannerDescription next = WidgetDescription("r2");
  next.kinds[0].controller = "successor.example.com";
  h_.Feed(DescriptionArrived{next});
  h_.Deliver();
  h_.Advance(absl::Minutes(2));
  ASSERT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
  EXPECT_EQ(Pages(100), "abcdea");
  const auto observation = h_.engine.Observe({WidgetType(), "team", "a"}, h_.now);
  ASSERT_TRUE(observation.has_value());
  EXPECT_EQ(observation->envelope.controller, "successor.example.com");
}

TEST_F(EngineKeysTest, FindsAParentByItsName) {
  ASSERT_EQ(h_.engine.Find(Any, {"team", "a"}).size(), 1u);
  EXPECT_EQ(h_.engine.Find(Any, {"team", "a"})[0].ref.ns, "team");
  EXPECT_TRUE(h_.engine.Find(Any, {"team", "b"}).empty());
  EXPECT_TRUE(h_.engine.Find(None, {"team", "a"}).empty());
}

TEST_F(EngineKeysTest, FiguresCountKeysAndReconciles) {
  const ControllerFigures figures = h_.engine.Figures(h_.now).controllers.at(0);
  EXPECT_EQ(figures.keys, 6u);
  EXPECT_EQ(figures.active, 4u) << "as many as planners take";
  h_.now.monotonic += absl::Seconds(3);
  const ControllerFigures later = h_.engine.Figures(h_.now).controllers.at(0);
  EXPECT_EQ(later.longest_running - figures.longest_running, absl::Seconds(3));
  EXPECT_EQ(later.unfinished - figures.unfinished, absl::Seconds(12));
  h_.RunReconciles();
  EXPECT_EQ(h_.engine.Figures(h_.now).controllers.at(0).active, 0u);
}

}  // namespace
}  // namespace xebec::watcher::testing
