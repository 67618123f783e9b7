// SPDX-License-Identifier: Apache-2.0
// What must hold in the simulated world, at every step and in the end.
#include <algorithm>

#include "common/kube/resource_version.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

bool AtLeast(const std::string& version, const std::string& wanted) {
  const auto order = kube::CompareVersions(version, wanted);
  return order.has_value() && *order >= 0;
}

std::map<std::string, kube::ObjectHeader> Shown(const Observation& observation) {
  std::map<std::string, kube::ObjectHeader> shown;
  for (const ObjectGroup& group : observation.children) {
    for (const ObjectBytes& bytes : group.objects) {
      const kube::DecodedObject part = FakeCluster::Decode(*ParseJson(*bytes));
      shown[part.header.name] = part.header;
    }
  }
  return shown;
}

// An Operator that is being deleted looks for no children.
bool ShowsParts(const Observation& observation) {
  return std::any_of(observation.children.begin(), observation.children.end(),
                     [](const ObjectGroup& group) { return group.type == PartType(); });
}

}  // namespace

// The law of the gate: what a report told of an earlier plan, the next observation shows or has
// seen go.
void World::CheckObservation(const Observation& observation) {
  const std::map<std::string, kube::ObjectHeader> shown = Shown(observation);
  const bool parts = ShowsParts(observation);
  if (Elects() && parts) CheckHistory(observation, shown);
  const auto found = me_->expected.find(KeyOf(observation.envelope));
  if (found == me_->expected.end()) return;
  const Expected& expected = found->second;
  if (!expected.status_version.empty() &&
      !AtLeast(observation.envelope.parent.resource_version, expected.status_version)) {
    Violate("planned " + observation.envelope.parent.ref.name + " from an old parent");
  }
  if (!parts) return;
  for (const auto& [name, version] : expected.written) {
    const auto part = shown.find(name);
    const bool seen = part != shown.end() && AtLeast(part->second.resource_version, version);
    const bool gone = part == shown.end() && cluster_.WasDeleted(expected.uids.at(name));
    if (!seen && !gone) Violate("planned from a cache without own write of " + name);
  }
  for (const auto& [name, header] : shown) {
    if (expected.deleted.contains(header.uid) && !header.deleting)
      Violate("planned from a cache with deleted " + name);
  }
}

// The law of failover: what anybody wrote before this process got the bucket is seen by it. Later,
// only a plan can write that an applier had admitted before. A watch that loses an event of another
// writer does not show that it does.
void World::CheckHistory(const Observation& observation,
                         const std::map<std::string, kube::ObjectHeader>& shown) {
  const auto found = history_.find(observation.envelope.parent.uid);
  if (found == history_.end()) return;
  for (const auto& [name, write] : found->second) {
    const bool later = write.at >= assigned_[observation.envelope.bucket];
    if (later || cluster_.WasDeleted(write.uid) || me_->lost.contains(write.version)) continue;
    const auto part = shown.find(name);
    if (part == shown.end() || !AtLeast(part->second.resource_version, write.version)) {
      Violate("planned from a cache without a predecessor's write of " + name);
    }
  }
}

// The law of leadership: nobody else leads the parent. A watcher whose tick is due stops leading
// before it does anything else.
void World::CheckAlone(const ParentIdentity& parent) {
  for (const Process& each : processes_) {
    const bool idle = !Runs(each) || each.engine->NextDeadline() <= now_.monotonic;
    if (&each == me_ || idle) continue;
    if (each.engine->Leads(BucketOf(parent.uid, each.buckets)))
      Violate("two watchers lead a parent");
  }
}

// The law of moves: a bucket that its holder hands over in order is not planned by it any more.
void World::CheckHandedOver(const Assignment& before, const Assignment& after) {
  if (before.count() != after.count()) return;
  for (uint32_t bucket = 0; bucket < after.count(); ++bucket) {
    const BucketHolder& holder = after.buckets[bucket];
    const std::string& giver = before.buckets[bucket].watcher;
    if (holder.watcher == giver || giver != me_->identity || !holder.clean) continue;
    const bool orphan = std::any_of(orphans_.begin(), orphans_.end(), [&](const Orphan& each) {
      const Envelope& envelope = each.send.plan->envelope;
      return envelope.bucket_count == after.count() && envelope.bucket == bucket &&
             each.until >= now_.monotonic;
    });
    if (orphan || me_->busy[bucket] > 0) Violate("a bucket was handed over during a reconcile");
  }
}

