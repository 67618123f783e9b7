// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/world.h"

#include <algorithm>
#include <utility>

#include "common/kube/resource_version.h"

namespace xebec::watcher::testing {
namespace {

constexpr int kWidgets = 6;
constexpr size_t kTraceLines = 3000;

bool AtLeast(const std::string& version, const std::string& wanted) {
  const auto order = kube::CompareVersions(version, wanted);
  return order.has_value() && *order >= 0;
}

}  // namespace

World::World(uint64_t seed, const Faults& faults, Options options, PlannerDescription description)
    : random_(seed),
      faults_(faults),
      options_(std::move(options)),
      description_(std::move(description)) {
  cluster_.makes_scraps = Leaving();
  streaming_ = !Chance(faults_.no_streaming);
  now_ = {absl::FromUnixSeconds(1700000000), absl::Seconds(1000)};
  Restart();
}

bool World::Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
size_t World::Pick(size_t size) { return random_() % size; }

void World::Violate(const std::string& what) {
  Trace("VIOLATION " + what);
  if (violations_.size() < 5) violations_.push_back(what);
}

void World::Trace(const std::string& what) {
  trace_.push_back(absl::FormatDuration(now_.monotonic) + " " + what);
  if (trace_.size() > kTraceLines) trace_.pop_front();
}

void World::Advance(absl::Duration time) {
  now_.wall += time;
  now_.monotonic += time;
}

void World::Restart() {
  engine_ = std::make_unique<Engine>(options_, "watcher-" + std::to_string(++incarnation_));
  streams_.clear();
  pending_.clear();
  in_flight_.clear();
  parents_.clear();
  expected_.clear();  // gone with the process: the new one starts with consistent lists
  // What appliers have been sent is carried out or not, and nobody hears of it; it is over before
  // the new process acts (quarantine and preconditions are tested elsewhere).
  for (const SendPlan& send : std::exchange(plans_, {})) {
    if (Chance(50)) Apply(send.plan, {});
  }
  last_sequence_ = 0;
  Feed(DescriptionArrived{description_});
  Feed(CapacityChanged{4, 3});
}

void World::Feed(Input input) {
  Trace(Text(input));
  for (Output& output : engine_->Step(now_, std::move(input))) Do(std::move(output));
}

void World::Do(Output output) {
  std::visit([this](auto& wish) { On(wish); }, output);
}

// The law of the gate: what a report told of an earlier plan, the next observation shows or has
// seen go.
void World::CheckObservation(const Observation& observation) {
  const auto found = expected_.find(observation.envelope.parent.uid);
  if (found == expected_.end()) return;
  const Expected& expected = found->second;
  if (!expected.status_version.empty() &&
      !AtLeast(observation.envelope.parent.resource_version, expected.status_version)) {
    Violate("planned " + observation.envelope.parent.ref.name + " from an old parent");
  }
  std::map<std::string, kube::ObjectHeader> shown;
  for (const ObjectGroup& group : observation.children) {
    for (const ObjectBytes& bytes : group.objects) {
      const kube::DecodedObject part = FakeCluster::Decode(*ParseJson(*bytes));
      shown[part.header.name] = part.header;
    }
  }
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

void World::Learn(const Plan& plan, const Report& report) {
  Expected& expected = expected_[plan.envelope.parent.uid];
  for (const Outcome& outcome : report.outcomes) {
    if (outcome.certainty != Certainty::kDone) continue;
    if (outcome.target.type == WidgetType()) {
      expected.status_version = outcome.resource_version;
    } else if (outcome.code == OutcomeCode::kDeleted) {
      for (const Stage& stage : plan.stages) {
        for (const Operation& operation : stage.operations) {
          if (operation.id == outcome.operation)
            expected.deleted[operation.precondition.uid] = true;
        }
      }
      expected.written.erase(outcome.target.name);
    } else if (outcome.code != OutcomeCode::kAbsent) {
      expected.written[outcome.target.name] = outcome.resource_version;
      expected.uids[outcome.target.name] = outcome.uid;
    }
  }
}

Report World::Apply(const Plan& plan, const ApplierFault& fault) {
  Report report = ApplyPlan(plan, fault, &cluster_);
  for (const std::string& wrong : std::exchange(cluster_.wrongs, {})) Violate(wrong);
  return report;
}

void World::Carry(const SendPlan& send) {
  if (Chance(faults_.report_lost)) {
    if (Chance(70)) Apply(send.plan, {});
    pending_.push_back({ReportLost{send.sequence}});
    return;
  }
  ApplierFault fault;
  if (Chance(faults_.partial)) fault.operations = Pick(3);
  if (Chance(faults_.unknown)) fault.unknown = Pick(3);
  Report report = Apply(send.plan, fault);
  Learn(send.plan, report);
  pending_.push_back({ReportArrived{send.sequence, std::move(report)}});
}

bool World::DeliverEvents(StreamId id) {
  const auto found = streams_.find(id);
  Stream& stream = found->second;
  if (stream.refused) {
    streams_.erase(found);
    Feed(
        WatchEnded{id, ApiFailure{422, "Invalid", "sendInitialEvents is forbidden", std::nullopt}});
    return true;
  }
  if (stream.listing) {
    stream.version = std::stoll(cluster_.version());
    stream.listing = false;
    Feed(EventsArrived{id, cluster_.InitialEvents(stream.type)});
    return true;
  }
  auto events = cluster_.EventsAfter(stream.type, stream.version, 1 + Pick(4));
  if (!events) {
    streams_.erase(found);
    Feed(WatchEnded{id, ApiFailure{410, "Expired", "too old resource version", std::nullopt}});
    return true;
  }
  if (events->empty() || now_.monotonic < stream.silent_until) return false;
  stream.version = std::stoll(events->back().object.header.resource_version);
  if (Chance(faults_.losses)) {
    events->pop_back();
    stream.doomed = true;
  } else if (Chance(faults_.duplicates)) {
    events->push_back(events->back());
  }
  if (!events->empty()) Feed(EventsArrived{id, *std::move(events)});
  return true;
}

void World::EndStream(StreamId id) {
  const Stream stream = streams_.at(id);
  streams_.erase(id);
  std::optional<ApiFailure> failure;
  if (stream.doomed) {
    cluster_.Compact();
    failure = ApiFailure{410, "Expired", "compacted", std::nullopt};
  } else if (Chance(50)) {
    failure = ApiFailure{0, "", "connection reset", std::nullopt};
  } else if (Chance(30)) {
    cluster_.Compact();
  }
  Feed(WatchEnded{id, std::move(failure)});
}

void World::UserActs() {
  const std::string name = "w" + std::to_string(Pick(kWidgets));
  if (Leaving() && Chance(15)) return ScrapsOfUsers(name);
  switch (Pick(8)) {
    case 0:
      cluster_.Delete(WidgetType(), name);
      wanted_.erase(name);
      break;
    case 1:
      cluster_.Delete(PartType(), name + "-" + std::to_string(Pick(3)));
      break;
    case 2:
      cluster_.ForeignPart(name + "-" + std::to_string(Pick(3)), static_cast<int>(Pick(5)));
      break;
    default: {
      const int parts = static_cast<int>(Pick(4)), value = static_cast<int>(Pick(5));
      if (cluster_.SetWidget(name, parts, value)) wanted_[name] = {parts, value};
    }
  }
}

void World::ScrapsOfUsers(const std::string& widget) {
  const std::string scrap = widget + "-" + std::to_string(Pick(3)) + "-scrap";
  if (Chance(50)) return cluster_.ForeignScrap(widget, widget + "-theirs");
  cluster_.Delete(ScrapType(), scrap);
}

bool World::DeliverAny() {
  std::vector<std::function<bool()>> choices;
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].due > now_.monotonic) continue;
    choices.push_back([this, i] {
      Input input = std::move(pending_[i].input);
      pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
      const uint64_t* sequence = nullptr;
      if (const auto* plan = std::get_if<PlanArrived>(&input)) sequence = &plan->sequence;
      if (const auto* failed = std::get_if<PlanFailed>(&input)) sequence = &failed->sequence;
      if (const auto* report = std::get_if<ReportArrived>(&input)) sequence = &report->sequence;
      if (const auto* lost = std::get_if<ReportLost>(&input)) sequence = &lost->sequence;
      if (sequence != nullptr) --in_flight_[parents_[*sequence]];
      Feed(std::move(input));
      return true;
    });
  }
  for (const auto& each : streams_) {
    choices.push_back([this, id = each.first] { return DeliverEvents(id); });
  }
  for (size_t i = 0; i < plans_.size(); ++i) {
    choices.push_back([this, i] {
      const SendPlan send = std::move(plans_[i]);
      plans_.erase(plans_.begin() + static_cast<ptrdiff_t>(i));
      Carry(send);
      return true;
    });
  }
  std::shuffle(choices.begin(), choices.end(), random_);
  return std::any_of(choices.begin(), choices.end(), [](const auto& choice) { return choice(); });
}

