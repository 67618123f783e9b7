// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

// A streaming list that says nothing for that long is given up: a server that does not know the
// option sends the objects and never the bookmark that ends them.
constexpr absl::Duration kListSilence = absl::Seconds(60);
constexpr uint32_t kMostCutLists = 3;

}  // namespace

Reflector::Reflector(ResourceSpec spec, ReflectorPolicy policy)
    : spec_(std::move(spec)), policy_(policy) {}

void Reflector::Start(ReflectorContext& context) {
  if (std::holds_alternative<Idle>(state_)) Discover(context);
}

void Reflector::Stop(ReflectorContext& context) {
  EndList(context);
  EndWatch(context);
  merging_.reset();
  barrier_.reset();
  FinishWidening();
  complete_ = false;
  state_ = Idle{};
}

// A wider cache is enough: what narrows is never listed for. What widens a complete cache goes on
// beside it; the events of the old watch are replaced by those of the new one.
void Reflector::Respecify(ResourceSpec spec, ReflectorContext& context) {
  if (!std::holds_alternative<Idle>(state_) && Covers(wanted(), spec)) return;
  if (spec == wanted()) return;
  barrier_.reset();
  refresh_ = true;
  if (complete_ && Covers(spec, spec_)) {
    if (watch_) watch_->narrow = true;
    widening_ = Widening{std::move(spec)};
  } else {
    FinishWidening();
    spec_ = std::move(spec);
    complete_ = false;
    if (Follows()) EndWatch(context);
  }
  Relist("respecified", context);
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
  if (!std::holds_alternative<Listing>(state_) && !Follows()) return;
  EndList(context);
  StartListing(context);
}

void Reflector::Discover(ReflectorContext& context, bool resume) {
  state_ = Discovering{resume};
  context.out->push_back(watcher::Discover{spec_.type});
}

void Reflector::OnDiscovered(const Discovered& answer, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  if (!answer.served) return Disappear(context);
  status_subresource_ = answer.status_subresource;
  scale_subresource_ = answer.scale_subresource;
  if (discovering->resume) return StartWatching(context);
  if (missing_told_) Tell(Note::Level::kInfo, "Kind appeared", "", context);
  missing_told_ = false;
  StartListing(context);
}

void Reflector::OnDiscoveryFailed(const ApiFailure& failure, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  const Resume then = discovering->resume ? Resume::kRediscover : Resume::kDiscover;
  CountFailure(context.now);
  ++errors_[absl::StrCat(failure.http_status)];
  failure_text_ = Describe(failure);
  Tell(Note::Level::kWarning, "Discovery failed", failure_text_, context);
  Wait(then, failure.retry_after.value_or(absl::ZeroDuration()), context);
}

void Reflector::Disappear(ReflectorContext& context) {
  // The kind is not served. That says nothing about its objects: the cache stays as it is.
  if (!missing_told_) {
    Tell(
        Note::Level::kWarning, "Kind not served",
        absl::StrCat("no CustomResourceDefinition serves ", ApiVersion(spec_.type),
                     "; looked for again every ", absl::FormatDuration(policy_.discovery_interval)),
        context);
  }
  EndWatch(context);
  missing_told_ = true;
  FinishWidening();
  complete_ = false;
  relist_reason_ = "appeared";
  state_ = Absent{context.now + policy_.discovery_interval};
}

bool Reflector::UsesPages() const { return streaming_refused_ || cut_lists_ >= kMostCutLists; }

uint32_t Reflector::PageSize() const {
  return std::max(1u, (policy_.list_page << (2 * page_growth_)) >> page_halvings_);
}

// A watch whose events cannot be put in order with the list's is not taken along.
void Reflector::StartListing(ReflectorContext& context) {
  ++relists_[relist_reason_];
  if (!kube::IsComparable(cursor_)) EndWatch(context);
  merging_.reset();
  barrier_.reset();
  Listing listing{.stream = 0,
                  .streaming = !UsesPages(),
                  .number = ++lists_begun_,
                  .began = context.now,
                  .heard = context.now,
                  .cursor = cursor_};
  store_.BeginList(static_cast<uint32_t>(listing.number));
  if (listing.streaming) {
    listing.stream = ++*context.last_stream;
    context.out->push_back(StartWatch{.stream = listing.stream,
                                      .type = spec_.type,
                                      .ns = spec_.ns,
                                      .label_selector = wanted().label_selector,
                                      .resource_version = "",
                                      .initial_events = true,
                                      .timeout = WatchTimeout(listing.stream),
                                      .projection = wanted().projection});
  } else {
    listing.stream = StartPage("", context);
  }
  state_ = std::move(listing);
}

