// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/reflector.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/overloaded.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/lists/list_method.h"

namespace xebec::watcher {

void Reflector::Start(ReflectorContext& context) {
  if (std::holds_alternative<Idle>(state_)) Discover(/*resume=*/false, context);
}

void Reflector::Clear(ReflectorContext& context) {
  streams_.Clear(context);
  Reflector cleared(spec(), policy_);
  cleared.streams_ = std::move(streams_);
  *this = std::move(cleared);
}

void Reflector::Respecify(ResourceSpec spec, ReflectorContext& context) {
  if (streams_.Specify(std::move(spec), context)) Relist("respecified", context);
}

void Reflector::Relist(std::string_view reason, ReflectorContext& context) {
  relist_reason_ = std::string(reason);
  if (auto* discovering = std::get_if<Discovering>(&state_)) discovering->resume = false;
  if (auto* waiting = std::get_if<Waiting>(&state_)) {
    if (waiting->then == Resume::kWatch) waiting->then = Resume::kList;
    if (waiting->then == Resume::kRediscover) waiting->then = Resume::kDiscover;
    return;
  }
  // In any other state the list that follows comes from the API server anyway.
  if (!std::holds_alternative<Active>(state_)) return;
  streams_.StopList(context);
  List(context);
}

void Reflector::RequireFresh(const FreshnessRequired& required, ReflectorContext& context) {
  Conclude(streams_.RequireFresh(required, context), context);
}

void Reflector::Discover(bool resume, ReflectorContext& context) {
  state_ = Discovering{resume};
  context.out->push_back(watcher::Discover{spec().type});
}

void Reflector::List(ReflectorContext& context) {
  state_ = Active{};
  streams_.StartList(relist_reason_, context);
}

void Reflector::Watch(ReflectorContext& context) {
  state_ = Active{};
  Conclude(streams_.StartWatch(context), context);
}

void Reflector::Wait(Resume then, absl::Duration at_least, ReflectorContext& context) {
  const uint64_t seed = Seed(spec().type.plural, policy_.seed);
  state_ = Waiting{context.now + std::max(streak_.Pause(policy_.backoff, seed), at_least), then};
}

void Reflector::OnDiscovered(const Discovered& answer, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  if (!answer.served) return OnMissing(context);
  subresources_ = {answer.status_subresource, answer.scale_subresource};
  if (discovering->resume) return Watch(context);
  if (missing_told_) Tell(spec(), Note::Level::kInfo, "Kind appeared", "", context.out);
  missing_told_ = false;
  List(context);
}

void Reflector::OnDiscoveryFailed(const ApiFailure& failure, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  const Resume then = discovering->resume ? Resume::kRediscover : Resume::kDiscover;
  streak_.Count(/*healthy=*/false, context.now);
  ++errors_[absl::StrCat(failure.http_status)];
  failure_text_ = Describe(failure);
  Tell(spec(), Note::Level::kWarning, "Discovery failed", failure_text_, context.out);
  Wait(then, RequestedPause(failure), context);
}

void Reflector::OnList(const ListArrived& input, ReflectorContext& context) {
  const StreamRole role = streams_.RoleOf(input.stream);
  if (role != StreamRole::kList && role != StreamRole::kBarrier) return;
  Conclude(streams_.OnPage(input, context), context);
}

void Reflector::OnEvents(EventsArrived input, ReflectorContext& context) {
  if (streams_.RoleOf(input.stream) != StreamRole::kWatch) return;
  last_heard_ = context.now;
  events_ += input.events.size();
  failure_text_.clear();
  Conclude(streams_.OnEvents(std::move(input), context), context);
}

// A list may be taken over in any state: the answer to a barrier may be one.
void Reflector::Conclude(const MaybeFault& fault, ReflectorContext& context) {
  if (streams_.following()) state_ = Active{};
  if (context.listed) {
    forbidden_ = false;
    failure_text_.clear();
    last_heard_ = context.now;
  }
  if (!fault) return;
  const Overloaded conclude{
      [&](const StreamFailed& failed) { OnFailure(failed.failure, failed.role, context); },
      [&](const VersionRegressed& regressed) { OnRegressed(regressed.role, context); },
      [&](const ListNeeded& needed) { Relist(needed.reason, context); }};
  std::visit(conclude, *fault);
}

void Reflector::OnTick(ReflectorContext& context) {
  Conclude(streams_.OnTick(context), context);
  if (StateDeadline() <= context.now) OnStateTick(context);
}

void Reflector::OnStateTick(ReflectorContext& context) {
  const auto* waiting = std::get_if<Waiting>(&state_);
  const Resume then = waiting == nullptr ? Resume::kDiscover : waiting->then;
  switch (then) {
    case Resume::kDiscover:
    case Resume::kRediscover:
      return Discover(then == Resume::kRediscover, context);
    case Resume::kList:
      return List(context);
    case Resume::kWatch:
      return Watch(context);
  }
}

absl::Duration Reflector::NextDeadline() const {
  return std::min(StateDeadline(), streams_.NextDeadline());
}

absl::Duration Reflector::StateDeadline() const {
  if (const auto* absent = std::get_if<Absent>(&state_)) return absent->retry_at;
  const auto* waiting = std::get_if<Waiting>(&state_);
  return waiting == nullptr ? absl::InfiniteDuration() : waiting->until;
}

void Reflector::OnListFailed(const ListFailed& input, ReflectorContext& context) {
  const StreamRole role = streams_.RoleOf(input.stream);
  if (role == StreamRole::kList && streams_.TakesOver()) {
    TellNotHandedOver(spec(), Describe(input.failure), context.out);
    return Relist("respecified", context);
  }
  if (role == StreamRole::kList) return OnFailure(input.failure, role, context);
  if (role != StreamRole::kBarrier) return;
  ++errors_[absl::StrCat(input.failure.http_status)];
  failure_text_ = Describe(input.failure);
  Tell(spec(), Note::Level::kWarning, "List failed", failure_text_, context.out);
  Conclude(streams_.OnBarrierFailed(input.failure, context), context);
}

// Without its watch, what another watcher hands over is of no use.
bool Reflector::FailsBesideAList(const std::string& why, ReflectorContext& context) {
  const bool takes_over = streams_.TakesOver();
  if (!takes_over && streams_.following()) return false;
  streams_.StopWatch(context);
  if (!takes_over) return true;
  TellNotHandedOver(spec(), why, context.out);
  Relist("respecified", context);
  return true;
}

void Reflector::OnFailure(const ApiFailure& failure, StreamRole role, ReflectorContext& context) {
  ++errors_[absl::StrCat(failure.http_status)];
  const bool of_watch = role == StreamRole::kWatch;
  if (of_watch && FailsBesideAList(Describe(failure), context)) return;
  const bool healthy = streams_.Healthy(context.now);
  switch (streams_.Fail(role, failure, context.now)) {
    case FailureKind::kMissing:
      return OnMissing(context);
    case FailureKind::kExpired:
      return OnExpired(context);
    case FailureKind::kSelectorRefused:
      Tell(spec(), Note::Level::kInfo, "Shard selector refused",
           absl::StrCat(Describe(failure), "; the watcher selects the objects itself"),
           context.out);
      return of_watch ? Watch(context) : List(context);
    case FailureKind::kOther:
      break;
  }
  failure_text_ = Describe(failure);
  Tell(spec(), Note::Level::kWarning, of_watch ? "Watch failed" : "List failed", failure_text_,
       context.out);
  streak_.Count(healthy, context.now);
  if (IsForbidden(failure)) return OnForbidden(context);
  const bool unusable = IsBadRequest(failure);
  if (of_watch && unusable) relist_reason_ = "refused";
  Wait(of_watch && !unusable ? Resume::kWatch : Resume::kList, RequestedPause(failure), context);
}

void Reflector::OnExpired(ReflectorContext& context) {
  const bool storm = streak_.Expire(context.now);
  relist_reason_ = "expired";
  Tell(spec(), Note::Level::kInfo, "Cursor expired",
       absl::StrCat("resourceVersion ", streams_.cache().versions().cursor()), context.out);
  if (!storm) return List(context);
  streak_.Count(/*healthy=*/false, context.now);
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

// Growing pauses as after any failure: an API server that has just started knows no roles for a
// moment.
void Reflector::OnForbidden(ReflectorContext& context) {
  streams_.StopWatch(context);
  streams_.Invalidate();
  forbidden_ = true;
  relist_reason_ = "forbidden";
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

// The kind is not served. That says nothing about its objects: the cache stays as it is.
void Reflector::OnMissing(ReflectorContext& context) {
  if (!std::exchange(missing_told_, true)) {
    Tell(
        spec(), Note::Level::kWarning, "Kind not served",
        absl::StrCat("no CustomResourceDefinition serves ", ApiVersion(spec().type),
                     "; looked for again every ", absl::FormatDuration(policy_.discovery_interval)),
        context.out);
  }
  streams_.StopList(context);
  streams_.StopWatch(context);
  streams_.Invalidate();
  relist_reason_ = "appeared";
  state_ = Absent{context.now + policy_.discovery_interval};
}

// A list is tried again. A watch has shown that it cannot be trusted.
void Reflector::OnRegressed(StreamRole role, ReflectorContext& context) {
  const bool of_watch = role == StreamRole::kWatch;
  if (of_watch && FailsBesideAList("the watch shows older versions", context)) return;
  streak_.Count(streams_.Healthy(context.now), context.now);
  if (of_watch) {
    streams_.StopWatch(context);
  } else {
    streams_.ForgetList(context.now);
  }
  relist_reason_ = of_watch ? "backwards" : "stale";
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

void Reflector::OnWatchEnded(const WatchEnded& input, ReflectorContext& context) {
  if (streams_.RoleOf(input.stream) != StreamRole::kWatch) return;
  if (input.failure.has_value()) return OnFailure(*input.failure, StreamRole::kWatch, context);
  const WatchRun::End end = streams_.WatchEndsAt(context.now);
  const bool follows = streams_.following();
  streams_.ForgetWatch();
  if (!follows) {  // beside a list, which will bring another one
    if (streams_.listing() && end != WatchRun::End::kAtOnce) Watch(context);
    return;
  }
  // An API server ends watches early when it starts again or when the CRD has changed: the kind may
  // have gained or lost subresources, or gone.
  if (end == WatchRun::End::kEarly) return Discover(/*resume=*/true, context);
  if (end == WatchRun::End::kInTime) return Watch(context);
  // Else a server that ends every watch at once would be asked without a pause.
  streak_.Count(/*healthy=*/false, context.now);
  Wait(Resume::kRediscover, absl::ZeroDuration(), context);
}

void Reflector::OnMalformed(const WatchMalformed& input, ReflectorContext& context) {
  if (streams_.RoleOf(input.stream) != StreamRole::kWatch) return;
  ++errors_["malformed"];
  failure_text_ = input.what;
  Tell(spec(), Note::Level::kError, "Watch malformed", input.what, context.out);
  if (FailsBesideAList(input.what, context)) return;
  const bool resume = !streak_.Recent(2 * policy_.backoff.max, context.now);
  streak_.Count(streams_.Healthy(context.now), context.now);
  streams_.StopWatch(context);
  if (!resume) relist_reason_ = "malformed";
  Wait(resume ? Resume::kWatch : Resume::kList, absl::ZeroDuration(), context);
}

}  // namespace xebec::watcher
