// SPDX-License-Identifier: Apache-2.0
// ListAndWatch: what arrives on its streams.
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/list_and_watch.h"

namespace xebec::watcher {
namespace {

constexpr std::string_view kAcquired = "acquired";
constexpr std::string_view kRespecified = "respecified";

ApiFailure FailureOf(const kube::WatchEvent& event) {
  return {event.code, event.reason, event.message, std::nullopt};
}

// The number of objects in the list that begins with this page. If the server does not tell, the
// store does, but not with some of the buckets.
size_t TotalOf(const kube::ListPage& page, const ResourceCache& cache) {
  if (page.remaining) return page.objects.size() + page.foreign + *page.remaining;
  const bool all = !cache.scope().wanted().projection.keep.active();
  return all ? cache.store().objects().size() : std::numeric_limits<size_t>::max();
}

}  // namespace

MaybeFault ListAndWatch::OnPage(const ListArrived& input, ReflectorContext& context) {
  if (RoleOf(input.stream) == StreamRole::kBarrier) return OnBarrierPage(input.page, context);
  return TakePage(input.page, context);
}

MaybeFault ListAndWatch::TakePage(const kube::ListPage& page, ReflectorContext& context) {
  if (list_->request().selecting) method_.OnSelectedPage(page);
  for (const kube::DecodedObject& object : page.objects) {
    list_->Take(object, cache_.Knows(object, context.holds));
  }
  if (page.continue_token.empty()) {
    return TakeList(*std::exchange(list_, std::nullopt), page.resource_version, context);
  }
  const auto [stream, selecting] = RequestPage(page.continue_token, context);
  list_->NextPage(stream, selecting);
  return std::nullopt;
}

MaybeFault ListAndWatch::OnEvents(EventsArrived input, ReflectorContext& context) {
  if (RoleOf(input.stream) == StreamRole::kList) return OnListEvents(std::move(input), context);
  return OnWatchEvents(&input, context);
}

// A streaming list is a watch already: what follows its end are events.
MaybeFault ListAndWatch::OnListEvents(EventsArrived input, ReflectorContext& context) {
  list_->Hear(context.now);
  for (size_t i = 0; i < input.events.size(); ++i) {
    const kube::WatchEvent& event = input.events[i];
    if (event.type == kube::WatchEventType::kError) {
      context.out->push_back(StopStream{input.stream});
      return StreamFailed{StreamRole::kList, FailureOf(event)};
    }
    if (event.initial_events_end) {
      const std::string version = event.object.header.resource_version;
      MaybeFault fault = TakeList(*std::exchange(list_, std::nullopt), version, context);
      const bool ended = fault && !std::holds_alternative<ListNeeded>(*fault);
      if (ended || i + 1 == input.events.size()) return fault;
      input.events.erase(input.events.begin(),
                         input.events.begin() + static_cast<ptrdiff_t>(i) + 1);
      MaybeFault later = OnWatchEvents(&input, context);
      return later ? later : fault;
    }
    if (event.type == kube::WatchEventType::kDeleted) {
      list_->TakeBack(event.object.header);
    } else if (event.type != kube::WatchEventType::kBookmark) {
      list_->Take(event.object, cache_.Knows(event.object, context.holds));
    }
  }
  return std::nullopt;
}

MaybeFault ListAndWatch::OnWatchEvents(EventsArrived* input, ReflectorContext& context) {
  watch_->Hear();
  for (kube::WatchEvent& event : input->events) {
    cache_.Filter(&event, context.holds);
    if (MaybeFault fault = OnWatchEvent(event, context)) return fault;
  }
  cache_.CompleteWidening();
  barrier_.Pass(cache_.store().watermark());
  if (following() && cache_.list_due()) return ListNeeded{kRespecified};
  return std::nullopt;
}

MaybeFault ListAndWatch::OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context) {
  if (event.type == kube::WatchEventType::kError) {
    context.out->push_back(StopStream{watch_->stream()});
    return StreamFailed{StreamRole::kWatch, FailureOf(event)};
  }
  const kube::ObjectHeader& header = event.object.header;
  if (GoesBack(header.resource_version, cache_.cursor())) {
    Tell(cache_.scope().held(), Note::Level::kWarning, "resourceVersion regressed",
         absl::StrCat("event of ", header.ns, "/", header.name, " with resourceVersion '",
                      header.resource_version, "' after ", cache_.cursor(), "; relisting"),
         context.out);
    return VersionRegressed{StreamRole::kWatch};
  }
  cache_.Take(event, watch_->stream(), context.holds, context.changes);
  if (Removes(event)) {
    if (list_ || barrier_.asked()) cache_.NoteRemoval(header);
    if (list_) list_->OnRemoved(header);
  }
  if (following() && !barrier_.open()) cache_.ForgetRemovals();
  return std::nullopt;
}