StreamId World::AnyStream() {
  return std::next(streams_.begin(), static_cast<ptrdiff_t>(Pick(streams_.size())))->first;
}

void World::Step() {
  Advance(absl::Milliseconds(static_cast<int64_t>(Pick(200))));
  if (engine_->NextDeadline() <= now_.monotonic) Feed(Tick{});
  if (Chance(faults_.restarts) && Chance(30)) return Restart();
  if (Chance(faults_.stream_ends) && !streams_.empty()) return EndStream(AnyStream());
  if (Chance(faults_.lags) && !streams_.empty()) {
    streams_.at(AnyStream()).silent_until = now_.monotonic + 2 * options_.gate_timeout;
  }
  if (Chance(15)) return UserActs();
  if (Chance(20)) cluster_.CollectGarbage();
  DeliverAny();
}

bool World::Settle(absl::Duration limit) {
  faults_ = kNoFaults;
  std::vector<std::string> foreign;
  for (const auto& [key, part] : cluster_.All(PartType())) {
    if (FakeCluster::Decode(part).header.controller.uid.empty()) foreign.push_back(key.name);
  }
  for (const std::string& name : foreign) cluster_.Delete(PartType(), name);
  std::vector<StreamId> doomed;
  for (const auto& [id, stream] : streams_) {
    if (stream.doomed) doomed.push_back(id);
  }
  for (const StreamId id : doomed) EndStream(id);
  for (auto& [id, stream] : streams_) stream.silent_until = now_.monotonic;
  const absl::Duration end = now_.monotonic + limit;
  while (now_.monotonic < end) {
    if (cluster_.CollectGarbage() || DeliverAny()) continue;
    absl::Duration next = engine_->NextDeadline();
    for (const Pending& answer : pending_) next = std::min(next, answer.due);
    if (next >= end) return true;
    Advance(std::max(absl::Milliseconds(1), next - now_.monotonic));
    Feed(Tick{});
  }
  return false;
}

std::vector<std::string> World::Rest(absl::Duration time) {
  log_.clear();
  Settle(time);
  Advance(time);
  Feed(Tick{});
  return log_;
}

std::vector<std::string> World::Unconverged() const {
  std::vector<std::string> differences;
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
    for (int i = 0; i < want.first; ++i) desired[name + "-" + std::to_string(i)] = want.second;
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
  return differences;
}

void World::CheckScraps(std::vector<std::string>* differences) const {
  for (const auto& [key, scrap] : cluster_.All(ScrapType())) {
    const std::string owner = FindString(scrap, {"metadata", "labels", kWidgetUidLabel});
    if (cluster_.WasDeleted(owner)) differences->push_back(key.name + " was left behind");
  }
}

}  // namespace xebec::watcher::testing
