// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/overloaded.h"
#include "watcher/engine/backoff.h"

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

void Reflector::RequireFresh(absl::Duration since, ReflectorContext& context) {
  Conclude(streams_.RequireFresh(since, context), context);
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
  status_subresource_ = answer.status_subresource;
  scale_subresource_ = answer.scale_subresource;
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
  Wait(then, failure.retry_after.value_or(absl::ZeroDuration()), context);
}

void Reflector::OnList(const ListArrived& input, ReflectorContext& context) {
  const StreamRole role = streams_.RoleOf(input.stream);
  if (role != StreamRole::kList && role != StreamRole::kBarrier) return;
  Conclude(streams_.OnPage(input, context), context);
}

void Reflector::OnEvents(EventsArrived input, ReflectorContext& context) {
  const StreamRole role = streams_.RoleOf(input.stream);
  if (role != StreamRole::kList && role != StreamRole::kWatch) return;
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

}  // namespace xebec::watcher
