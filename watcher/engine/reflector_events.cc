// SPDX-License-Identifier: Apache-2.0
// Reflector: what arrives on its streams.
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/reflector.h"

namespace xebec::watcher {
namespace {

// An end that much before the time that was asked for is early.
constexpr absl::Duration kEarly = absl::Seconds(2);

}  // namespace

void Reflector::OnList(const ListArrived& input, ReflectorContext& context) {
  auto* listing = std::get_if<Listing>(&state_);
  if (listing == nullptr || listing->streaming || listing->stream != input.stream) return;
  for (const kube::DecodedObject& object : input.page.objects) {
    if (object.json == nullptr) continue;
    listing->snapshot.insert_or_assign({object.header.ns, object.header.name}, ToStored(object));
  }
  Listing whole = std::move(*listing);
  if (!input.page.continue_token.empty()) {
    return NextPage(std::move(whole), input.page.continue_token, context);
  }
  Commit(std::move(whole), input.page.resource_version, context);
  if (std::holds_alternative<Watching>(state_)) StartWatching(context);
}

void Reflector::OnListFailed(const ListFailed& input, ReflectorContext& context) {
  if (input.stream == 0 || stream() != input.stream) return;
  OnFailure(input.failure, context);
}

void Reflector::OnEvents(EventsArrived input, ReflectorContext& context) {
  if (input.stream == 0 || stream() != input.stream) return;
  last_heard_ = context.now;
  events_ += input.events.size();
  trouble_.clear();
  if (std::holds_alternative<Listing>(state_)) return OnListingEvents(std::move(input), context);
  std::get<Watching>(state_).heard = true;
  for (const kube::WatchEvent& event : input.events) {
    if (!OnWatchEvent(event, context)) return;
  }
}

void Reflector::OnListingEvents(EventsArrived input, ReflectorContext& context) {
  for (size_t i = 0; i < input.events.size(); ++i) {
    auto& listing = std::get<Listing>(state_);
    listing.heard = context.now;
    const kube::WatchEvent& event = input.events[i];
    if (event.type == kube::WatchEventType::kError) {
      EndStream(context);
      return OnFailure({event.code, event.reason, event.message, std::nullopt}, context);
    }
    if (event.initial_events_end) {
      const StreamId stream = listing.stream;
      Listing whole = std::move(listing);
      Commit(std::move(whole), event.object.header.resource_version, context);
      if (!std::holds_alternative<Watching>(state_)) return;
      input.events.erase(input.events.begin(),
                         input.events.begin() + static_cast<ptrdiff_t>(i) + 1);
      return input.events.empty() ? void() : OnEvents({stream, std::move(input.events)}, context);
    }
    OnInitialEvent(listing, event);
  }
}

void Reflector::OnInitialEvent(Listing& listing, const kube::WatchEvent& event) {
  if (event.type == kube::WatchEventType::kBookmark) return;
  const ObjectKey key{event.object.header.ns, event.object.header.name};
  if (event.type == kube::WatchEventType::kDeleted || event.object.json == nullptr) {
    listing.snapshot.erase(key);
    return;
  }
  listing.snapshot.insert_or_assign(key, ToStored(event.object));
}

void Reflector::Commit(Listing listing, const std::string& version, ReflectorContext& context) {
  if (Backwards(version)) {
    state_ = Listing{listing.stream, listing.streaming, listing.number,
                     listing.began,  listing.heard,     {}};
    EndStream(context);
    CountFailure(context.now);
    Tell(Note::Level::kError, "List refused",
         absl::StrCat("its resourceVersion ", version, " is older than ", store_.watermark(),
                      ", which was seen already; tried again. If etcd was restored from a backup, "
                      "restart the watcher"),
         context);
    relist_reason_ = "stale";
    return Wait(Resume::kList, absl::ZeroDuration(), context);
  }
  store_.Replace(std::move(listing.snapshot), version, {.refresh = refresh_, .keep_missing = false},
                 context.changes);
  context.listed = true;
  complete_ = true;
  refresh_ = false;
  forbidden_ = false;
  trouble_.clear();
  cut_lists_ = 0;
  listed_since_ = listing.began;
  list_number_ = listing.number;
  last_heard_ = context.now;
  state_ = Watching{listing.stream, listing.streaming ? listing.began : context.now, false};
  Tell(Note::Level::kInfo, "Listed",
       absl::StrCat(store_.objects().size(), " objects kept, resourceVersion ", version, " (",
                    relist_reason_, ")"),
       context);
}

bool Reflector::OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context) {
  if (event.type == kube::WatchEventType::kError) {
    EndStream(context);
    OnFailure({event.code, event.reason, event.message, std::nullopt}, context);
    return false;
  }
  const std::string& version = event.object.header.resource_version;
  if (Backwards(version)) {
    EndStream(context);
    CountFailure(context.now);
    Tell(Note::Level::kWarning, "Watch went back",
         absl::StrCat("event of ", event.object.header.ns, "/", event.object.header.name,
                      " with resourceVersion '", version, "' after ", store_.watermark(),
                      "; listing anew"),
         context);
    relist_reason_ = "backwards";
    Wait(Resume::kList, absl::ZeroDuration(), context);
    return false;
  }
  if (event.type == kube::WatchEventType::kDeleted) {
    store_.Remove(event.object.header, context.changes);
  } else if (event.type != kube::WatchEventType::kBookmark) {
    store_.Upsert(event.object, context.changes);
  }
  store_.Advance(version);
  return true;
}

void Reflector::OnWatchEnded(const WatchEnded& input, ReflectorContext& context) {
  if (input.stream == 0 || stream() != input.stream) return;
  if (input.failure.has_value()) return OnFailure(*input.failure, context);
  const auto* watching = std::get_if<Watching>(&state_);
  if (watching == nullptr) return OnFailure({0, "", "the list ended early", std::nullopt}, context);
  const bool short_lived = !watching->heard && context.now - watching->began < absl::Seconds(1);
  // An API server ends watches early when it starts anew or when the CRD has changed: the kind may
  // have gained or lost subresources, or gone.
  if (!short_lived) {
    return EndsEarly(context.now) ? Discover(context, /*resume=*/true) : StartWatching(context);
  }
  CountFailure(
      context.now);  // else a server that ends every watch at once is asked without a pause
  Wait(Resume::kRediscover, absl::ZeroDuration(), context);
}

bool Reflector::EndsEarly(absl::Duration now) const {
  const auto* watching = std::get_if<Watching>(&state_);
  return watching != nullptr && now - watching->began + kEarly < policy_.watch_timeout;
}

void Reflector::OnCorrupt(const WatchCorrupt& input, ReflectorContext& context) {
  if (input.stream == 0 || stream() != input.stream) return;
  EndStream(context);
  const bool repeated = context.now - last_failure_ < 2 * policy_.backoff.max && failures_ > 0;
  CountFailure(context.now);
  ++errors_["corrupt"];
  trouble_ = input.what;
  Tell(Note::Level::kError, "Watch corrupt", input.what, context);
  if (const auto* listing = std::get_if<Listing>(&state_);
      listing != nullptr && listing->streaming) {
    ++cut_lists_;
  }
  const bool resume = std::holds_alternative<Watching>(state_) && !repeated;
  if (!resume) relist_reason_ = "corrupt";
  Wait(resume ? Resume::kWatch : Resume::kList, absl::ZeroDuration(), context);
}

}  // namespace xebec::watcher
