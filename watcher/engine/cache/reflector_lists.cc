// SPDX-License-Identifier: Apache-2.0
// Reflector: lists on their way into the store, and barriers.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/reflector.h"

namespace xebec::watcher {
namespace {

// How long the watch may take to reach a barrier before it is reopened. API
// servers send a bookmark two seconds before the time-out of a watch, and
// otherwise once a minute.
constexpr absl::Duration kBarrierReopenDelay = absl::Milliseconds(300);
constexpr absl::Duration kBarrierWatch = absl::Seconds(3);
constexpr absl::Duration kBarrierTimeout = absl::Seconds(5);
constexpr uint32_t kBarrierTries = 3;

}  // namespace

void Reflector::OnList(const ListArrived& input, ReflectorContext& context) {
  if (barrier_ && barrier_->stream == input.stream) return OnBarrierPage(input.page, context);
  auto* listing = std::get_if<Listing>(&state_);
  if (listing == nullptr || listing->streaming || listing->stream != input.stream) return;
  for (const kube::DecodedObject& object : input.page.objects) TakeItem(*listing, object);
  ++listing->pages;
  if (input.page.continue_token.empty()) {
    return TakeList(std::move(*listing), input.page.resource_version, context);
  }
  listing->heard = context.now;
  listing->stream = StartPage(input.page.continue_token, context);
}

void Reflector::OnListFailed(const ListFailed& input, ReflectorContext& context) {
  if (barrier_ && barrier_->stream == input.stream) return OnBarrierFailed(input.failure, context);
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing == nullptr || listing->stream != input.stream) return;
  OnFailure(input.failure, /*of_watch=*/false, context);
}

void Reflector::OnListingEvents(EventsArrived input, ReflectorContext& context) {
  auto& listing = std::get<Listing>(state_);
  listing.heard = context.now;
  for (size_t i = 0; i < input.events.size(); ++i) {
    const kube::WatchEvent& event = input.events[i];
    if (event.type == kube::WatchEventType::kError) {
      EndList(context);
      return OnFailure({event.code, event.reason, event.message, std::nullopt},
                       /*of_watch=*/false, context);
    }
    if (event.initial_events_end) {
      const StreamId stream = listing.stream;
      TakeList(std::move(listing), event.object.header.resource_version, context);
      if (!watch_ || watch_->stream != stream) return;
      input.events.erase(input.events.begin(),
                         input.events.begin() + static_cast<ptrdiff_t>(i) + 1);
      return input.events.empty() ? void() : OnWatchEvents(input, context);
    }
    if (event.type == kube::WatchEventType::kDeleted) {
      listing.news.Erase({event.object.header.ns, event.object.header.name});
    } else if (event.type != kube::WatchEventType::kBookmark) {
      TakeItem(listing, event.object);
    }
  }
}

// Of what the store has already nothing is kept: a repeated list costs no
// memory. Nor of what events have shown to be gone since.
void Reflector::TakeItem(Listing& listing, const kube::DecodedObject& object) {
  const ObjectKey key{object.header.ns, object.header.name};
  if (object.json == nullptr || IsRemoved(object.header) || store_.Confirm(object, refresh_)) {
    listing.news.Erase(key);
  } else {
    listing.news.Set(key, ToStored(object));
  }
}

void Reflector::TakeList(Listing listing, const std::string& version, ReflectorContext& context) {
  if (Backwards(version, listing.cursor)) {
    if (listing.streaming) context.out->push_back(StopStream{listing.stream});
    return RefuseList(version, listing.cursor, context);
  }
  SwitchWatch(listing, version, context);
  state_ = Watching{};
  store_.EndList();
  merging_ = Merging{.number = listing.number,
                     .began = listing.began,
                     .version = version,
                     .news = std::move(listing.news),
                     .due = context.now};
  if (!watch_) StartWatching(context);
  MergeSome(context);
}