void World::NoteAssigned(const Assignment& before, const Assignment& after) {
  for (uint32_t bucket = 0; bucket < after.count(); ++bucket) {
    const bool same = before.count() == after.count() &&
                      before.buckets[bucket].watcher == after.buckets[bucket].watcher;
    if (!same) assigned_[bucket] = now_.monotonic;
  }
}

// In the end each bucket has a holder.
void World::CheckHolders(std::vector<std::string>* differences) const {
  const Assignment assignment = leases_.assignment();
  if (assignment.count() != buckets_)
    differences->push_back("another number of buckets is assigned");
  for (const BucketHolder& each : assignment.buckets) {
    const bool held =
        std::any_of(processes_.begin(), processes_.end(),
                    [&](const Process& process) { return process.identity == each.watcher; });
    if (!held) differences->push_back("a bucket has no holder");
  }
}

void World::Remember(const Plan& plan, const Report& report) {
  for (const Outcome& outcome : report.outcomes) {
    if (outcome.certainty != Certainty::kDone || outcome.target.type != PartType()) continue;
    if (outcome.code == OutcomeCode::kDeleted || outcome.code == OutcomeCode::kAbsent) continue;
    history_[plan.envelope.parent.uid][outcome.target.name] = {
        outcome.uid, outcome.resource_version, now_.monotonic};
  }
}

void World::Learn(const Plan& plan, const Report& report) {
  Expected& expected = me_->expected[KeyOf(plan.envelope)];
  for (const Outcome& outcome : report.outcomes) {
    if (outcome.certainty != Certainty::kDone) continue;
    if (outcome.target == plan.envelope.parent.ref) {
      expected.status_version = outcome.resource_version;
    } else if (outcome.code == OutcomeCode::kDeleted) {
      for (const Stage& stage : plan.stages) {
        for (const Operation& operation : stage.operations) {
          if (operation.id == outcome.operation)
            expected.deleted[operation.precondition.uid] = true;
        }
      }
      expected.written.erase(outcome.target.name);
    } else if (outcome.code != OutcomeCode::kAbsent && outcome.target.type != GadgetType()) {
      expected.written[outcome.target.name] = outcome.resource_version;
      expected.uids[outcome.target.name] = outcome.uid;
    }
  }
}

void World::Violate(const std::string& what) {
  if (what.empty()) return;
  Trace("VIOLATION " + what);
  if (violations_.size() < 5) violations_.push_back(what);
}

std::vector<std::string> World::Unconverged() const {
  std::vector<std::string> differences;
  if (Declares()) {
    CheckOperators(&differences);
    if (Elects()) CheckHolders(&differences);
    return differences;
  }
  std::map<std::string, int64_t> desired;
  for (const auto& [name, want] : wanted_) {
    const Json* widget = cluster_.Find(WidgetType(), {"default", name});
    if (widget == nullptr) {
      differences.push_back(name + " is missing");
      continue;
    }
    const Json status = {{"parts", want.first},
                         {"observedGeneration", (*widget)["metadata"]["generation"]}};
    if (!widget->contains("status") || (*widget)["status"] != status) {
      differences.push_back(name + " has the status " + DumpJson(widget->value("status", Json())));
    }
    for (int i = 0; i < want.first; ++i) {
      const std::string own = FindString(*widget, {"spec", "name"});
      desired[own.empty() ? name + "-" + std::to_string(i) : own] = want.second;
    }
  }
  for (const auto& [key, part] : cluster_.All(PartType())) {
    const auto want = desired.find(key.name);
    if (want == desired.end()) {
      differences.push_back(key.name + " should not exist");
    } else if (FindInt(part, {"spec", "value"}) != want->second) {
      differences.push_back(key.name + " has another value");
    }
    if (want != desired.end()) desired.erase(want);
  }
  for (const auto& [name, value] : desired) differences.push_back(name + " should exist");
  for (const auto& [key, widget] : cluster_.All(WidgetType())) {
    if (!wanted_.contains(key.name)) differences.push_back(key.name + " should be gone");
  }
  CheckScraps(&differences);
  if (Elects()) CheckHolders(&differences);
  return differences;
}

void World::CheckScraps(std::vector<std::string>* differences) const {
  for (const auto& [key, scrap] : cluster_.All(ScrapType())) {
    const std::string owner = FindString(scrap, {"metadata", "labels", kWidgetUidLabel});
    if (cluster_.WasDeleted(owner)) differences->push_back(key.name + " was left behind");
  }
}

}  // namespace xebec::watcher::testing
