// SPDX-License-Identifier: Apache-2.0
// What the simulated world does with each output of the engine.
#include <utility>

#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

constexpr size_t kPageSize = 3;

// The token of a page: the version of the list and the place of the page.
std::pair<std::string, size_t> ReadToken(const std::string& token) {
  const size_t slash = token.find('/');
  return {token.substr(0, slash), std::stoul(token.substr(slash + 1))};
}

}  // namespace

std::string World::Text(const Input& input) {
  if (const auto* events = std::get_if<EventsArrived>(&input)) {
    std::string text = "events " + std::to_string(events->stream);
    for (const kube::WatchEvent& event : events->events) {
      const kube::ObjectHeader& header = event.object.header;
      text += " [" + std::to_string(static_cast<int>(event.type)) + " " + header.name + " " +
              header.uid + " @" + header.resource_version + "]";
    }
    return text;
  }
  if (const auto* report = std::get_if<ReportArrived>(&input)) {
    std::string text = "report " + std::to_string(report->sequence);
    for (const Outcome& outcome : report->report.outcomes) {
      text += " [" + outcome.operation + " " + std::string(Name(outcome.code)) + " " + outcome.uid +
              " @" + outcome.resource_version + "]";
    }
    return text;
  }
  if (const auto* plan = std::get_if<PlanArrived>(&input))
    return "plan " + std::to_string(plan->sequence);
  if (const auto* answer = std::get_if<HookAnswered>(&input))
    return "answer " + std::to_string(answer->sequence);
  return "input " + std::to_string(input.index());
}

void World::On(const Discover& request) {
  ++counts_["discover"];
  me_->pending.push_back({Discovered{request.type, true, true, false}});
}

void World::On(const StartWatch& request) {
  ++counts_["watch"];
  me_->streams[request.stream] = {request.type, request.projection.keep,
                                  std::stoll(request.resource_version)};
  Trace("  watch " + request.type.plural + " as " + std::to_string(request.stream) + " from " +
        request.resource_version);
}

// The pages of a list show one state.
void World::On(const StartList& request) {
  ++counts_["list"];
  log_.push_back("list " + request.type.plural);
  const auto answer = [&](Input input) {
    const bool slow = Chance(faults_.slow_lists);
    me_->pending.push_back(
        {std::move(input), now_.monotonic + absl::Seconds(slow ? static_cast<int>(Pick(4)) : 0)});
  };
  if (!request.from.empty()) return answer(HandedOver(request));
  const bool first = request.continue_token.empty();
  if (Chance(faults_.list_fails) || !ReachesObjects()) {
    const bool expired = !first && Chance(50);
    return answer(ListFailed{request.stream, expired ? ApiFailure{410, "Expired", "", {}}
                                                     : ApiFailure{0, "", "connection reset", {}}});
  }
  const auto [version, begin] =
      first ? std::pair(cluster_.version(), size_t{0}) : ReadToken(request.continue_token);
  std::vector<kube::DecodedObject>& state = me_->lists[request.type.plural + "@" + version];
  if (first) state = cluster_.List(request.type);
  kube::ListPage page{{}, version, ""};
  const size_t end = std::min(state.size(), begin + kPageSize);
  const kube::BucketFilter keep = OfList(request.type, request.projection.keep);
  for (size_t i = begin; i < end; ++i) {
    page.objects.push_back(state[i]);
    Filter(keep, &page.objects.back());
  }
  if (end < state.size()) page.continue_token = version + "/" + std::to_string(end);
  answer(ListArrived{request.stream, std::move(page)});
}

void World::On(const StopStream& request) {
  Trace("  stop stream " + std::to_string(request.stream));
  me_->streams.erase(request.stream);
}

void World::NoteBegun(const Envelope& envelope, uint64_t sequence) {
  if (sequence <= me_->last_sequence) Violate("sequence went back");
  me_->last_sequence = sequence;
  if (Elects()) CheckAlone(envelope.parent);
}

// A plan is in flight until its report. An observation is not: its answer may find no reconcile.
void World::NoteSent(const Envelope& envelope, uint64_t sequence) {
  const std::string name = envelope.controller + " " + envelope.parent.ref.name;
  if (++me_->in_flight[name] > 1) Violate("two reconciles at once for " + name);
  ++me_->busy[envelope.bucket];
  me_->parents[sequence] = {name, envelope.bucket};
}

