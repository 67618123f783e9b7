// SPDX-License-Identifier: Apache-2.0
// Faults at every request, and two appliers with one plan: what comes out is what one undisturbed
// run would have done.
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "applier/engine/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/model/fields.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

constexpr char kSecretPath[] = "/api/v1/namespaces/default/secrets/s";

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

/// The shape of the world without the password, and how often each thing was done that must happen
/// once.
Json ShapeOf(const FakeApiServer& server) {
  Json shape = server.Shape();
  if (shape.contains(kSecretPath)) shape[kSecretPath].erase("stringData");
  return shape;
}

void ExpectDoneAtMostOnce(const FakeApiServer& server, const std::string& where) {
  std::set<std::string> seen;
  for (const std::string& effect : server.effects()) {
    if (effect.rfind("change " + ParentPath(), 0) == 0) continue;
    EXPECT_TRUE(seen.insert(effect).second) << where << ": twice: " << effect;
  }
  EXPECT_FALSE(seen.contains("change " + PathOf("d"))) << where;
  EXPECT_FALSE(seen.contains("delete " + PathOf("d"))) << where;
}

enum class Fault {
  kNotSent,
  kLostReply,
  kTimeoutBefore,
  kTimeoutAfter,
  kServerError,
  kThrottled,
  kCrash,
  kCrashAfter
};

kube::ApiResponse Transport(kube::TransportError error) {
  kube::ApiResponse response;
  response.error = error;
  response.error_message = "injected";
  return response;
}

kube::ApiResponse Inject(Fault fault, const kube::ApiRequest& request, FakeApiServer* server) {
  switch (fault) {
    case Fault::kNotSent:
      return Transport(kube::TransportError::kNotSent);
    case Fault::kLostReply:
      server->Handle(request);
      return Transport(kube::TransportError::kBroken);
    case Fault::kTimeoutBefore:
      return Transport(kube::TransportError::kTimeout);
    case Fault::kTimeoutAfter:
      server->Handle(request);
      return Transport(kube::TransportError::kTimeout);
    case Fault::kServerError:
      return StatusAnswer(500, "InternalError", "etcdserver: request timed out");
    case Fault::kThrottled:
      return StatusAnswer(429, "TooManyRequests", "slow down");
    case Fault::kCrashAfter:
      server->Handle(request);
      break;
    case Fault::kCrash:
      break;
  }
  return {};
}

/// Runs `plan` with a fault at request number `at` (from 0); returns whether there was such a
/// request.
bool RunWithFault(const Plan& plan, Fault fault, size_t at, FakeApiServer* server) {
  PlanRun run(plan, {}, std::string(32, 'f'));
  size_t count = 0;
  bool hit = false;
  for (auto next = run.Next(At()); !next.empty(); next = run.Next(At())) {
    for (const RunRequest& request : next) {
      const bool now = count++ == at;
      hit = hit || now;
      if (!now) {
        run.On(request.id, server->Handle(request.request), At());
        continue;
      }
      const kube::ApiResponse response = Inject(fault, request.request, server);
      if (fault == Fault::kCrash || fault == Fault::kCrashAfter) return true;
      run.On(request.id, response, At());
    }
  }
  EXPECT_TRUE(run.Done());
  for (const Outcome& outcome : run.TakeReport().outcomes) {
    if (fault == Fault::kThrottled || fault == Fault::kNotSent) {
      EXPECT_NE(outcome.certainty, Certainty::kUnknown) << outcome.operation;
    }
  }
  return hit;
}

constexpr Fault kAllFaults[] = {Fault::kNotSent,      Fault::kLostReply,   Fault::kTimeoutBefore,
                                Fault::kTimeoutAfter, Fault::kServerError, Fault::kThrottled,
                                Fault::kCrash,        Fault::kCrashAfter};

/// Plans and runs until nothing is left to do.
void Converge(FakeApiServer* server, const std::string& where) {
  for (int pass = 0; pass < 4; ++pass) {
    if (Drive(PlanFor(*server), server).requests == 0) return;
  }
  ADD_FAILURE() << where << ": not at rest";
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
      for (size_t at = 0; at < 64; at += 3) {
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

/// Two appliers with the same plan: every order in which their requests can reach the server.
struct Pair {
  FakeApiServer server;
  PlanRun runs[2];
  std::vector<RunRequest> waiting[2];
};

void Explore(const Pair& pair, const std::function<void(const Pair&)>& end, size_t* leaves) {
  bool moved = false;
  for (int who = 0; who < 2; ++who) {
    if (pair.waiting[who].empty()) continue;
    moved = true;
    Pair next = pair;
    const RunRequest request = next.waiting[who].front();
    next.waiting[who].erase(next.waiting[who].begin());
    next.runs[who].On(request.id, next.server.Handle(request.request), At());
    for (RunRequest& more : next.runs[who].Next(At())) next.waiting[who].push_back(std::move(more));
    Explore(next, end, leaves);
  }
  if (moved) return;
  ++*leaves;
  end(pair);
}

/// Explores all orders of two runs of the plan for `start`; returns how many there are.
size_t ExploreTwoAppliers(const FakeApiServer& start) {
  const Plan plan = PlanFor(start);
  FakeApiServer ideal = start;
  Drive(plan, &ideal);
  Json want = ShapeOf(ideal);
  want.erase(ParentPath());
  const auto run = [&](char seed) { return PlanRun(plan, {}, std::string(32, seed)); };
  Pair pair{start, {run('x'), run('y')}, {}};
  for (int who = 0; who < 2; ++who) pair.waiting[who] = pair.runs[who].Next(At());
  size_t leaves = 0;
  const auto check = [&](const Pair& end) {
    ASSERT_TRUE(end.runs[0].Done() && end.runs[1].Done());
    ExpectDoneAtMostOnce(end.server, "two appliers");
    // Which of the two wrote the status, and what it says of the other's race, may differ.
    Json shape = ShapeOf(end.server);
    shape.erase(ParentPath());
    ASSERT_EQ(shape, want);
    std::multiset<std::string> events;
    for (const PlanRun& ended : end.runs) {
      for (const EventFact& event : ended.EarnedEvents()) events.insert(event.note);
    }
    // A change by the other looks like one's own: the version differs from the observed one.
    events.erase("Changed b");
    for (const std::string& note : events) ASSERT_EQ(events.count(note), 1u) << note;
  };
  Explore(pair, check, &leaves);
  return leaves;
}

TEST(PlanRunFaults, TwoAppliersWithOnePlanChangeNothingThatOneWouldNotHave) {
  EXPECT_GT(ExploreTwoAppliers(World()), 20u);
}

TEST(PlanRunFaults, TwoAppliersWithoutAFinalizerToRaceForDoNeither) {
  FakeApiServer start = World();
  Json parent = *start.Get(ParentPath());
  parent["metadata"]["finalizers"] = Json::array({kFinalizer});
  start.Put(ParentPath(), parent);
  EXPECT_GT(ExploreTwoAppliers(start), 100u);
}

}  // namespace
}  // namespace xebec::applier
