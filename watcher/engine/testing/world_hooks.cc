// SPDX-License-Identifier: Apache-2.0
// Operators and their hooks in the simulated world.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/hooks/testing/fake_hook.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

constexpr const char* kOperators[] = {"a", "b", "c"};
constexpr const char* kResources[] = {"widgets", "parts", "gadgets"};
constexpr uint32_t kHookCredits = 8;
// The engine gives a call up 10 s after its timeout.
constexpr absl::Duration kTooLate = absl::Seconds(12);

DeclaredResource Served(const DeclaredResource& resource) {
  DeclaredResource served = resource;
  for (const ResourceType& type : {WidgetType(), PartType(), GadgetType()}) {
    if (type.plural == resource.plural) served.type = type;
  }
  return served;
}

HookReply Failure(HookFailureCode code, std::optional<absl::Duration> retry_after = {}) {
  return {HookFailure{code, Name(code), retry_after}, "", false};
}

}  // namespace

// Users and administrators of the cluster.

Json World::RandomSpec(const std::string& name) {
  Json spec = FakeCluster::OperatorOfWidgets();
  if (Chance(30)) {
    spec["children"].push_back(
        {{"group", "example.com"}, {"version", "v1"}, {"resource", "gadgets"}});
  }
  spec["hook"]["address"] = FakeHooks::Address(Pick(FakeHooks::kAddresses));
  spec["finalizer"] = Chance(60);
  spec["paused"] = Chance(15);
  spec["status"] = name != "b" && Chance(80);
  spec["configuration"] = {{"id", ++last_id_}};
  return spec;
}

void World::ChangeOperator(const std::string& name) {
  Trace("  a user changes operator " + name);
  const Json* known = cluster_.Find(OperatorType(), {"", name});
  Json spec = known == nullptr || Chance(30) ? RandomSpec(name) : (*known)["spec"];
  spec["configuration"] = {{"id", ++last_id_}};
  if (Chance(20)) spec["paused"] = !spec.value("paused", false);
  if (Chance(20)) spec["finalizer"] = !spec.value("finalizer", false);
  cluster_.SetOperator(name, spec);
}

// Some have become invalid before.
void World::RemoveOperator(const std::string& name) {
  Trace("  a user deletes operator " + name);
  const Json* known = cluster_.Find(OperatorType(), {"", name});
  if (known != nullptr && Chance(30)) {
    Json spec = (*known)["spec"];
    spec["hook"]["address"] = "nowhere";
    cluster_.SetOperator(name, spec);
  }
  cluster_.DeleteOperator(name);
}

// True if something happened.
bool World::OperatorsAct() {
  if (Chance(faults_.gateway_gone) && Chance(10)) LoseGateway();
  if (!Chance(faults_.operators)) return false;
  const std::string name = kOperators[Pick(std::size(kOperators))];
  const std::string address = FakeHooks::Address(Pick(FakeHooks::kAddresses));
  switch (Pick(10)) {
    case 0:
    case 1:
      RemoveOperator(name);
      break;
    case 2:
      hooks_.Replace(address);
      break;
    case 3:
      hooks_.Toggle(address);
      break;
    case 4: {
      auto& which = Chance(50) ? unserved_ : forbidden_;
      const std::string resource = kResources[Pick(std::size(kResources))];
      if (resource == WidgetType().plural && &which == &unserved_) break;  // there are some
      if (which.erase(resource) == 0) which.insert(resource);
      break;
    }
    default:
      ChangeOperator(name);
  }
  return true;
}

void World::HealHooks() {
  hooks_.Heal();
  unserved_.clear();
  forbidden_.clear();
}

void World::SetMoody(bool moody) {
  for (size_t i = 0; i < FakeHooks::kAddresses; ++i) {
    hooks_.SetMoody(FakeHooks::Address(i), moody);
  }
}

void World::Touch() {
  quiet_ = true;
  for (auto& [name, want] : wanted_) {
    want.second += 10;
    cluster_.SetWidget(name, want.first, want.second);
  }
}

// The gateway.

void World::LoseGateway() {
  me_->no_gateway_until = now_.monotonic + absl::Seconds(static_cast<int64_t>(1 + Pick(10)));
  me_->gateway = false;
  const HookReply broken = Failure(HookFailureCode::kUnavailable);
  for (Pending& each : me_->pending) {
    if (auto* answer = std::get_if<HookAnswered>(&each.input)) {
      answer->reply = broken;
      each.due = now_.monotonic;
    }
  }
  for (const Poll& poll : std::exchange(me_->polls, {})) {
    me_->pending.push_back({HookAnswered{poll.sequence, broken}});
  }
  Feed(CreditsChanged{4, 3, 0});
}

void World::ReviewGateway() {
  if (me_->gateway || now_.monotonic < me_->no_gateway_until) return;
  me_->gateway = true;
  Feed(CreditsChanged{4, 3, kHookCredits});
}

void World::On(const Resolve& request) {
  const std::string& plural = request.resource.plural;
  if (forbidden_.contains(plural)) {
    const ApiFailure failure{403, "Forbidden", "no right", std::nullopt};
    return me_->pending.push_back({ResolveFailed{request.resource, failure}});
  }
  const bool served = !unserved_.contains(plural);
  me_->pending.push_back({Resolved{served ? Served(request.resource) : request.resource}});
}

