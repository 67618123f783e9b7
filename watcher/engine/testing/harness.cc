// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/harness.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"

namespace xebec::watcher::testing {
namespace {

// A tick does at least 2000 parts of the work that is due at once.
constexpr int kMostTicksAtOnce = 1000;

bool AnyKind(const ResourceType&) { return true; }

}  // namespace

Options Harness::WithoutElection() {
  Options options;
  options.leader_election = false;
  return options;
}

Harness::Harness(Options engine_options, const std::string& identity)
    : options(std::move(engine_options)), engine(options, identity) {}

void Harness::Feed(Input input) {
  for (Output& output : engine.Step(now, std::move(input))) {
    if (auto* send = std::get_if<SendObservation>(&output)) {
      observations.push_back(std::move(*send));
    } else if (auto* plan = std::get_if<SendPlan>(&output)) {
      plans.push_back(std::move(*plan));
    } else if (const auto* watch = std::get_if<StartWatch>(&output)) {
      streams_[watch->stream] = {watch->type, watch->ns, std::stoll(watch->resource_version)};
    } else if (const auto* stop = std::get_if<StopStream>(&output)) {
      streams_.erase(stop->stream);
    } else if (const auto* note = std::get_if<Note>(&output)) {
      notes.insert(note->what);
    } else {
      outputs.push_back(std::move(output));
    }
  }
}

bool Harness::AnswerLeases() {
  std::vector<WriteLease> writes = Take<WriteLease>();
  const bool any = !writes.empty();
  for (; !writes.empty(); writes = Take<WriteLease>()) {
    for (const WriteLease& write : writes) {
      Input answer = leases.Write(write);
      const bool conflict = std::holds_alternative<LeaseWriteFailed>(answer);
      Feed(std::move(answer));
      if (conflict) Feed(leases.List());
    }
  }
  return any;
}

void Harness::Advance(absl::Duration time) {
  const absl::Duration end = now.monotonic + time;
  int at_once = 0;
  while (engine.NextDeadline() <= end) {
    const absl::Duration step =
        std::max(absl::ZeroDuration(), engine.NextDeadline() - now.monotonic);
    now.monotonic += step;
    now.wall += step;
    at_once = step > absl::ZeroDuration() ? 0 : at_once + 1;
    if (at_once > kMostTicksAtOnce) {
      ADD_FAILURE() << "the engine requests ticks without a pause";
      break;
    }
    Feed(Tick{});
  }
  now.wall += end - now.monotonic;
  now.monotonic = end;
  Feed(Tick{});
}

bool Harness::DeliverOne() {
  const std::vector<Discover> discoveries = Take<Discover>();
  for (const Discover& request : discoveries) {
    const bool served = Serves(request.type);
    Feed(Discovered{request.type, served, served, false});
  }
  if (!discoveries.empty()) return true;
  const std::vector<Resolve> resolves = Take<Resolve>();
  for (const Resolve& request : resolves) {
    DeclaredResource resource = request.resource;
    if (unread.contains(resource.plural)) {
      Feed(ResolveFailed{resource, ApiFailure{403, "Forbidden", "no right", std::nullopt}});
      continue;
    }
    for (const ResourceType& type : types) {
      const bool version = resource.version.empty() || resource.version == type.version;
      const bool same = version && type.plural == resource.plural && type.group == resource.group;
      if (same && Serves(type)) resource.type = type;
    }
    Feed(Resolved{resource});
  }
  if (!resolves.empty()) return true;
  const std::vector<StartList> pages = Take<StartList>();
  for (const StartList& request : pages) DeliverPage(request);
  if (!pages.empty()) return true;
  for (auto& [id, stream] : streams_) {
    if (!held.contains(stream.type.plural) && DeliverEvents(id, &stream)) return true;
  }
  return false;
}

bool Harness::Serves(const ResourceType& type) const {
  return !unserved.contains(type.plural) && !unserved.contains(type.plural + "/" + type.version);
}

void Harness::DeliverPage(const StartList& request) {
  std::vector<kube::DecodedObject> all = cluster.List(request.type, request.ns);
  const size_t begin = request.continue_token.empty() ? 0 : std::stoul(request.continue_token);
  const size_t end = std::min(all.size(), begin + request.limit);
  const std::string token = end < all.size() ? std::to_string(end) : "";
  const auto at = [&](size_t i) { return all.begin() + static_cast<ptrdiff_t>(i); };
  Feed(ListArrived{request.stream, {{at(begin), at(end)}, cluster.version(), token}});
}

bool Harness::DeliverEvents(StreamId id, Stream* stream) {
  EventsArrived input{id, *cluster.EventsAfter(stream->type, stream->version, 100)};
  if (input.events.empty()) return false;
  stream->version = std::stoll(input.events.back().object.header.resource_version);
  std::erase_if(input.events, [&](const kube::WatchEvent& event) {
    return !stream->ns.empty() && event.object.header.ns != stream->ns;
  });
  if (!input.events.empty()) Feed(std::move(input));
  return true;
}

void Harness::Deliver() {
  do {
    while (DeliverOne()) {
    }
    if (engine.NextDeadline() <= now.monotonic) Feed(Tick{});
  } while (DeliverOne());
}

void Harness::Start(const PlannerDescription& description) {
  Feed(DescriptionArrived{description});
  Feed(CreditsChanged{4, 4});
  Deliver();
}

void Harness::StartAndJoin() {
  Start();
  Feed(leases.List());
  Feed(Join{});
}

void Harness::Converge() {
  for (int i = 0; i < 4; ++i) {
    AnswerLeases();
    Deliver();
  }
}

void Harness::StartWithWidget() {
  cluster.SetWidget("w", 1, 7);
  Start();
  RunReconciles();
  ASSERT_EQ(Key("w").state, KeyState::kIdle);
  ASSERT_EQ(cluster.All(PartType()).size(), 1u);
}

void Harness::StartWithStalledParts() {
  cluster.SetWidget("w", 1, 7);
  Start();
  held = {"parts"};
  AnswerObservation();
  AnswerPlan();
  Deliver();
}

Plan Harness::AskForLiveParts() {
  const SendObservation send = TakeObservation();
  Plan ask = MakeWidgetPlan(send.observation);
  ask.live_lists = {PartType()};
  Feed(PlanArrived{send.sequence, ask});
  return ask;
}

SendObservation Harness::TakeObservation() {
  EXPECT_FALSE(observations.empty()) << "no observation was sent";
  if (observations.empty()) return {};
  SendObservation send = std::move(observations.front());
  observations.pop_front();
  return send;
}

SendPlan Harness::TakePlan() {
  EXPECT_FALSE(plans.empty()) << "no plan was sent";
  if (plans.empty()) return {};
  SendPlan send = std::move(plans.front());
  plans.pop_front();
  return send;
}

void Harness::AnswerObservation() {
  const SendObservation send = TakeObservation();
  if (send.observation.parent != nullptr)
    Feed(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)});
}

