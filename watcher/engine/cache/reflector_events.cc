// SPDX-License-Identifier: Apache-2.0
// Reflector: what arrives on its streams, and what its watch brings.
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/cache/reflector.h"

namespace xebec::watcher {
namespace {

// An end that much before the time that was asked for is early.
constexpr absl::Duration kEarly = absl::Seconds(2);

}  // namespace

void Reflector::OnEvents(EventsArrived input, ReflectorContext& context) {
  const auto* listing = std::get_if<Listing>(&state_);
  const bool of_list = listing != nullptr && listing->stream == input.stream;
  const bool of_watch = watch_ && watch_->stream == input.stream;
  if (!of_list && !of_watch) return;
  last_heard_ = context.now;
  events_ += input.events.size();
  failure_text_.clear();
  if (of_list) return OnListingEvents(std::move(input), context);
  OnWatchEvents(input, context);
}

void Reflector::OnWatchEvents(const EventsArrived& input, ReflectorContext& context) {
  watch_->heard = true;
  for (const kube::WatchEvent& event : input.events) {
    if (!OnWatchEvent(event, context)) return;
  }
  CheckWidened();
  CheckBarrier();
}

bool Reflector::OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context) {
  if (event.type == kube::WatchEventType::kError) {
    context.out->push_back(StopStream{watch_->stream});
    OnFailure({event.code, event.reason, event.message, std::nullopt},
              /*of_watch=*/true, context);
    return false;
  }
  const std::string& version = event.object.header.resource_version;
  if (Backwards(version, cursor_)) {
    Tell(Note::Level::kWarning, "resourceVersion regressed",
         absl::StrCat("event of ", event.object.header.ns, "/", event.object.header.name,
                      " with resourceVersion '", version, "' after ", cursor_, "; relisting"),
         context);
    CutWatch(context);
    return false;
  }
  TakeEvent(event, context);
  return true;
}

// While a list is taken over, the watermark stays: the cache lacks what is
// still to be merged. After one, events that the cache has seen already may
// come again.
void Reflector::TakeEvent(const kube::WatchEvent& event, ReflectorContext& context) {
  const kube::ObjectHeader& header = event.object.header;
  const bool bookmark = event.type == kube::WatchEventType::kBookmark;
  const bool gone = event.type == kube::WatchEventType::kDeleted;
  if (gone) {
    store_.Remove(header, context.changes);
  } else if (!bookmark && !IsRemoved(header)) {
    store_.Upsert(event.object, context.changes);
  }
  if (gone || (!bookmark && event.object.json == nullptr)) NoteRemoval(header);
  if (!bookmark && widening_ && watch_->narrow) widening_->narrow_until = header.resource_version;
  cursor_ = header.resource_version;
  if (!merging_) store_.Advance(cursor_);
  const bool caught_up = cursor_ == store_.watermark();
  if (caught_up && Follows() && !barrier_) removed_.clear();
}

bool Reflector::IsRemoved(const kube::ObjectHeader& header) const {
  if (removed_.empty()) return false;
  const auto removed = removed_.find(header.uid);
  if (removed == removed_.end()) return false;
  const auto order = kube::CompareVersions(header.resource_version, removed->second);
  return order.has_value() && *order < 0;
}

// What a list has shown, or will show, of an object that is gone does not count
// any more.
void Reflector::NoteRemoval(const kube::ObjectHeader& header) {
  auto* listing = std::get_if<Listing>(&state_);
  const bool asked = barrier_ && barrier_->stream != 0;
  if (listing != nullptr || asked) removed_[header.uid] = header.resource_version;
  for (Snapshot* news :
       {listing ? &listing->news : nullptr, merging_ ? &merging_->news : nullptr}) {
    if (news == nullptr) continue;
    const std::optional<Slot> coming = news->Find({header.ns, header.name});
    if (!coming || news->at(*coming).uid != header.uid) continue;
    const auto order =
        kube::CompareVersions(news->at(*coming).resource_version, header.resource_version);
    if (!order.has_value() || *order < 0) news->Remove(*coming);
  }
}

// The events that the old watch brought beside a wide list come again, from where the list stands.
void Reflector::CheckWidened() {
  if (!widening_ || !widening_->listed || merging_) return;
  const auto order = kube::CompareVersions(cursor_, widening_->narrow_until);
  if (order.has_value() && *order < 0) return;
  FinishWidening();
  refresh_ = false;
}

void Reflector::FinishWidening() {
  if (widening_) spec_ = std::move(widening_->spec);
  widening_.reset();
}

// The watch has shown that it cannot be trusted.
void Reflector::CutWatch(ReflectorContext& context) {
  const bool follows = Follows();
  if (follows) CountFailure(context.now);
  EndWatch(context);
  if (!follows) return;  // a list is under way or to come
  relist_reason_ = "backwards";
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

void Reflector::OnWatchEnded(const WatchEnded& input, ReflectorContext& context) {
  const auto* listing = std::get_if<Listing>(&state_);
  const bool of_list = listing != nullptr && listing->stream == input.stream;
  const bool of_watch = watch_ && watch_->stream == input.stream;
  if (!of_list && !of_watch) return;
  if (input.failure.has_value()) return OnFailure(*input.failure, of_watch, context);
  if (of_list) return OnFailure({0, "", "the list ended early", std::nullopt}, false, context);
  const bool short_lived = !watch_->heard && context.now - watch_->began < absl::Seconds(1);
  if (!Follows()) {  // beside a list, which will bring another one
    watch_.reset();
    if (listing != nullptr && !short_lived) StartWatching(context);
    return;
  }
  const bool early = EndsEarly(context.now);
  if (short_lived) CountFailure(context.now);
  watch_.reset();
  // An API server ends watches early when it starts again or when the CRD has
  // changed: the kind may have gained or lost subresources, or gone.
  if (!short_lived) return early ? Discover(context, /*resume=*/true) : StartWatching(context);
  // Else a server that ends every watch at once would be asked without a pause.
  Wait(Resume::kRediscover, absl::ZeroDuration(), context);
}

bool Reflector::EndsEarly(absl::Duration now) const {
  return watch_ && now - watch_->began + kEarly < watch_->timeout;
}

void Reflector::OnMalformed(const WatchMalformed& input, ReflectorContext& context) {
  const auto* listing = std::get_if<Listing>(&state_);
  const bool of_list = listing != nullptr && listing->stream == input.stream;
  const bool of_watch = watch_ && watch_->stream == input.stream;
  if (!of_list && !of_watch) return;
  ++errors_["malformed"];
  failure_text_ = input.what;
  Tell(Note::Level::kError, "Watch malformed", input.what, context);
  if (of_watch && !Follows()) return EndWatch(context);
  const bool repeated = context.now - last_failure_ < 2 * policy_.backoff.max && failures_ > 0;
  CountFailure(context.now);
  if (of_list) {
    EndList(context);
    if (listing->streaming) ++cut_lists_;
  } else {
    EndWatch(context);
  }
  const bool resume = of_watch && !repeated;
  if (!resume) relist_reason_ = "malformed";
  Wait(resume ? Resume::kWatch : Resume::kList, absl::ZeroDuration(), context);
}

}  // namespace xebec::watcher
