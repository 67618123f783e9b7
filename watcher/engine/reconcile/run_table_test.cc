// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_table.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/run_rig.h"

namespace xebec::watcher::testing {
namespace {

std::vector<KeyId> AllOf(KeyLine line) {
  std::vector<KeyId> keys;
  for (std::optional<KeyId> key = line.First(); key; key = line.First()) {
    keys.push_back(*key);
    line.Remove(*key);
  }
  return keys;
}

TEST(KeyLine, KeepsTheOrderOfArrival) {
  KeyLine line;
  for (const KeyId key : {7u, 3u, 5u, 3u}) line.Add(key);
  EXPECT_EQ(AllOf(line), (std::vector<KeyId>{7, 3, 5}));
  line.Remove(7);
  line.Remove(9);
  EXPECT_EQ(line.First(), 3u);
  line.Remove(3);
  line.Add(3);
  EXPECT_EQ(AllOf(line), (std::vector<KeyId>{5, 3}));
}

class RunTableTest : public RunRig {
 protected:
  void Start(KeyId key) {
    table_.Add(key, 0, ReconcileRun(now_.monotonic, now_.monotonic));
    effects_ = table_.Edit(key, [&](ReconcileRun& run) { return run.Start({}, Context()); });
  }
  uint64_t SequenceOf(KeyId key) { return table_.Find(key)->status().sequence; }

  RunTable table_;
  Effects effects_;
};

TEST_F(RunTableTest, FindsRunsByWhatTheyWaitFor) {
  Start(4);
  const auto send = Only<SendObservation>(effects_);
  Start(2);
  const uint64_t sequence = SequenceOf(4);
  EXPECT_EQ(table_.BySequence(sequence), 4u);
  EXPECT_EQ(table_.Count(RunState::kPlanning), 2u);
  EXPECT_EQ(table_.NextDeadline(), table_.Find(4)->status().timer);
  EXPECT_FALSE(table_.Due(now_.monotonic));
  EXPECT_EQ(table_.Due(table_.NextDeadline()), 2u) << "of equal times the lower key";

  table_.Edit(4, [&](ReconcileRun& run) {
    return run.On(PlanArrived{sequence, MakeWidgetPlan(send.observation)}, Context());
  });
  EXPECT_FALSE(table_.BySequence(sequence)) << "it is answered";
}

TEST_F(RunTableTest, AppliersAreGivenPlansInTheOrderInWhichTheyCame) {
  for (const KeyId key : {9u, 1u}) {
    Start(key);
    const auto send = Only<SendObservation>(effects_);
    table_.Edit(key, [&](ReconcileRun& run) {
      return run.On(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)}, Context());
    });
  }
  EXPECT_EQ(table_.unsent(), (std::set<KeyId>{1, 9}));
  EXPECT_EQ(table_.FirstAwaitingApplier(), 9u);
  EXPECT_EQ(table_.Count(RunState::kAwaitingApplier), 2u);
  table_.Edit(9, [&](ReconcileRun& run) { return run.OnCredit(Context()); });
  EXPECT_EQ(table_.FirstAwaitingApplier(), 1u);
  EXPECT_EQ(table_.unsent(), (std::set<KeyId>{1}));
}

TEST_F(RunTableTest, CountsEachControllersRunsUntilTheyAreTaken) {
  Start(1);
  now_.monotonic += absl::Seconds(5);
  Start(2);
  EXPECT_EQ(table_.CountsOf(0).started.size(), 2u);
  EXPECT_EQ(table_.CountsOf(0).sum_started, 2 * now_.monotonic - absl::Seconds(5));
  EXPECT_EQ(table_.busy(), (std::map<uint32_t, BusyBucket>{{0, {2, 0}}}));
  const RunTable before = table_;
  table_.Take(1);
  EXPECT_EQ(table_.busy().at(0).runs, 1u);
  EXPECT_NE(table_, before);
  EXPECT_EQ(table_.Find(1), nullptr);
  EXPECT_EQ(table_.CountsOf(0).started.size(), 1u);
  EXPECT_EQ(table_.Count(RunState::kPlanning), 1u);
  EXPECT_EQ(table_.CountsOf(7).started.size(), 0u);
}

}  // namespace
}  // namespace xebec::watcher::testing