// The watch goes on where the list stands, even if the watch that ran beside it was ahead.
MaybeFault ListAndWatch::TakeList(ListRun list, const std::string& version,
                                  ReflectorContext& context) {
  if (list.Refuses(version)) {
    if (list.streaming()) context.out->push_back(StopStream{list.stream()});
    Tell(cache_.scope().held(), Note::Level::kError, "List refused",
         absl::StrCat("its resourceVersion ", version, " is older than ", list.cursor(),
                      ", which was seen already; tried again. If etcd was restored from a backup, "
                      "restart the watcher"),
         context.out);
    Discard(std::move(list).Complete("").news, context.now);
    return VersionRegressed{StreamRole::kList};
  }
  list_due_ = false;
  StopWatch(context);
  if (list.streaming()) {
    watch_.emplace(list.stream(), list.began(),
                   WatchTimeout(cache_.scope().wanted(), policy_, list.stream()));
  }
  cache_.Adopt(std::move(list).Complete(version), context.now);
  if (!watch_) OpenWatch(absl::ZeroDuration(), context);
  return MergeSome(context);
}

MaybeFault ListAndWatch::MergeSome(ReflectorContext& context) {
  if (!cache_.MergeSome(policy_.merge_step, context.now, context.holds, context.changes)) {
    return std::nullopt;
  }
  context.listed = true;
  method_.OnListed();
  barrier_.OnListed(cache_.lists().taken_since);
  Tell(cache_.scope().held(), Note::Level::kInfo, "Listed",
       absl::StrCat(cache_.store().objects().size(), " objects kept, resourceVersion ",
                    cache_.store().watermark(), " (", reason_, ")"),
       context.out);
  if (cache_.list_due()) return ListNeeded{kRespecified};
  return AskBarrier(/*tries=*/0, context);
}

MaybeFault ListAndWatch::RequireFresh(absl::Duration since, ReflectorContext& context) {
  barrier_.Require(since);
  return AskBarrier(/*tries=*/0, context);
}

// A list that is read or has to follow is itself followed by the barrier if it began too early.
MaybeFault ListAndWatch::AskBarrier(uint32_t tries, ReflectorContext& context) {
  const bool possible = following() && !cache_.merging() && cache_.complete();
  if (!possible || !barrier_.needed()) return std::nullopt;
  if (!kube::IsComparable(cache_.cursor())) return ListNeeded{kAcquired};
  const auto [stream, selecting] = RequestPage("", context);
  const uint64_t number = cache_.BeginList();
  barrier_.Ask(
      ListRun(stream, RequestOptions{false, selecting}, number, context.now, cache_.cursor()),
      tries);
  return std::nullopt;
}

// If one page contains everything, it is a list. Otherwise its version is what the watch has to
// reach. In a cluster at work it has not, because the version counts the writes of all resources,
// and the next bookmark can be seconds away: the rest of a small list arrives sooner.
MaybeFault ListAndWatch::OnBarrierPage(const kube::ListPage& page, ReflectorContext& context) {
  const bool last = page.continue_token.empty();
  const bool few = TotalOf(page, cache_) <= size_t{policy_.barrier_pages} * policy_.list_page;
  if (last || (few && GoesBack(cache_.store().watermark(), page.resource_version))) {
    return ListFromBarrier(page, context);
  }
  // The watch goes on as it is: the next one selects.
  if (barrier_.selecting()) method_.OnSelectedPage(page);
  cache_.EndList();
  barrier_.OnVersion(page.resource_version, context.now);
  barrier_.Pass(cache_.store().watermark());
  return std::nullopt;
}

MaybeFault ListAndWatch::ListFromBarrier(const kube::ListPage& page, ReflectorContext& context) {
  reason_ = "acquired";
  ++relists_[reason_];
  list_due_ = true;
  list_ = barrier_.TakeList();
  return TakePage(page, context);
}

MaybeFault ListAndWatch::OnBarrierFailed(const ApiFailure& failure, ReflectorContext& context) {
  if (method_.RefusesSelector(barrier_.selecting(), failure)) {
    return AskBarrier(barrier_.Drop(), context);
  }
  const uint64_t seed =
      Seed(cache_.scope().held().type.plural, policy_.seed + cache_.lists().begun);
  barrier_.OnFailed(context.now, policy_.backoff, seed);
  return std::nullopt;
}

MaybeFault ListAndWatch::OnBarrierTick(ReflectorContext& context) {
  switch (barrier_.OnTick(context.now)) {
    case FreshnessBarrier::Next::kAsk:
      return AskBarrier(barrier_.Drop(), context);
    case FreshnessBarrier::Next::kReopenWatch:
      return following() ? StartWatch(context, FreshnessBarrier::kWatchTimeout) : std::nullopt;
    case FreshnessBarrier::Next::kList:
      break;
  }
  return ListNeeded{kAcquired};
}

}  // namespace xebec::watcher