void Harness::AnswerPlan(const ApplierFault& fault) {
  const SendPlan send = TakePlan();
  Feed(ReportArrived{send.sequence, ApplyPlan(*send.plan, fault, &cluster)});
}

void Harness::RunReconciles() {
  for (int i = 0; i < 200 && (!observations.empty() || !plans.empty()); ++i) {
    if (!observations.empty()) AnswerObservation();
    if (!plans.empty()) AnswerPlan();
    Deliver();
  }
}

void Harness::AnswerReads() {
  for (const LiveGet& request : Take<LiveGet>()) {
    LiveArrived answer{request.read, {}};
    const Json* found = cluster.Find(request.ref.type, {request.ref.ns, request.ref.name});
    if (found != nullptr) answer.objects.push_back(FakeCluster::Decode(*found));
    Feed(std::move(answer));
  }
  for (const LiveList& request : Take<LiveList>()) {
    Feed(LiveArrived{request.read, cluster.List(request.type, request.ns)});
  }
}

StreamId Harness::StreamOf(const ResourceType& type, const std::string& ns) const {
  for (const auto& [id, stream] : streams_) {
    if (stream.type == type && stream.ns == ns) return id;
  }
  return 0;
}

KeyView Harness::Key(const std::string& name, const std::string& ns) const {
  const std::vector<KeyView> found = engine.Find(AnyKind, {ns, name});
  return found.empty() ? KeyView() : found.front();
}

std::vector<KeyView> Harness::Keys() const {
  constexpr size_t kMore = 1000;  // than any test has
  return engine.List(AnyKind, "", "", kMore).keys;
}

}  // namespace xebec::watcher::testing