StreamId Reflector::StartPage(const std::string& continue_token, ReflectorContext& context) const {
  const StreamId stream = ++*context.last_stream;
  context.out->push_back(StartList{.stream = stream,
                                   .type = spec_.type,
                                   .ns = spec_.ns,
                                   .label_selector = wanted().label_selector,
                                   .continue_token = continue_token,
                                   .limit = PageSize(),
                                   .projection = wanted().projection});
  return stream;
}

void Reflector::StartWatching(ReflectorContext& context, absl::Duration timeout) {
  EndWatch(context);
  const StreamId stream = ++*context.last_stream;
  if (timeout == absl::ZeroDuration()) timeout = WatchTimeout(stream);
  context.out->push_back(StartWatch{.stream = stream,
                                    .type = spec_.type,
                                    .ns = spec_.ns,
                                    .label_selector = wanted().label_selector,
                                    .resource_version = cursor_,
                                    .initial_events = false,
                                    .timeout = timeout,
                                    .projection = wanted().projection});
  watch_ = Watch{stream, context.now, timeout, false};
  if (std::holds_alternative<Listing>(state_)) return;  // it goes on
  state_ = Watching{};
  MaybeAskBarrier(context);
}

// Deterministic, and another one for each watch: watches that began together must not all end
// together.
absl::Duration Reflector::WatchTimeout(StreamId stream) const {
  constexpr uint64_t kParts = 1024;
  const uint64_t part = Seed(spec_.type.plural + "/" + spec_.ns, policy_.seed + stream) % kParts;
  const int64_t least = 7 * kParts, spread = 3;  // of ten
  return policy_.watch_timeout * static_cast<int64_t>(least + spread * static_cast<int64_t>(part)) /
         static_cast<int64_t>(10 * kParts);
}

void Reflector::EndList(ReflectorContext& context) const {
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing != nullptr) context.out->push_back(StopStream{listing->stream});
}

void Reflector::EndWatch(ReflectorContext& context) {
  if (watch_) context.out->push_back(StopStream{watch_->stream});
  watch_.reset();
}

std::set<StreamId> Reflector::Streams() const {
  std::set<StreamId> streams;
  if (const auto* listing = std::get_if<Listing>(&state_)) streams.insert(listing->stream);
  if (watch_) streams.insert(watch_->stream);
  if (barrier_ && barrier_->stream != 0) streams.insert(barrier_->stream);
  return streams;
}

StreamId Reflector::stream() const {
  if (const auto* listing = std::get_if<Listing>(&state_)) return listing->stream;
  return watch_ ? watch_->stream : 0;
}

Availability Reflector::availability() const {
  if (forbidden_ || std::holds_alternative<Absent>(state_) || missing_told_) {
    return Availability::kUnavailable;
  }
  return complete_ ? Availability::kReady : Availability::kPending;
}

bool Reflector::Backwards(const std::string& version, const std::string& cursor) const {
  if (cursor.empty()) return version.empty();
  const auto order = kube::CompareVersions(version, cursor);
  if (order.has_value()) return *order < 0;
  // Versions that cannot be compared are a server's right; one among others that can is a defect.
  return version.empty() || kube::IsComparable(cursor);
}

void Reflector::OnTick(ReflectorContext& context) {
  if (merging_ && merging_->due <= context.now) MergeSome(context);
  if (barrier_ && barrier_->due <= context.now) OnBarrierTick(context);
  if (StateDeadline() <= context.now) OnStateTick(context);
}

void Reflector::OnStateTick(ReflectorContext& context) {
  if (std::holds_alternative<Absent>(state_)) return Discover(context);
  if (const auto* waiting = std::get_if<Waiting>(&state_)) {
    switch (waiting->then) {
      case Resume::kDiscover:
      case Resume::kRediscover:
        return Discover(context, waiting->then == Resume::kRediscover);
      case Resume::kList:
        return StartListing(context);
      case Resume::kWatch:
        return StartWatching(context);
    }
  }
  EndList(context);  // a silent streaming list
  cut_lists_ = kMostCutLists;
  Tell(Note::Level::kWarning, "List silent", "no end of the initial events; listing by pages",
       context);
  StartListing(context);
}

absl::Duration Reflector::NextDeadline() const {
  absl::Duration next = StateDeadline();
  if (merging_) next = std::min(next, merging_->due);
  if (barrier_) next = std::min(next, barrier_->due);
  return next;
}

absl::Duration Reflector::StateDeadline() const {
  if (const auto* absent = std::get_if<Absent>(&state_)) return absent->retry_at;
  if (const auto* waiting = std::get_if<Waiting>(&state_)) return waiting->until;
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing != nullptr && listing->streaming) return listing->heard + kListSilence;
  return absl::InfiniteDuration();
}

}  // namespace xebec::watcher
