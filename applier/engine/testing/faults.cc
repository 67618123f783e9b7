// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/faults.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

#include "applier/engine/events/event_body.h"
#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier::testing {
namespace {

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

/// The names of the Events that a run publishes.
std::set<std::string> EventsOf(const PlanRun& run) {
  std::set<std::string> names;
  for (const EventFact& event : run.Events()) {
    names.insert(EventName(run.envelope().parent, event));
  }
  return names;
}

std::multiset<std::string> EffectsOf(const FakeApiServer& server) {
  return {server.effects().begin(), server.effects().end()};
}

}  // namespace

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

Json ShapeOf(const FakeApiServer& server) {
  Json shape = server.Shape();
  if (shape.contains(kSecretPath)) shape[kSecretPath].erase("stringData");
  return shape;
}

size_t ExploreTwoAppliers(const FakeApiServer& start, const Plan& plan, bool any_order) {
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
    events.merge(EventsOf(end.runs[1]));
    ASSERT_EQ(events, EventsOf(alone.runs[0]));
  };
  Pair pair{start, {run('x'), run('y')}, {}};
  for (int who = 0; who < 2; ++who) pair.waiting[who] = pair.runs[who].Next(At());
  Exploration exploration{any_order, check};
  exploration.From(pair);
  return exploration.leaves;
}

}  // namespace xebec::applier::testing
