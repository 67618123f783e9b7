// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/world.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher::testing {
namespace {

constexpr int kWidgets = 6;
constexpr int kExtraDeliveries = 4;
constexpr size_t kTraceLines = 3000;
constexpr int kMostTicksAtOnce = 1000;
constexpr absl::Duration kLongestAnswer = absl::Seconds(8);

}  // namespace

World::World(uint64_t seed, const Faults& faults, Options options, PlannerDescription description,
             size_t watchers)
    : random_(seed),
      faults_(faults),
      options_(std::move(options)),
      description_(std::move(description)),
      processes_(watchers),
      loses_assignments_(faults.lost_assignments > 0),
      buckets_(options_.buckets) {
  cluster_.makes_scraps = Leaving();
  now_ = {absl::FromUnixSeconds(1700000000), absl::Seconds(1000)};
  for (Process& each : processes_) {
    me_ = &each;
    Begin();
  }
}

bool World::Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
size_t World::Pick(size_t size) { return random_() % size; }

void World::Trace(const std::string& what) {
  trace_.push_back(absl::FormatDuration(now_.monotonic) + " " + what);
  if (trace_.size() > kTraceLines) trace_.pop_front();
}

void World::Advance(absl::Duration time) {
  now_.wall += time;
  now_.monotonic += time;
}

void World::Begin() {
  *me_ = Process();
  Options options = options_;
  options.buckets = me_->buckets = buckets_;
  std::string identity = "watcher-" + std::to_string(++incarnation_);
  if (faults_.instances) {
    options.instance = "instance-" + std::to_string(me_ - processes_.data()) + "_";
    identity = options.instance + identity;
  }
  options.address = me_->identity = identity;
  me_->engine = std::make_unique<Engine>(std::move(options), identity);
  Trace("  process " + identity);
  if (Chance(faults_.wrong_clocks))
    me_->clock_error = Chance(50) ? absl::Hours(1) : -absl::Hours(1);
  Feed(DescriptionArrived{description_});
  if (Elects()) Feed(Join{});
  Feed(CreditsChanged{4, 3, Declares() ? 8u : 0u});
}

void World::Feed(Input input) {
  if (Interrupted()) return;
  Trace(Text(input));
  for (Output& output : me_->engine->Step(Now(), std::move(input))) Do(std::move(output));
  if (!std::exchange(drained_, false)) return;
  const bool off = me_->ends;
  Restart();
  me_->off = off;
}

void World::Do(Output output) {
  std::visit([this](auto& request) { On(request); }, output);
}

Report World::Apply(const Plan& plan, const ApplierFault& fault) {
  if (cluster_.WasReleased(hook_laws_.DeclarationOf(plan.envelope)))
    Violate("a plan of an operator that is gone was carried out");
  Report report = ApplyPlan(plan, fault, &cluster_);
  Remember(plan, report);
  for (const std::string& wrong : std::exchange(cluster_.wrongs, {})) Violate(wrong);
  return report;
}

void World::Carry(const SendPlan& send) {
  if (Chance(faults_.report_lost)) {
    if (Chance(70)) ApplyUnlessFenced(*send.plan, {});
    me_->pending.push_back({ReportLost{send.sequence}});
    return;
  }
  ApplierFault fault;
  if (Chance(faults_.partial)) fault.operations = Pick(3);
  if (Chance(faults_.unknown)) fault.unknown = Pick(3);
  Report report = ApplyUnlessFenced(*send.plan, fault);
  Learn(*send.plan, report);
  me_->pending.push_back({ReportArrived{send.sequence, std::move(report)}});
}

// Appliers do not wait for the watcher.
bool World::CarryOne() {
  if (me_->plans.empty()) return false;
  const size_t i = Pick(me_->plans.size());
  if (me_->plans[i].due > now_.monotonic) return false;
  const SendPlan send = std::move(me_->plans[i].send);
  me_->plans.erase(me_->plans.begin() + static_cast<ptrdiff_t>(i));
  Carry(send);
  return true;
}

bool World::FailStream(StreamId id, int status, const std::string& reason,
                       const std::string& message) {
  me_->streams.erase(id);
  Feed(WatchEnded{id, ApiFailure{status, reason, message, std::nullopt}});
  return true;
}

bool World::Expire(StreamId id) {
  return FailStream(id, 410, "Expired", "too old resource version");
}

