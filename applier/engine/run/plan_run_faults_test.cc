// SPDX-License-Identifier: Apache-2.0
// Faults at every request, and two appliers with one plan: what comes out is what one undisturbed
// run would have done.
#include <set>

#include "absl/strings/str_cat.h"
#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/faults.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/base/testing/rounds.h"
#include "common/model/fields.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

/// A parent that wants a finalizer, a Secret, and ConfigMaps a and b; c is to go, d belongs to
/// somebody else.
FakeApiServer World() {
  FakeApiServer server = ServerWithParent();
  server.Put(PathOf("b"), ConfigMap("b", "old"));
  server.Put(PathOf("c"), ConfigMap("c"));
  Json foreign = ConfigMap("d", "foreign");
  foreign["metadata"]["ownerReferences"][0]["uid"] = "other-uid";
  server.Put(PathOf("d"), foreign);
  return server;
}

std::string UidOf(const Json& object) { return FindString(object, {"metadata", "uid"}); }
std::string VersionOf(const Json& object) {
  return FindString(object, {"metadata", "resourceVersion"});
}

/// What a planner with a fresh view would plan.
void PlanChild(const FakeApiServer& server, const Json& desired, std::vector<Operation>* out) {
  const Json* live = server.Get(PathOf(FindString(desired, {"metadata", "name"})));
  if (live == nullptr) {
    out->push_back(CreateOp(desired));
  } else if (!Covers(*live, desired)) {
    out->push_back(UpdateOp(desired, UidOf(*live), VersionOf(*live)));
  }
}

Plan PlanFor(const FakeApiServer& server) {
  const Json& parent = *server.Get(ParentPath());
  std::vector<Operation> finalizer, children, gone;
  if (Find(parent, {"metadata", "finalizers"}) == nullptr) {
    finalizer.push_back(FinalizerOp(AddFinalizer{kFinalizer}));
  }
  if (server.Get(kSecretPath) == nullptr) children.push_back(SecretOp("s"));
  PlanChild(server, ConfigMap("a"), &children);
  PlanChild(server, ConfigMap("b"), &children);
  if (const Json* c = server.Get(PathOf("c"))) gone.push_back(DeleteOp(*c, UidOf(*c)));
  Plan plan = MakePlan({finalizer, children, gone});
  plan.envelope.parent.resource_version = VersionOf(parent);
  plan.status = StatusOf(1);
  plan.status->changed = Find(parent, {"status", "readyReplicas"}) == nullptr;
  if (const Json* conditions = Find(parent, {"status", "conditions"})) {
    const Json& applied = conditions->at(0);
    plan.status->observed_applied =
        ConditionValue{FindString(applied, {"status"}), FindString(applied, {"reason"}),
                       FindString(applied, {"message"})};
    plan.status->observed_applied_since = FindString(applied, {"lastTransitionTime"});
  }
  return plan;
}

/// How often each thing was done that must happen once.
void ExpectDoneAtMostOnce(const FakeApiServer& server, const std::string& where) {
  std::set<std::string> seen;
  for (const std::string& effect : server.effects()) {
    if (effect.rfind("change " + ParentPath(), 0) == 0) continue;
    EXPECT_TRUE(seen.insert(effect).second) << where << ": twice: " << effect;
  }
  EXPECT_FALSE(seen.contains("change " + PathOf("d"))) << where;
  EXPECT_FALSE(seen.contains("delete " + PathOf("d"))) << where;
}

/// Plans and runs until nothing is left to do.
void Converge(FakeApiServer* server, const std::string& where) {
  for (int i = 0; i < 4; ++i) {
    if (Drive(PlanFor(*server), server).requests == 0) return;
  }
  ADD_FAILURE() << where << ": not converged";
}

TEST(PlanRunFaults, WorldConvergesAfterAFaultAtEveryRequest) {
  FakeApiServer ideal = World();
  Converge(&ideal, "ideal");
  for (const Fault fault : kAllFaults) {
    for (size_t at = 0;; ++at) {
      const std::string where = absl::StrCat("fault ", static_cast<int>(fault), " at ", at);
      FakeApiServer server = World();
      if (!RunWithFault(PlanFor(server), fault, at, &server)) {
        EXPECT_GE(at, 6u);
        break;
      }
      Converge(&server, where);
      EXPECT_EQ(ShapeOf(server), ShapeOf(ideal)) << where;
      ExpectDoneAtMostOnce(server, where);
    }
  }
}

