// SPDX-License-Identifier: Apache-2.0
// Faults at every request, and two appliers with one plan: what comes out is what one undisturbed
// run would have done.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "applier/engine/event_body.h"
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

/// `any_order`: the requests of one applier that are under way at once may overtake each other too.
struct Exploration {
  bool any_order = false;
  std::function<void(const Pair&)> end;
  size_t leaves = 0;

  void From(const Pair& pair) {
    bool moved = false;
    for (int who = 0; who < 2; ++who) {
      const size_t choices = std::min(pair.waiting[who].size(), any_order ? SIZE_MAX : 1);
      for (size_t which = 0; which < choices; ++which) From(After(pair, who, which));
      moved = moved || choices > 0;
    }
    if (moved) return;
    ++leaves;
    end(pair);
  }

  static Pair After(Pair next, int who, size_t which) {
    std::vector<RunRequest>& waiting = next.waiting[who];
    const RunRequest request = waiting[which];
    waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(which));
    next.runs[who].On(request.id, next.server.Handle(request.request), At());
    for (RunRequest& more : next.runs[who].Next(At())) waiting.push_back(std::move(more));
    return next;
  }
};

/// The names of the Events that a run publishes at some time: the server takes each once.
std::set<std::string> EventsOf(const PlanRun& run, absl::Duration when = absl::ZeroDuration()) {
  std::set<std::string> names;
  for (const EventFact& event : run.EarnedEvents()) {
    names.insert(EventName(run.envelope(), event, At(when).wall));
  }
  return names;
}

std::multiset<std::string> EffectsOf(const FakeApiServer& server) {
  return {server.effects().begin(), server.effects().end()};
}

/// Explores all orders of two runs of the plan: the effects are always those of one run. Returns
/// how many orders there are.
size_t ExploreTwoAppliers(const FakeApiServer& start, const Plan& plan, bool any_order = false) {
  const auto run = [&](char seed) { return PlanRun(plan, {}, std::string(32, seed)); };
  Pair alone{start, {run('x'), PlanRun({}, {}, "")}, {}};
  alone.waiting[0] = alone.runs[0].Next(At());
  while (!alone.waiting[0].empty()) alone = Exploration::After(alone, 0, 0);
  const std::multiset<std::string> effects = EffectsOf(alone.server);
  const Json shape = ShapeOf(alone.server);
  const auto check = [&](const Pair& end) {
    ASSERT_TRUE(end.runs[0].Done() && end.runs[1].Done());
    ASSERT_EQ(EffectsOf(end.server), effects);
    ASSERT_EQ(ShapeOf(end.server), shape);
    std::set<std::string> events = EventsOf(end.runs[0]);
    events.merge(EventsOf(end.runs[1], absl::Seconds(1)));
    ASSERT_EQ(events, EventsOf(alone.runs[0]));
  };
  Pair pair{start, {run('x'), run('y')}, {}};
  for (int who = 0; who < 2; ++who) pair.waiting[who] = pair.runs[who].Next(At());
  Exploration exploration{any_order, check};
  exploration.From(pair);
  return exploration.leaves;
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
