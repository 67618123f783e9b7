// SPDX-License-Identifier: Apache-2.0
// The defects that the simulated world feigns.
#include <algorithm>
#include <utility>

#include "planner/hooks/testing/fake_hook.h"
#include "watcher/engine/leadership/balance.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

// The Lease as a watcher takes it that pays no attention to numbers of buckets.
void IgnoreCount(uint32_t own, LeaseSeen* lease) {
  if (lease->lease == kAssignmentLease) {
    auto assignment = DecodeAssignment(lease->content);
    if (!assignment.ok()) return;
    assignment->buckets.resize(own);
    lease->content = EncodeAssignment(*assignment);
  } else if (auto facts = DecodeMember(lease->content); facts.ok()) {
    facts->buckets = own;
    lease->content = EncodeMember(*facts);
  }
}

// The assignment with versions that every cache has seen.
void StateNothing(LeaseSeen* lease) {
  auto assignment = DecodeAssignment(lease->content);
  if (!assignment.ok()) return;
  for (auto& [resource, version] : assignment->seen) version = "1";
  lease->content = EncodeAssignment(*assignment);
}

bool IsLeaving(const Observation& observation) {
  return Find(*ParseJson(*observation.declaration), {"metadata", "deletionTimestamp"}) != nullptr;
}

}  // namespace

LeasesSeen World::AsSeen(LeasesSeen seen) const {
  const bool ignores_count =
      faults_.defect == Defect::kIgnoresCount || faults_.defect == Defect::kNoCountFence;
  for (LeaseSeen& each : seen.leases) {
    if (ignores_count) IgnoreCount(me_->buckets, &each);
    if (faults_.defect == Defect::kStatesOld && each.lease == kAssignmentLease) StateNothing(&each);
    if (each.lease == kAssignmentLease || each.holder == me_->identity) continue;
    if (faults_.defect == Defect::kTakesFromLiving) each.holder.clear();
    if (faults_.defect == Defect::kTakesBeforeExpiry) each.duration = absl::Milliseconds(1);
  }
  return seen;
}

// Those that the watcher of this turn would share the buckets with.
std::vector<std::string> World::Members() const {
  std::vector<std::string> members;
  for (const LeaseSeen& each : leases_.List().leases) {
    const auto facts = DecodeMember(each.content);
    const bool takes = !each.holder.empty() && facts.ok() && !facts->leaving;
    if (takes && facts->buckets == me_->buckets) members.push_back(each.holder);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

// The watcher of this turn hands over what exceeds its share, whatever runs.
void World::YieldEarly() {
  Assignment next = leases_.assignment();
  if (next.count() != me_->buckets) return;
  const std::vector<std::string> targets = Balance(next, Members());
  bool changed = false;
  for (uint32_t bucket = 0; bucket < next.count(); ++bucket) {
    BucketHolder& holder = next.buckets[bucket];
    const bool gives = holder.watcher == me_->identity && targets[bucket] != me_->identity;
    if (!gives || !me_->engine->Leads(bucket)) continue;
    holder = {targets[bucket], holder.epoch + 1, true};
    changed = true;
  }
  if (!changed) return;
  const LeaseSeen& now = leases_.at(kAssignmentLease);
  Feed(Store({.lease = kAssignmentLease,
              .holder = me_->identity,
              .transitions = now.transitions + 1,
              .duration = now.duration,
              .content = EncodeAssignment(next),
              .resource_version = now.resource_version}));
}

// Lists never show more than the first one did.
kube::BucketFilter World::OfList(const ResourceType& type, const kube::BucketFilter& wanted) {
  const kube::BucketFilter& first = me_->listed.try_emplace(type.plural, wanted).first->second;
  return faults_.defect == Defect::kNoListOfGained ? kube::Intersect(wanted, first) : wanted;
}

bool World::Ignored(const std::string& refusal) const {
  return (faults_.defect == Defect::kNoFence && refusal == "Epoch") ||
         (faults_.defect == Defect::kNoCountFence && refusal == "BucketCount");
}

// The plan that a defective watcher or planner makes of an observation of a declared parent.
std::optional<Plan> World::DefectivePlan(const Observation& observation) {
  const std::string key = KeyOf(observation.envelope);
  Plan nothing;
  nothing.envelope = observation.envelope;
  nothing.planner_revision = observation.envelope.planner_revision;
  if (faults_.defect == Defect::kKeepsFinalizer && IsLeaving(observation)) return nothing;
  if (faults_.defect == Defect::kDropsAsking) {
    const int64_t generation = observation.envelope.parent.generation;
    if (!observation.hook_answers.empty() && Chance(20)) me_->forgotten[key] = generation;
    const auto forgotten = me_->forgotten.find(key);
    if (forgotten != me_->forgotten.end() && forgotten->second == generation) return nothing;
  }
  if (faults_.defect != Defect::kOldDeclaration || !observation.hook_answers.empty()) return {};
  const auto asked = me_->asked.find(key);
  if (asked == me_->asked.end() || asked->second.request.digest.empty()) return {};
  auto [earlier, request, answer] = std::move(asked->second);
  me_->asked.erase(asked);
  if (SameBytes(earlier.declaration, observation.declaration)) return {};
  earlier.hook_answers = {
      {request.digest, xebec::testing::AnswerOfHook(request.call.sync_request, "late")}};
  Plan plan = xebec::testing::PlanWithHooks(earlier);
  plan.envelope = observation.envelope;
  return plan;
}

}  // namespace xebec::watcher::testing
