// SPDX-License-Identifier: Apache-2.0
#include "bench/new_parent.h"

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

std::optional<Plan> PlanNewParent(const ObjectBytes& parent, const planner::KindRegistry& kinds) {
  const absl::StatusOr<Json> json = ParseJson(*parent);
  if (!json.ok()) return std::nullopt;
  const std::string api_version = FindString(*json, {"apiVersion"});
  const planner::Kind* kind =
      kinds.Find(api_version.substr(0, api_version.find('/')), FindString(*json, {"kind"}));
  if (kind == nullptr) return std::nullopt;
  return planner::MakePlan(Observe(*json, parent, *kind), kinds);
}

}  // namespace xebec::bench