bool World::DeliverEvents(StreamId id) {
  if (!ReachesObjects()) return false;
  Stream& stream = me_->streams.at(id);
  auto events = cluster_.EventsAfter(stream.type, stream.version, 1 + Pick(4));
  if (!events) return Expire(id);
  if (events->empty() || now_.monotonic < stream.silent_until) return false;
  stream.version = std::stoll(events->back().object.header.resource_version);
  for (kube::WatchEvent& each : *events) Filter(stream.keep, &each.object);
  if (Chance(faults_.losses)) {
    me_->lost.insert(events->back().object.header.resource_version);
    events->pop_back();
    stream.to_end = true;
  } else if (Chance(faults_.duplicates)) {
    events->push_back(events->back());
  }
  if (!events->empty()) Feed(EventsArrived{id, *std::move(events)});
  return true;
}

void World::EndStream(StreamId id) {
  const Stream stream = me_->streams.at(id);
  me_->streams.erase(id);
  std::optional<ApiFailure> failure;
  if (stream.to_end) {
    cluster_.Compact();
    failure = ApiFailure{410, "Expired", "compacted", std::nullopt};
  } else if (Chance(50)) {
    failure = ApiFailure{0, "", "connection reset", std::nullopt};
  } else if (Chance(30)) {
    cluster_.Compact();
  }
  Feed(WatchEnded{id, std::move(failure)});
}

void World::SwapNames() {
  for (int i = 0; i < kWidgets; ++i) {
    names_.push_back("part-" + std::to_string(i));
    cluster_.NamePart("w" + std::to_string(i), names_.back());
    wanted_["w" + std::to_string(i)] = {1, 7};
  }
}

void World::SwapsOfUsers() {
  const size_t one = Pick(kWidgets), other = Pick(kWidgets);
  if (one == other) return cluster_.Delete(PartType(), names_[one]);
  std::swap(names_[one], names_[other]);
  for (const size_t i : {one, other}) cluster_.NamePart("w" + std::to_string(i), names_[i]);
}

