// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/plan_basis.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/run_rig.h"

namespace xebec::watcher::testing {
namespace {

/// A basis that was observed from the cache.
class PlanBasisTest : public RunRig {
 protected:
  PlanBasisTest() { basis_.Observe(*Key().parent(), Context()); }
  static Plan PlanOf(Action action) {
    Operation operation;
    operation.id = "one";
    operation.action = std::move(action);
    Plan plan;
    plan.stages.push_back({"only", {operation}});
    return plan;
  }

  PlanBasis basis_;
};

TEST_F(PlanBasisTest, IsStaleWhenTheParentChangesUnlessThatGoesOn) {
  EXPECT_FALSE(basis_.Stale(Context()));
  cluster_.SetWidget("w", 2, 8);
  Show();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(basis_.Stale(Context())) << i;
  EXPECT_EQ(record_.stale_plans, 3u);
  EXPECT_FALSE(basis_.Stale(Context())) << "a parent that always changes is written nevertheless";
}

TEST_F(PlanBasisTest, ForgetsTheChildrenOfAnotherParent) {
  basis_.shown()->insert("child");
  basis_.Observe(*Key().parent(), Context());
  EXPECT_EQ(basis_.shown()->size(), 1u);
  StoredObject other = *Key().parent();
  other.uid = "another";
  basis_.Observe(other, Context());
  EXPECT_TRUE(basis_.shown()->empty());
  EXPECT_FALSE(basis_.ParentExists(Context()));
}

TEST_F(PlanBasisTest, IsInTermOnlyWhilePlansMayBeSent) {
  EXPECT_TRUE(basis_.InTerm(Context()));
  may_send_ = false;
  EXPECT_FALSE(basis_.InTerm(Context()));
}

TEST_F(PlanBasisTest, AFinalizerIsNotRemovedWhenAChildCameSinceTheReads) {
  const Plan plan = PlanOf(RemoveFinalizer{});
  const absl::Duration now = now_.monotonic;
  EXPECT_EQ(basis_.Futile(plan, now, Context()), nullptr);
  basis_.OnChildChange();
  EXPECT_NE(basis_.Futile(plan, now, Context()), nullptr);
  EXPECT_EQ(basis_.Futile(PlanOf(Apply{}), now, Context()), nullptr);
  basis_.Read(Context());
  EXPECT_EQ(basis_.Futile(plan, now, Context()), nullptr);
}

TEST_F(PlanBasisTest, APlanThatWaitedForLongIsFutileIfChangesWait) {
  const absl::Duration long_ago = now_.monotonic - options_.plan_life - absl::Seconds(1);
  EXPECT_EQ(basis_.Futile({}, long_ago, Context()), nullptr);
  dirty_ = true;
  EXPECT_NE(basis_.Futile({}, long_ago, Context()), nullptr);
  EXPECT_EQ(basis_.Futile({}, now_.monotonic, Context()), nullptr);
}

}  // namespace
}  // namespace xebec::watcher::testing