TEST(PlanRunFaults, WorldConvergesAfterTwoFaultsInARow) {
  FakeApiServer ideal = World();
  Converge(&ideal, "ideal");
  for (const Fault first : kAllFaults) {
    for (const Fault second : kAllFaults) {
      for (size_t at = 0; at < 64; at += xebec::testing::Stride(3)) {
        const std::string where = absl::StrCat("faults ", static_cast<int>(first), " and ",
                                               static_cast<int>(second), " at ", at);
        FakeApiServer server = World();
        RunWithFault(PlanFor(server), first, at / 8, &server);
        RunWithFault(PlanFor(server), second, at % 8, &server);
        Converge(&server, where);
        EXPECT_EQ(ShapeOf(server), ShapeOf(ideal)) << where;
        ExpectDoneAtMostOnce(server, where);
      }
    }
  }
}

TEST(PlanRunFaults, RepeatingTheSamePlanAfterAPrefixOfItDoesNothingTwice) {
  FakeApiServer ideal = World();
  const Plan plan = PlanFor(ideal);
  Drive(plan, &ideal);
  for (size_t at = 0; at < 8; ++at) {
    for (const Fault fault : {Fault::kCrash, Fault::kCrashAfter}) {
      FakeApiServer server = World();
      RunWithFault(plan, fault, at, &server);
      const Json password_before = server.Get(kSecretPath) ? *server.Get(kSecretPath) : Json();
      Drive(plan, &server, std::string(32, 'z'));
      ExpectDoneAtMostOnce(server, absl::StrCat("prefix ", at));
      if (!password_before.is_null()) {
        EXPECT_EQ(*server.Get(kSecretPath), password_before);
      }
      Converge(&server, "after the prefix");
      Converge(&ideal, "ideal");
      EXPECT_EQ(ShapeOf(server), ShapeOf(ideal));
    }
  }
}

TEST(PlanRunFaults, WholePlanTwiceChangesNothingTheSecondTime) {
  FakeApiServer server = World();
  const Plan plan = PlanFor(server);
  Drive(plan, &server);
  const std::map<std::string, Json> once = server.objects();
  const Driven again = Drive(plan, &server, std::string(32, 'z'));
  EXPECT_EQ(server.objects(), once);
  EXPECT_TRUE(again.events.empty());
}

TEST(PlanRunFaults, TwoAppliersWithOnePlanChangeNothingThatOneWouldNotHave) {
  EXPECT_GT(ExploreTwoAppliers(World(), PlanFor(World())), 20u);
}

TEST(PlanRunFaults, TwoAppliersWithoutAFinalizerToRaceForDoNeither) {
  FakeApiServer start = World();
  Json parent = *start.Get(ParentPath());
  parent["metadata"]["finalizers"] = Json::array({kFinalizer});
  start.Put(ParentPath(), parent);
  EXPECT_GT(ExploreTwoAppliers(start, PlanFor(start)), 100u);
}

TEST(PlanRunFaults, TwoAppliersWhoseRequestsOvertakeEachOtherDoNeither) {
  const FakeApiServer start = World();
  const Json& b = *start.Get(PathOf("b"));
  const Json& c = *start.Get(PathOf("c"));
  const Operation create = CreateOp(ConfigMap("a")), remove = DeleteOp(c, UidOf(c)),
                  update = UpdateOp(ConfigMap("b"), UidOf(b), VersionOf(b));
  for (const auto& [one, other] : {std::pair(create, remove), {update, remove}, {create, update}}) {
    Plan plan = MakePlan({{one, other}});
    plan.envelope.parent.resource_version = VersionOf(*start.Get(ParentPath()));
    plan.status = StatusOf(1);
    EXPECT_GT(ExploreTwoAppliers(start, plan, /*any_order=*/true), 50u);
  }
}

}  // namespace
}  // namespace xebec::applier