void Reflector::RefuseList(const std::string& version, const std::string& cursor,
                           ReflectorContext& context) {
  CountFailure(context.now);
  Tell(Note::Level::kError, "List refused",
       absl::StrCat("its resourceVersion ", version, " is older than ", cursor,
                    ", which was seen already; tried again. If etcd was "
                    "restored from a backup, "
                    "restart the watcher"),
       context);
  relist_reason_ = "stale";
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

// The watch goes on where the list stands, even if the watch that ran beside it
// was ahead: it may have lost something, and what comes twice changes nothing.
// A streaming list is a watch already.
void Reflector::SwitchWatch(const Listing& listing, const std::string& version,
                            ReflectorContext& context) {
  EndWatch(context);
  cursor_ = version;
  if (!listing.streaming) return;
  watch_ = Watch{listing.stream, listing.began, WatchTimeout(listing.stream), false};
}

// A large list is taken over in steps, between which other inputs get their
// turn.
void Reflector::MergeSome(ReflectorContext& context) {
  Merging& merging = *merging_;
  merging.due = context.now;
  if (!merging.sweeps) {
    const size_t news = merging.news.size();
    const std::optional<Slot> next =
        store_.Merge(&merging.news, merging.next, policy_.merge_step, context.changes);
    merging.sweeps = !next;
    merging.next = next.value_or(0);
    if (next || news * 2 > policy_.merge_step) return;
  }
  // Looking at an object costs less than taking one over.
  const size_t many = size_t{4} * policy_.merge_step;
  const std::optional<Slot> next =
      store_.Sweep(merging.next, many, merging.version, context.changes);
  if (!next) return FinishList(context);
  merging.next = *next;
}

void Reflector::FinishList(ReflectorContext& context) {
  const Merging done = *std::exchange(merging_, std::nullopt);
  store_.Advance(done.version);
  store_.Advance(cursor_);
  context.listed = true;
  complete_ = true;
  refresh_ = widening_.has_value();
  if (widening_) widening_->listed = true;
  CheckWidened();
  forbidden_ = false;
  failure_text_.clear();
  cut_lists_ = 0;
  page_growth_ = 0;
  listed_since_ = done.began;
  fresh_since_ = std::max(fresh_since_, done.began);
  list_number_ = done.number;
  last_heard_ = context.now;
  Tell(Note::Level::kInfo, "Listed",
       absl::StrCat(store_.objects().size(), " objects kept, resourceVersion ", done.version, " (",
                    relist_reason_, ")"),
       context);
  MaybeAskBarrier(context);
}

void Reflector::RequireFresh(absl::Duration since, ReflectorContext& context) {
  fresh_wanted_ = std::max(fresh_wanted_, since);
  MaybeAskBarrier(context);
}

// A list that is under way or to come is followed by the barrier if it began
// too early.
void Reflector::MaybeAskBarrier(ReflectorContext& context) {
  if (fresh_since_ >= fresh_wanted_ || !Follows() || merging_ || !complete_) return;
  if (barrier_ && barrier_->began >= fresh_wanted_) return;
  if (!kube::IsComparable(cursor_)) return Relist("acquired", context);
  barrier_ = Barrier{.stream = StartPage("", context),
                     .number = ++lists_begun_,
                     .began = context.now,
                     .cursor = cursor_,
                     .version = "",
                     .due = absl::InfiniteDuration()};
  store_.BeginList(static_cast<uint32_t>(lists_begun_));
}

// Where one page has all, it is a list. Otherwise its version is what the watch
// has to reach.
void Reflector::OnBarrierPage(const kube::ListPage& page, ReflectorContext& context) {
  if (page.continue_token.empty()) {
    const Barrier barrier = *std::exchange(barrier_, std::nullopt);
    relist_reason_ = "acquired";
    ++relists_[relist_reason_];
    Listing listing{.stream = barrier.stream,
                    .streaming = false,
                    .number = barrier.number,
                    .began = barrier.began,
                    .heard = context.now,
                    .cursor = barrier.cursor};
    for (const kube::DecodedObject& object : page.objects) TakeItem(listing, object);
    return TakeList(std::move(listing), page.resource_version, context);
  }
  store_.EndList();
  barrier_->stream = 0;
  barrier_->version = page.resource_version;
  barrier_->due = context.now + kBarrierReopenDelay;
  barrier_->tries = 0;
  CheckBarrier();
}

void Reflector::OnBarrierFailed(const ApiFailure& failure, ReflectorContext& context) {
  ++errors_[absl::StrCat(failure.http_status)];
  failure_text_ = Describe(failure);
  Tell(Note::Level::kWarning, "List failed", failure_text_, context);
  barrier_->stream = 0;
  barrier_->due = context.now + BackoffDelay(policy_.backoff, barrier_->tries++,
                                             Seed(spec_.type.plural, policy_.seed + lists_begun_));
}

// Either the request failed and is repeated, or the watch has not reached the
// version: reopened with a short time-out it brings a bookmark soon. In the end
// a list tells.
void Reflector::OnBarrierTick(ReflectorContext& context) {
  if (barrier_->version.empty() && barrier_->tries < kBarrierTries) {
    const uint32_t tries = barrier_->tries;
    barrier_.reset();
    MaybeAskBarrier(context);
    if (barrier_) barrier_->tries = tries;
    return;
  }
  if (!barrier_->version.empty() && barrier_->tries++ == 0) {
    barrier_->due = context.now + kBarrierTimeout;
    if (Follows()) StartWatching(context, kBarrierWatch);
    return;
  }
  barrier_.reset();
  Relist("acquired", context);
}

void Reflector::CheckBarrier() {
  if (!barrier_ || barrier_->version.empty()) return;
  const auto order = kube::CompareVersions(store_.watermark(), barrier_->version);
  if (!order.has_value() || *order < 0) return;
  fresh_since_ = std::max(fresh_since_, barrier_->began);
  barrier_.reset();
}

}  // namespace xebec::watcher
