// SPDX-License-Identifier: Apache-2.0
#include "common/codec/testing/random_model.h"

#include "common/base/json.h"

namespace xebec::codec {

std::string RandomModel::Text() {
  static constexpr const char* kTexts[] = {"",           "a", "Größe 3", "line\nbreak",
                                           "\"quoted\"", "…", "42"};
  return kTexts[Below(std::size(kTexts))];
}

absl::Time RandomModel::Instant() {
  return absl::FromUnixSeconds(static_cast<int64_t>(Below(4'000'000'000)) - 1'000'000'000) +
         absl::Nanoseconds(Below(1'000'000'000));
}

absl::Duration RandomModel::Span() {
  return absl::Seconds(Below(100'000)) + absl::Nanoseconds(Below(1'000'000'000));
}

ObjectBytes RandomModel::Object() {
  Json json = {{"metadata", {{"name", Name()}, {"labels", Json::object()}}}, {"spec", Text()}};
  if (Coin()) json["number"] = static_cast<int64_t>(Below(1'000'000)) - 500'000;
  if (Coin()) json["list"] = {1.5, nullptr, true, Text(), Json::array()};
  return MakeObjectBytes(DumpJson(json));
}

ResourceType RandomModel::Type() {
  return {Text(), "v1", "Kind" + Name(), "kinds" + Name(), Coin()};
}

ObjectRef RandomModel::Ref() { return {Type(), Text(), Name()}; }

Envelope RandomModel::MakeEnvelope() {
  Envelope envelope;
  envelope.parent = {Ref(), Text(), Text(), static_cast<int64_t>(Below(100))};
  envelope.controller = Text();
  envelope.bucket = static_cast<uint32_t>(Below(100));
  envelope.bucket_count = static_cast<uint32_t>(Below(100));
  envelope.epoch = random_();
  envelope.watcher = Text();
  envelope.sequence = random_();
  if (Coin()) envelope.not_after = Instant();
  envelope.observation_digest = Text();
  envelope.planner_revision = Text();
  envelope.reasons = Many([this] { return Text(); });
  envelope.reconcile_id = Text();
  return envelope;
}

Outcome RandomModel::MakeOutcome() {
  Outcome outcome;
  outcome.operation = "apply " + Name();
  outcome.target = Ref();
  outcome.code = static_cast<OutcomeCode>(1 + Below(static_cast<size_t>(kLastOutcomeCode)));
  outcome.certainty = static_cast<Certainty>(Below(3));
  outcome.http_status = static_cast<int>(Below(600));
  outcome.reason = Text();
  outcome.message = Text();
  outcome.uid = Text();
  outcome.resource_version = Text();
  outcome.digest = Text();
  outcome.result_digest = Text();
  outcome.as_desired = Coin();
  outcome.terminating = Coin();
  outcome.holder_uid = Text();
  outcome.repeats = static_cast<uint32_t>(Below(5));
  if (Coin()) outcome.at = Instant();
  return outcome;
}

ObjectGroup RandomModel::Group() {
  return {Type(), Many([this] { return Object(); }), Coin()};
}

xebec::Observation RandomModel::MakeObservation() {
  xebec::Observation observation;
  observation.envelope = MakeEnvelope();
  observation.phase = static_cast<Phase>(Below(3));
  if (Coin()) observation.now = Instant();
  observation.parent = Object();
  observation.children = Many([this] { return Group(); });
  observation.related = Many([this] { return Group(); });
  observation.last_outcomes = Many([this] { return MakeOutcome(); });
  observation.freshness = Coin() ? Freshness::kLive : Freshness::kCached;
  observation.capabilities = {
      .live_list = Coin(), .ensure_secret = Coin(), .hooks = Coin(), .event_reads = Coin()};
  observation.without_status = Coin();
  observation.release = Many([this] { return Ref(); });
  if (Coin()) observation.declaration = Object();
  observation.declared_resources = Many([this] { return Type(); });
  observation.hook_answers = Many([this] { return Answer(); });
  if (Coin()) observation.declaration_facts = Facts();
  if (Coin()) observation.events = Group();
  return observation;
}

EventFact RandomModel::Event() {
  return {static_cast<EventCondition>(Below(4)), Coin(), Text(), Text(), Text()};
}

ConditionValue RandomModel::Condition() { return {"True", Text(), Text()}; }

Action RandomModel::MakeAction() {
  switch (Below(5)) {
    case 0:
      return Apply{Object(), Coin(), Many([this] { return Text(); })};
    case 1:
      return Delete{static_cast<Propagation>(Below(3))};
    case 2:
      return AddFinalizer{Name()};
    case 3:
      return RemoveFinalizer{Name()};
    default:
      return EnsureSecret{Many([this] { return Name(); }), {{Name(), Text()}, {Name(), Text()}}};
  }
}

Operation RandomModel::MakeOperation(int number) {
  Operation operation;
  operation.id = "operation " + std::to_string(number);
  operation.target = Ref();
  if (Coin()) {
    operation.precondition.absent = true;
  } else if (Coin()) {
    operation.precondition = {false, Name(), Text()};
  }
  operation.action = MakeAction();
  operation.events = Many([this] { return Event(); });
  operation.observed_version = Text();
  operation.memo = Text();
  return operation;
}

StatusIntent RandomModel::MakeStatus() {
  StatusIntent status;
  status.object = Object();
  status.changed = Coin();
  status.progress_only = Coin();
  if (Coin()) status.observed_applied = Condition();
  status.observed_applied_since = Text();
  if (Coin()) status.blocked = Condition();
  status.events = Many([this] { return Event(); });
  status.now = Text();
  if (Coin()) status.amendments = Object();
  if (Coin()) status.observed = Object();
  return status;
}

xebec::Plan RandomModel::MakePlan() {
  xebec::Plan plan;
  plan.envelope = MakeEnvelope();
  plan.complete = Coin();
  plan.children = Many([this] {
    return ChildIntent{Ref(), static_cast<Intent>(Below(3)), Text()};
  });
  int number = 0;
  plan.stages = Many([&] { return Stage{Text(), Many([&] { return MakeOperation(++number); })}; });
  if (Coin()) plan.status = MakeStatus();
  if (Coin()) plan.resync_after = Span();
  plan.verdict = static_cast<Verdict>(Below(3));
  plan.notes = Many([this] { return Text(); });
  plan.live_lists = Many([this] { return Type(); });
  plan.planner_revision = Text();
  plan.events = Many([this] { return Event(); });
  plan.hook_failure = Text();
  plan.hook_requests = Many([this] { return HookRequest{Name(), MakeHookCall()}; });
  plan.event_reads = Many([this] { return Ref(); });
  plan.covers_writes = Coin();
  return plan;
}

xebec::Report RandomModel::MakeReport() {
  xebec::Report report;
  report.envelope = MakeEnvelope();
  report.outcomes = Many([this] { return MakeOutcome(); });
  report.highest_epoch = random_();
  if (Coin()) report.retry_after = Span();
  return report;
}

ChildRule RandomModel::Rule() {
  return {Type(), Text(), Text(), Many([this] { return Text(); }), Coin()};
}

PlannerDescription RandomModel::MakeDescription() {
  return {Text(), Many([this] {
            return KindDescription{"controller " + Name(),
                                   Type(),
                                   Many([this] { return Text(); }),
                                   Many([this] { return Rule(); }),
                                   Many([this] { return Rule(); }),
                                   Text(),
                                   Coin(),
                                   Coin()};
          })};
}

}  // namespace xebec::codec
