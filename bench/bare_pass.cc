// SPDX-License-Identifier: Apache-2.0
#include "bench/bare_pass.h"

#include <utility>

#include "applier/engine/events/event_body.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "planner/core/make_plan.h"

namespace xebec::bench {
namespace {

Observation Observe(const Json& parent, const ObjectBytes& bytes, const planner::Kind& kind) {
  Observation observation;
  observation.parent = bytes;
  observation.now = ReadClock().wall;
  Envelope& envelope = observation.envelope;
  envelope.controller = kind.description.controller;
  envelope.parent.ref = {kind.description.parent, FindString(parent, {"metadata", "namespace"}),
                         FindString(parent, {"metadata", "name"})};
  envelope.parent.uid = FindString(parent, {"metadata", "uid"});
  envelope.parent.resource_version = FindString(parent, {"metadata", "resourceVersion"});
  envelope.parent.generation = FindInt(parent, {"metadata", "generation"}).value_or(0);
  envelope.sequence = 1;
  for (const ChildRule& rule : kind.description.children) {
    observation.children.push_back({.type = rule.type, .objects = {}, .live = false});
  }
  return observation;
}

}  // namespace

BarePass::BarePass(http::ApiClient* client, const planner::KindRegistry* kinds, ObjectBytes parent,
                   std::function<void(bool)> done)
    : client_(client), kinds_(kinds), parent_(std::move(parent)), done_(std::move(done)) {}

bool BarePass::Start() {
  const absl::StatusOr<Json> parent = ParseJson(*parent_);
  if (!parent.ok()) return false;
  const std::string api_version = FindString(*parent, {"apiVersion"});
  const planner::Kind* kind =
      kinds_->Find(api_version.substr(0, api_version.find('/')), FindString(*parent, {"kind"}));
  if (kind == nullptr) return false;
  Plan plan = planner::MakePlan(Observe(*parent, parent_, *kind), *kinds_);
  run_ = std::make_unique<applier::PlanRun>(std::move(plan), applier::Policy{}, "");
  SendNext();
  return true;
}

void BarePass::SendNext() {
  for (applier::RunRequest& request : run_->Next(ReadClock())) {
    client_->Send(std::move(request.request),
                  [self = shared_from_this(), id = request.id](const kube::ApiResponse& response) {
                    self->run_->On(id, response, ReadClock());
                    self->SendNext();
                  });
  }
  if (run_->Done() && run_->in_flight() == 0) SendEvents();
}

void BarePass::SendEvents() {
  const std::vector<EventFact>& events = run_->Events();
  events_left_ = events.size();
  if (events.empty()) return done_(true);
  for (const EventFact& fact : events) {
    client_->Send(applier::CreateEventRequest(run_->envelope(), fact, "xebec.dev/bench", "bench",
                                              ReadClock().wall),
                  [self = shared_from_this()](const kube::ApiResponse&) {
                    if (--self->events_left_ == 0) self->done_(true);
                  });
  }
}

}  // namespace xebec::bench
