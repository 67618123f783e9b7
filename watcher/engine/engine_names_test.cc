// SPDX-License-Identifier: Apache-2.0
// Parents that want the names of each other's children.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

std::string Widget(size_t i) { return "w" + std::to_string(i); }
std::string Part(size_t i) { return "part-" + std::to_string(i); }

/// Widgets that have one part each: w0 has part-0, and so on.
class EngineNamesTest : public ::testing::Test {
 protected:
  void StartWith(size_t widgets) {
    for (size_t i = 0; i < widgets; ++i) h_.cluster.NamePart(Widget(i), Part(i));
    h_.Start();
    h_.RunReconciles();
  }
  /// w<i> wants part-<to[i]> from now on.
  void Rename(const std::vector<size_t>& to) {
    for (size_t i = 0; i < to.size(); ++i) h_.cluster.NamePart(Widget(i), Part(to[i]));
    Pass(absl::Seconds(10));
  }
  void Pass(absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= absl::Milliseconds(500)) {
      h_.Deliver();
      Run();
      h_.Advance(absl::Milliseconds(500));
    }
  }
  void Run() {
    while (!h_.observations.empty() || !h_.plans.empty()) {
      if (!h_.observations.empty()) h_.AnswerObservation();
      if (!h_.plans.empty()) {
        const Plan& plan = *h_.plans.front().plan;
        if (!plan.stages.empty() && plan.stages[0].name == "release") {
          broken_by_.push_back(plan.envelope.parent.ref.name);
        }
        h_.AnswerPlan();
      }
      h_.Deliver();
    }
  }
  /// The widget that has that part; empty when there is no such part.
  std::string HolderOf(size_t part) const {
    const Json* object = h_.cluster.Find(PartType(), {"default", Part(part)});
    if (object == nullptr) return "";
    return FindString((*object)["metadata"]["ownerReferences"][0], {"name"});
  }
  std::string UidOf(size_t widget) const {
    return FindString(*h_.cluster.Find(WidgetType(), {"default", Widget(widget)}),
                      {"metadata", "uid"});
  }

  Harness h_;
  std::vector<std::string> broken_by_;  // widgets that deleted first
};

TEST_F(EngineNamesTest, TwoThatSwapBothGetTheirNameAndOneDeletesFirst) {
  StartWith(2);
  Rename({1, 0});
  EXPECT_EQ(HolderOf(0), "w1");
  EXPECT_EQ(HolderOf(1), "w0");
  EXPECT_EQ(broken_by_, std::vector<std::string>{UidOf(0) < UidOf(1) ? "w0" : "w1"});
}

TEST_F(EngineNamesTest, TheParentThatHadTheNameCreatesADeletedChildAgain) {
  StartWith(2);
  Rename({1, 1});
  ASSERT_EQ(HolderOf(1), "w1");
  for (int i = 0; i < 5; ++i) {
    h_.cluster.Remove(PartType(), {"default", Part(1)});
    Pass(absl::Seconds(3));
    EXPECT_EQ(HolderOf(1), "w1");
  }
}

TEST_F(EngineNamesTest, TheOneOfTheLowestUidIsWokenByTheOneThatCompletesTheCycle) {
  StartWith(3);
  std::vector<size_t> order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return UidOf(a) < UidOf(b); });
  const auto [lowest, middle, highest] = std::tuple(order[0], order[1], order[2]);
  std::vector<size_t> to = {0, 1, 2};
  to[lowest] = middle;
  Rename(to);
  EXPECT_EQ(HolderOf(lowest), Widget(lowest)) << "nobody leaves the name that it wants";
  Pass(absl::Minutes(10));
  to[middle] = highest;
  Rename(to);
  EXPECT_EQ(HolderOf(lowest), Widget(lowest)) << "it would gain nothing";
  Pass(absl::Minutes(10));
  EXPECT_TRUE(broken_by_.empty());
  to[highest] = lowest;
  Rename(to);
  EXPECT_EQ(broken_by_, std::vector<std::string>{Widget(lowest)});
  for (const size_t i : order) EXPECT_EQ(HolderOf(to[i]), Widget(i));
}

TEST_F(EngineNamesTest, AChainThatEndsAtAFreeNameNeedsNobodyToDeleteFirst) {
  StartWith(3);
  Rename({1, 2, 3});
  for (const size_t i : {0, 1, 2}) EXPECT_EQ(HolderOf(i + 1), Widget(i));
  EXPECT_EQ(HolderOf(0), "");
  EXPECT_TRUE(broken_by_.empty());
}

TEST_F(EngineNamesTest, NobodyDeletesFirstForAHolderThatStays) {
  StartWith(3);
  Rename({1, 2, 2});  // w2 keeps part-2
  for (const size_t i : {0, 1, 2}) EXPECT_EQ(HolderOf(i), Widget(i));
  EXPECT_TRUE(broken_by_.empty());
}

TEST_F(EngineNamesTest, EveryPermutationConvergesAndEachCycleIsBrokenOnce) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    h_ = Harness();
    broken_by_.clear();
    std::vector<size_t> to(2 + random() % 6);
    std::iota(to.begin(), to.end(), 0);
    StartWith(to.size());
    std::shuffle(to.begin(), to.end(), random);
    Rename(to);
    size_t cycles = 0;
    std::vector<bool> seen(to.size());
    for (size_t i = 0; i < to.size(); ++i) {
      EXPECT_EQ(HolderOf(to[i]), Widget(i));
      if (to[i] != i && !seen[i]) ++cycles;
      for (size_t at = i; !seen[at]; at = to[at]) seen[at] = true;
    }
    EXPECT_EQ(broken_by_.size(), cycles);
  }
}

}  // namespace
}  // namespace xebec::watcher::testing