void World::On(const SendObservation& send) {
  ++counts_["observation"];
  const std::string& name = send.observation.envelope.parent.ref.name;
  NoteBegun(send.observation.envelope, send.sequence);
  Trace("  observe " + name + " #" + std::to_string(send.sequence) + " @" +
        send.observation.envelope.parent.resource_version +
        (send.observation.freshness == Freshness::kLive ? " live" : ""));
  log_.push_back("plan " + name);
  CheckObservation(send.observation);
  if (Chance(faults_.plan_fails)) {
    me_->pending.push_back({PlanFailed{send.sequence, "the stream broke", false}});
  } else {
    me_->pending.push_back({PlanArrived{send.sequence, PlanOf(send.observation)}});
  }
}

void World::On(SendPlan& send) {
  ++counts_["plan"];
  const std::string& name = send.plan->envelope.parent.ref.name;
  NoteBegun(send.plan->envelope, send.sequence);
  NoteSent(send.plan->envelope, send.sequence);
  if (Elects()) Violate(laws_.OnSent(send.plan->envelope, now_.monotonic));
  if (send.plan->envelope.sequence != send.sequence) Violate("envelope of another sequence");
  if (Declares()) CheckDeclaredPlan(*send.plan);
  Trace("  apply " + name + " #" + std::to_string(send.sequence));
  log_.push_back("apply " + name);
  const size_t wait = Chance(faults_.slow_appliers) ? Pick(12) : 0;
  me_->plans.push_back({std::move(send), now_.monotonic + absl::Seconds(static_cast<int>(wait))});
}

bool World::LiveReadFails(ReadId read) {
  if (!Chance(faults_.live_fails) && ReachesObjects()) return false;
  me_->pending.push_back({LiveFailed{read, ApiFailure{503, "", "try again", std::nullopt}}});
  return true;
}

void World::AnswerRead(LiveArrived answer) {
  const bool slow = Chance(faults_.slow_reads);
  me_->pending.push_back({std::move(answer), now_.monotonic + absl::Seconds(slow ? 3 : 0)});
}

void World::On(const LiveGet& request) {
  ++counts_["live get"];
  if (LiveReadFails(request.read)) return;
  LiveArrived answer{request.read, {}};
  const Json* found = cluster_.Find(request.ref.type, {request.ref.ns, request.ref.name});
  if (found != nullptr) answer.objects.push_back(FakeCluster::Decode(*found));
  Trace("  get " + request.ref.name);
  log_.push_back("get " + request.ref.name);
  AnswerRead(std::move(answer));
}

void World::On(const LiveList& request) {
  ++counts_["live list"];
  if (LiveReadFails(request.read)) return;
  Trace("  live list " + request.type.plural + " @" + cluster_.version());
  log_.push_back("live list " + request.type.plural);
  AnswerRead({request.read, cluster_.List(request.type)});
}

void World::On(const WriteLease& request) {
  ++counts_["lease"];
  const bool arrives = !Chance(faults_.lease_fails) && ReachesLeases(),
             answered = !Chance(faults_.lease_fails);
  if (!arrives) return me_->pending.push_back({LeaseWriteFailed{request.lease, ApiFailure{}}});
  Input answer = Store(request);
  me_->pending.push_back(
      {answered ? std::move(answer) : Input(LeaseWriteFailed{request.lease, ApiFailure{}})});
}

// As the API server does: by version, seen by everybody some time later.
Input World::Store(const WriteLease& request) {
  const Assignment before = leases_.assignment();
  Input answer = leases_.Write(request);
  if (const auto* seen = std::get_if<LeasesSeen>(&answer)) {
    lease_log_.push_back(seen->leases.front());
    Trace("  lease " + std::to_string(request.lease) + " of " + request.holder + " " +
          request.content);
    CheckHandedOver(before, leases_.assignment());
    NoteAssigned(before, leases_.assignment());
  } else {
    me_->lists_leases = true;
  }
  return answer;
}

void World::On(const Note& note) {
  // Nobody but watchers writes the assignment here, unless somebody deletes it.
  const bool repaired = note.what == "Assignment deleted" || note.what == "Assignment edited" ||
                        note.what == "Assignment unreadable";
  const bool intact = faults_.defect == Defect::kNone && !loses_assignments_;
  if (repaired && intact) Violate(note.what + ": " + note.detail);
  ++counts_["note " + note.what];
  Trace("  note " + note.what + " " + (note.ref ? note.ref->name : "") + " " + note.detail);
}

}  // namespace xebec::watcher::testing
