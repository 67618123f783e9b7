// SPDX-License-Identifier: Apache-2.0
// A parent on its way out: faults at every request from the first deletion to the removal of its
// finalizer, and two appliers with one plan.
#include <set>

#include "absl/strings/str_cat.h"
#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/faults.h"
#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

constexpr char kTheirs[] = "example.com/theirs";

/// A parent that is being deleted, with these finalizers. ConfigMaps a and b are its, d is not; b
/// is slow to go.
FakeApiServer World(const std::vector<std::string>& finalizers) {
  FakeApiServer server = ServerWithParent();
  Json parent = *server.Get(ParentPath());
  parent["metadata"]["finalizers"] = finalizers;
  parent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  server.Put(ParentPath(), parent);
  server.Put(PathOf("a"), ConfigMap("a"));
  server.Put(PathOf("b"), ConfigMap("b"));
  server.slow_to_delete = {PathOf("b")};
  Json foreign = ConfigMap("d", "foreign");
  foreign["metadata"]["ownerReferences"][0]["uid"] = "other-uid";
  server.Put(PathOf("d"), foreign);
  return server;
}

bool HasOurs(const Json& parent) {
  for (const Json& each : parent["metadata"]["finalizers"]) {
    if (each == kFinalizer) return true;
  }
  return false;
}

/// What a planner with a fresh view would plan: a before b, the finalizer when both are gone.
Plan PlanFor(const FakeApiServer& server) {
  const Json* parent = server.Get(ParentPath());
  if (parent == nullptr || !HasOurs(*parent)) return MakePlan({});
  const std::string version = FindString(*parent, {"metadata", "resourceVersion"});
  std::vector<Operation> operations;
  for (const char* name : {"a", "b"}) {
    const Json* live = server.Get(PathOf(name));
    if (live == nullptr) continue;
    if (Find(*live, {"metadata", "deletionTimestamp"}) == nullptr) {
      operations.push_back(DeleteOp(*live, FindString(*live, {"metadata", "uid"})));
    }
    break;
  }
  const bool left = server.Get(PathOf("a")) != nullptr || server.Get(PathOf("b")) != nullptr;
  if (!left) {
    Operation last = FinalizerOp(RemoveFinalizer{kFinalizer});
    last.precondition.resource_version = version;
    operations.push_back(std::move(last));
  }
  Plan plan = MakePlan({operations});
  plan.envelope.parent.resource_version = version;
  plan.status = StatusOf(1);
  plan.status->changed = left;
  return plan;
}

/// Plans and runs until nothing is left to do. Objects that terminate slowly go after each
/// reconcile.
void Converge(FakeApiServer* server, const std::string& where) {
  for (int i = 0; i < 8; ++i) {
    const Plan plan = PlanFor(*server);
    if (plan.stages.empty()) return;
    Drive(plan, server);
    const Json* b = server->Get(PathOf("b"));
    if (b != nullptr && b->at("metadata").contains("deletionTimestamp")) {
      server->FinishDeletion(PathOf("b"));
    }
  }
  ADD_FAILURE() << where << ": not converged";
}

/// Each deletion happens once, ours only, and the parent goes last.
void ExpectOnceAndInOrder(const FakeApiServer& server, const std::string& where) {
  std::set<std::string> seen;
  for (const std::string& effect : server.effects()) {
    EXPECT_EQ(effect.find(PathOf("d")), std::string::npos) << where << ": " << effect;
    EXPECT_NE(effect.rfind("create ", 0), 0U) << where << ": " << effect;
    if (effect.rfind("change " + ParentPath(), 0) == 0) continue;
    EXPECT_TRUE(seen.insert(effect).second) << where << ": twice: " << effect;
  }
  EXPECT_TRUE(seen.contains("delete " + PathOf("a")) && seen.contains("delete " + PathOf("b")));
}

/// Runs to the step of that number (from 0) without faults.
FakeApiServer AtStep(const std::vector<std::string>& finalizers, int step) {
  FakeApiServer server = World(finalizers);
  for (int i = 0; i < step; ++i) {
    Drive(PlanFor(server), &server);
    if (i == 1) server.FinishDeletion(PathOf("b"));
  }
  return server;
}

const std::vector<std::vector<std::string>> kFinalizers = {
    {kFinalizer}, {kFinalizer, kTheirs}, {kTheirs, kFinalizer}};
constexpr int kSteps = 3;  // a, b, the finalizer

TEST(FinalizerFaults, ParentGoesOrKeepsTheirsAfterAFaultAtEveryRequest) {
  for (const auto& finalizers : kFinalizers) {
    FakeApiServer ideal = World(finalizers);
    Converge(&ideal, "ideal");
    const Json* parent = ideal.Get(ParentPath());
    ASSERT_EQ(parent == nullptr, finalizers.size() == 1);
    for (const Fault fault : kAllFaults) {
      for (int step = 0; step < kSteps; ++step) {
        for (size_t at = 0;; ++at) {
          const std::string where =
              absl::StrCat("fault ", static_cast<int>(fault), " in step ", step, " at ", at);
          FakeApiServer server = AtStep(finalizers, step);
          if (!RunWithFault(PlanFor(server), fault, at, &server)) {
            EXPECT_GE(at, 1U) << where;
            break;
          }
          Converge(&server, where);
          EXPECT_EQ(ShapeOf(server), ShapeOf(ideal)) << where;
          ExpectOnceAndInOrder(server, where);
        }
      }
    }
  }
}

TEST(FinalizerFaults, SamePlanAgainAfterAPrefixOfItDoesNothingTwice) {
  for (const auto& finalizers : kFinalizers) {
    for (int step = 0; step < kSteps; ++step) {
      for (size_t at = 0; at < 4; ++at) {
        for (const Fault fault : {Fault::kCrash, Fault::kCrashAfter}) {
          FakeApiServer server = AtStep(finalizers, step);
          const Plan plan = PlanFor(server);
          RunWithFault(plan, fault, at, &server);
          Drive(plan, &server, std::string(32, 'z'));
          const std::string where = absl::StrCat("step ", step, " prefix ", at);
          Converge(&server, where);
          ExpectOnceAndInOrder(server, where);
        }
      }
    }
  }
}

TEST(FinalizerFaults, ParentMadeAgainUnderTheNameKeepsItsFinalizer) {
  FakeApiServer server = AtStep({kFinalizer}, 2);
  const Plan plan = PlanFor(server);
  server.FinishDeletion(ParentPath());
  Json again = ParentObject();
  again["metadata"]["uid"] = "another-uid";
  again["metadata"]["finalizers"] = {kFinalizer};
  const Json stored = server.Put(ParentPath(), again);
  Drive(plan, &server);
  EXPECT_EQ(*server.Get(ParentPath()), stored);
}

TEST(FinalizerFaults, TwoAppliersRemoveAFinalizerOnceAndNobodyElses) {
  for (const auto& finalizers : kFinalizers) {
    for (int step = 0; step < kSteps; ++step) {
      const FakeApiServer start = AtStep(finalizers, step);
      EXPECT_GE(ExploreTwoAppliers(start, PlanFor(start)), 2U);
      EXPECT_GE(ExploreTwoAppliers(start, PlanFor(start), /*any_order=*/true), 2U);
    }
  }
}

}  // namespace
}  // namespace xebec::applier