void World::On(const CallHook& request) {
  const HookCall& call = request.call;
  if (call.known) {
    me_->polls.push_back({request.sequence, call, now_.monotonic + call.timeout});
    return;
  }
  ++counts_[call.again ? "check" : "call"];
  log_.push_back("call " + call.operator_name);
  Trace("  call " + call.operator_name + " #" + std::to_string(request.sequence));
  absl::Duration delay;
  if (Chance(faults_.slow_hooks)) delay = absl::Seconds(static_cast<int64_t>(Pick(9)));
  HookReply reply = Chance(faults_.hook_fails) ? FailedReply(call, &delay) : ReplyOf(call);
  NoteAnswer(call, reply);
  me_->pending.push_back(
      {HookAnswered{request.sequence, std::move(reply)}, now_.monotonic + delay});
}

HookReply World::ReplyOf(const HookCall& call) {
  if (!me_->gateway || hooks_.Down(call.endpoint)) return Failure(HookFailureCode::kUnavailable);
  std::string program = hooks_.ProgramAt(call.endpoint);
  if (hooks_.Moody(call.endpoint)) absl::StrAppend(&program, "?", ++counts_["mood"]);
  return {xebec::testing::AnswerOfHook(call.sync_request, program),
          hooks_.StateOf(call.endpoint).revision, false};
}

HookReply World::FailedReply(const HookCall& call, absl::Duration* delay) {
  switch (Pick(10)) {
    case 0:
      *delay = call.timeout;
      return Failure(HookFailureCode::kTimeout);
    case 1:
      *delay = call.timeout + kTooLate;
      return ReplyOf(call);
    case 2:
      return Failure(HookFailureCode::kUnavailable);
    case 3:
      return Failure(HookFailureCode::kThrottled, absl::Seconds(static_cast<int64_t>(1 + Pick(5))));
    case 4:
      return Failure(HookFailureCode::kTooLarge);
    case 5:
      return Failure(static_cast<HookFailureCode>(Pick(kHookFailureCodes)));
    case 6:
      return {HookState{}, "", false};  // not an answer to a call of Sync
    case 7: {
      const std::string moody = hooks_.ProgramAt(call.endpoint) + "?" + std::to_string(Pick(100));
      return {xebec::testing::AnswerOfHook(call.sync_request, moody), "", false};
    }
    default:
      return {xebec::testing::UselessAnswer(Pick(4)), "", false};
  }
}

// For observations that contain it although it answers an earlier one.
void World::NoteAnswer(const HookCall& call, const HookReply& reply) {
  for (auto& [key, asked] : me_->asked) {
    const auto* body = std::get_if<std::string>(&reply.result);
    if (body != nullptr && asked.request.call == call) {
      asked.answer = HookAnswer{asked.request.digest, *body};
    }
  }
}

bool World::PollIsOver(const Poll& poll) const {
  return poll.due <= now_.monotonic || hooks_.StateOf(poll.call.endpoint) != *poll.call.known;
}

bool World::DeliverPoll(size_t i) {
  const Poll poll = std::move(me_->polls[i]);
  me_->polls.erase(me_->polls.begin() + static_cast<ptrdiff_t>(i));
  HookReply reply{hooks_.StateOf(poll.call.endpoint), "", false};
  if (Chance(faults_.poll_fails)) reply = Failure(HookFailureCode::kUnavailable);
  Feed(HookAnswered{poll.sequence, std::move(reply)});
  return true;
}

// The planner.

Plan World::PlanOf(const Observation& observation) {
  if (!Declares()) return PlanOfWidget(observation);
  if (observation.declaration == nullptr) return PlanOfOperator(observation);
  return PlanOfDeclared(observation);
}

Plan World::PlanOfWidget(const Observation& observation) const {
  Plan plan = MakeWidgetPlan(observation);
  if (faults_.defect == Defect::kCoversTooMuch) plan.covers_writes = !plan.stages.empty();
  return plan;
}

Plan World::PlanOfOperator(Observation observation) const {
  if (faults_.defect == Defect::kReleasesEarly) observation.declaration_facts->released = true;
  return xebec::testing::PlanWithHooks(observation);
}

// Besides the answers of the observation there may be an older one.
Plan World::PlanOfDeclared(Observation observation) {
  const Envelope envelope = observation.envelope;
  Violate(hook_laws_.OnObserved(observation));
  if (std::optional<Plan> wrong = DefectivePlan(observation)) return *std::move(wrong);
  Asked& asked = me_->asked[KeyOf(envelope)];
  const bool stale = asked.answer && Chance(faults_.stale_answers);
  Observation alone = observation;
  alone.hook_answers.clear();
  Plan plan = xebec::testing::PlanWithHooks(alone);
  if (plan.hook_requests.empty()) return plan;
  const HookRequest& request = plan.hook_requests.front();
  hook_laws_.OnAsked(request);
  std::vector<HookAnswer>& answers = observation.hook_answers;
  if (stale && asked.answer->digest != request.digest) {
    answers.insert(answers.begin(), *asked.answer);
  }
  if (faults_.defect == Defect::kIgnoresDigest && !answers.empty()) {
    hook_laws_.OnAnswerTaken(envelope, answers.front().digest);
    answers.front().digest = request.digest;
    return xebec::testing::PlanWithHooks(observation);
  }
  for (const HookAnswer& each : answers) {
    if (each.digest == request.digest) hook_laws_.OnAnswerTaken(envelope, each.digest);
  }
  asked = {std::move(alone), request, asked.answer};
  return answers.empty() ? plan : xebec::testing::PlanWithHooks(observation);
}

}  // namespace xebec::watcher::testing