void World::UserActs() {
  if (!names_.empty()) return SwapsOfUsers();
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

bool World::DeliverPending(size_t i) {
  Input input = std::move(me_->pending[i].input);
  me_->pending.erase(me_->pending.begin() + static_cast<ptrdiff_t>(i));
  const uint64_t* sequence = nullptr;
  if (const auto* report = std::get_if<ReportArrived>(&input)) sequence = &report->sequence;
  if (const auto* lost = std::get_if<ReportLost>(&input)) sequence = &lost->sequence;
  if (sequence != nullptr) {
    const auto& [name, bucket] = me_->parents[*sequence];
    --me_->in_flight[name];
    --me_->busy[bucket];
  }
  Feed(std::move(input));
  return true;
}

// After a pause, a host passes on what has arrived before it runs timers.
void World::Resume() {
  if (std::exchange(me_->paused_until, -absl::InfiniteDuration()) < absl::ZeroDuration()) return;
  while (!me_->pending.empty() && me_->pending.front().due <= now_.monotonic) DeliverPending(0);
}

// Any of what can come, in any order; but no answer takes longer than its host may.
bool World::DeliverAny() {
  std::vector<std::function<bool()>> choices;
  for (size_t i = 0; i < me_->pending.size(); ++i) {
    Pending& answer = me_->pending[i];
    if (answer.due > now_.monotonic) continue;
    answer.seen = std::min(answer.seen, now_.monotonic);
    if (now_.monotonic - answer.seen > kLongestAnswer) return DeliverPending(i);
    choices.push_back([this, i] { return DeliverPending(i); });
  }
  for (const auto& each : me_->streams) {
    choices.push_back([this, id = each.first] { return DeliverEvents(id); });
  }
  for (size_t i = 0; i < me_->polls.size(); ++i) {
    if (PollIsOver(me_->polls[i])) choices.push_back([this, i] { return DeliverPoll(i); });
  }
  choices.push_back([this] { return DeliverLeases(); });
  choices.insert(choices.end(), me_->plans.size(), [this] { return CarryOne(); });
  std::shuffle(choices.begin(), choices.end(), random_);
  return std::any_of(choices.begin(), choices.end(), [](const auto& choice) { return choice(); });
}

StreamId World::AnyStream() {
  return std::next(me_->streams.begin(), static_cast<ptrdiff_t>(Pick(me_->streams.size())))->first;
}

void World::Step() {
  Advance(absl::Milliseconds(static_cast<int64_t>(Pick(200))));
  for (Process& each : processes_) {
    me_ = &each;
    if (Runs(each)) Resume();
    if (Runs(each)) ReviewGateway();
    if (Runs(each) && me_->engine->NextDeadline() <= now_.monotonic) Feed(Tick{});
  }
  me_ = &processes_[Pick(processes_.size())];
  if (Chance(faults_.joins)) return JoinsAndLeaves();
  if (Chance(faults_.recounts)) Recount(1 + static_cast<uint32_t>(Pick(5)));
  if (Rarely(faults_.lost_assignments)) LoseAssignment();
  if (Rarely(faults_.applier_restarts)) appliers_[Pick(appliers_.size())] = Applier();
  if (!Runs(*me_)) return static_cast<void>(CarryOne());
  if (me_->buckets != buckets_ && Chance(2)) return Replace();
  if (faults_.defect == Defect::kYieldsEarly && Chance(20)) YieldEarly();
  if (Rarely(faults_.partitions)) Partition();
  if (Rarely(faults_.pauses)) me_->paused_until = now_.monotonic + absl::Seconds(30);
  if (Chance(faults_.lease_lags)) {
    me_->leases_silent_until = now_.monotonic + absl::Seconds(static_cast<int64_t>(Pick(20)));
  }
  if (Chance(faults_.restarts) && Chance(30)) return Restart();
  if (Elects() && Chance(faults_.stops) && Chance(30)) return Feed(Stop{});
  if (!orphans_.empty() && Chance(5) && CarryOrphan()) return;
  if (Chance(faults_.stream_ends) && !me_->streams.empty()) return EndStream(AnyStream());
  if (Chance(faults_.lags) && !me_->streams.empty()) {
    me_->streams.at(AnyStream()).silent_until = now_.monotonic + 2 * options_.gate_timeout;
  }
  if (Declares() && OperatorsAct()) return;
  if (Chance(15)) return UserActs();
  if (Chance(20)) cluster_.CollectGarbage();
  DeliverAny();
  // Leases alone bring something every second.
  for (int i = Elects() ? kExtraDeliveries : 0; i > 0; --i) {
    me_ = &processes_[Pick(processes_.size())];
    Runs(*me_) ? DeliverAny() : CarryOne();
  }
}

bool World::Converge(absl::Duration limit) {
  const Defect defect = std::exchange(faults_, kNoFaults).defect;
  faults_.defect = defect;
  std::vector<std::string> foreign;
  for (const auto& [key, part] : cluster_.All(PartType())) {
    if (FakeCluster::Decode(part).header.controller.uid.empty()) foreign.push_back(key.name);
  }
  for (const std::string& name : foreign) cluster_.Delete(PartType(), name);
  HealHooks();
  for (Process& each : processes_) {
    me_ = &each;
    if (each.off) Begin();
    each.ends = false;
    Heal();
    if (each.buckets != buckets_) Feed(Stop{});
  }
  const absl::Duration end = now_.monotonic + limit;
  while (now_.monotonic < end) {
    if (cluster_.CollectGarbage() || CarryOrphan() || DeliverAnyones()) continue;
    const absl::Duration next = NextDeadline();
    if (next >= end) return true;
    Advance(std::max(absl::Milliseconds(1), next - now_.monotonic));
    TickAll();
  }
  return false;
}

// A watcher that is always due again at once uses a whole CPU.
void World::TickAll() {
  for (Process& each : processes_) {
    me_ = &each;
    Feed(Tick{});
    const bool at_once = each.engine->NextDeadline() <= now_.monotonic;
    each.ticks_at_once = at_once ? each.ticks_at_once + 1 : 0;
    if (each.ticks_at_once == kMostTicksAtOnce) Violate("ticks are due without a pause");
  }
}

void World::Heal() {
  std::vector<StreamId> to_end;
  for (auto& [id, stream] : me_->streams) {
    if (stream.to_end) to_end.push_back(id);
    stream.silent_until = now_.monotonic;
  }
  me_->no_leases_until = me_->no_objects_until = now_.monotonic;
  me_->leases_silent_until = me_->paused_until = now_.monotonic;
  me_->clock_error = absl::ZeroDuration();
  for (const StreamId id : to_end) EndStream(id);
  me_->no_gateway_until = now_.monotonic;
  ReviewGateway();
}

bool World::DeliverAnyones() {
  return std::any_of(processes_.begin(), processes_.end(), [this](Process& each) {
    me_ = &each;
    return DeliverAny();
  });
}

absl::Duration World::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const Process& each : processes_) {
    next = std::min(next, each.engine->NextDeadline());
    for (const Pending& answer : each.pending) next = std::min(next, answer.due);
    for (const Waiting& plan : each.plans) next = std::min(next, plan.due);
    for (const Poll& poll : each.polls) next = std::min(next, poll.due);
  }
  return next;
}

std::vector<std::string> World::Rest(absl::Duration time) {
  log_.clear();
  Converge(time);
  Advance(time);
  Feed(Tick{});
  return log_;
}

}  // namespace xebec::watcher::testing
