// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/list_and_watch.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

constexpr std::string_view kAcquired = "acquired";
constexpr std::string_view kRespecified = "respecified";
constexpr std::string_view kHandedOver = "handed over";
// A list begins later than it could if another watcher does not answer.
constexpr absl::Duration kLongestPage = absl::Seconds(1);

// What `wanted` keeps and `held`, with the same roles, does not.
kube::BucketFilter Added(const kube::BucketFilter& wanted, const kube::BucketFilter& held) {
  BucketSet buckets =
      wanted.buckets == nullptr ? BucketSet::All(held.buckets->count()) : *wanted.buckets;
  buckets.Remove(*held.buckets);
  kube::BucketFilter added = held;
  added.buckets = std::make_shared<const BucketSet>(std::move(buckets));
  return added;
}

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

// The share of the objects that the shard selector of a list keeps.
double SelectedShare(const ResourceCache& cache) {
  return cache.scope().wanted().projection.keep.share();
}

bool Holds(const ResourceCache& cache, const BucketSet& buckets) {
  const kube::BucketFilter& keep = cache.scope().held().projection.keep;
  return cache.complete() && (!keep.active() || keep.buckets->Covers(buckets));
}

// What another watcher has handed over may be ahead of the watch.
bool Shows(const ResourceCache& cache, const FreshnessRequired& required) {
  const bool stated = required.version && kube::IsComparable(*required.version);
  if (!stated || required.buckets == nullptr || !Holds(cache, *required.buckets)) return false;
  return !GoesBack(cache.SeenOf(*required.buckets), *required.version);
}

}  // namespace

bool ListAndWatch::Specify(ResourceSpec spec, ReflectorContext& context) {
  if (list_) list_->Narrow(spec.projection.keep);
  const auto next = cache_.Specify(std::move(spec), context.now);
  if (next != ResourceCache::Respecified::kNothing) from_ = context.from;
  if (next != ResourceCache::Respecified::kListNow) return false;
  barrier_.Drop();
  if (!cache_.complete() && following()) StopWatch(context);
  return true;
}

// A watch whose events cannot be put in order with the list's is not taken along, nor one that goes
// on from a list that was taken over in part: it would not show what the list did not.
void ListAndWatch::StartList(std::string_view reason, ReflectorContext& context) {
  std::string from = std::exchange(from_, "");
  // Lists that the API server selects are cheap, and their watches do not show when to go on.
  const bool gains =
      !from.empty() && reason == kRespecified && kube::IsComparable(cache_.versions().cursor());
  if (gains && following() && !watch_->selecting() && cache_.MayTakeOver()) {
    return StartTransfer(std::move(from), context);
  }
  reason_ = std::string(reason);
  ++relists_[reason_];
  if (!kube::IsComparable(cache_.versions().cursor()) || cache_.merging()) StopWatch(context);
  Discard(cache_.DropMerge(), context.now);
  barrier_.Drop();
  cache_.ForgetRemovals();  // a list that is older than they are is refused
  list_due_ = true;
  const uint64_t number = cache_.BeginList();
  cache_.BeginWidening(*context.last_stream);
  const auto [stream, selecting] = Requests(context).RequestPage("");
  list_.emplace(stream, selecting, number, context.now, cache_.versions().Latest());
}

// What is handed over takes the place of a list. But it proves nothing about the objects that are
// held already.
void ListAndWatch::StartTransfer(std::string address, ReflectorContext& context) {
  const Widening& scope = cache_.scope();
  Transfer from{std::move(address),
                Added(scope.wanted().projection.keep, scope.held().projection.keep)};
  barrier_.Drop();
  cache_.ForgetRemovals();
  list_due_ = true;
  cache_.BeginWidening(*context.last_stream);
  const StreamId stream = Requests(context).RequestObjects(from, "");
  list_.emplace(stream, std::move(from), context.now);
  page_due_ = context.now + kLongestPage;
}

void ListAndWatch::OpenWatch(absl::Duration timeout, ReflectorContext& context) {
  StopWatch(context);
  watch_ = Requests(context).RequestWatch(cache_.versions().cursor(), timeout);
}

MaybeFault ListAndWatch::StartWatch(ReflectorContext& context, absl::Duration timeout) {
  OpenWatch(timeout, context);
  return AskBarrier(/*tries=*/0, context);
}

void ListAndWatch::StopList(ReflectorContext& context) {
  if (!list_) return;
  context.out->push_back(StopStream{list_->stream()});
  ForgetList(context.now);
}

void ListAndWatch::StopWatch(ReflectorContext& context) {
  if (watch_) context.out->push_back(StopStream{watch_->stream()});
  watch_.reset();
}

void ListAndWatch::ForgetList(absl::Duration now) {
  if (list_) Discard(std::move(*std::exchange(list_, std::nullopt)).Complete("").news, now);
  list_due_ = true;
}

void ListAndWatch::Discard(Snapshot news, absl::Duration now) {
  discarded_.Add(std::move(news), policy_.merge_step, now);
}

FailureKind ListAndWatch::Fail(StreamRole role, const ApiFailure& failure, absl::Duration now) {
  FailureKind kind = KindOf(failure, cache_.scope().held().type);
  if (role == StreamRole::kWatch) {
    const bool refused =
        kind == FailureKind::kOther && method_.RefusesSelector(watch_->selecting(), failure);
    ForgetWatch();
    return refused ? FailureKind::kSelectorRefused : kind;
  }
  if (kind != FailureKind::kMissing) {
    kind = method_.OnFailure(list_->selecting(), list_->pages(), failure);
  }
  ForgetList(now);
  return kind;
}

void ListAndWatch::Invalidate() {
  barrier_.Drop();
  cache_.Invalidate();
}

void ListAndWatch::Clear(ReflectorContext& context) {
  StopList(context);
  StopWatch(context);
  Discard(cache_.DropMerge(), context.now);
  ListAndWatch cleared(cache_.scope().held(), policy_, cache_.lists().begun);
  Discard(std::move(cache_).TakeObjects(), context.now);
  cleared.discarded_ = std::move(discarded_);
  *this = std::move(cleared);
}

StreamRole ListAndWatch::RoleOf(StreamId stream) const {
  if (list_ && list_->stream() == stream) return StreamRole::kList;
  if (watch_ && watch_->stream() == stream) return StreamRole::kWatch;
  return barrier_.asked() && barrier_.stream() == stream ? StreamRole::kBarrier : StreamRole::kNone;
}

std::vector<StreamId> ListAndWatch::Streams() const {
  std::vector<StreamId> streams;
  if (list_) streams.push_back(list_->stream());
  if (watch_) streams.push_back(watch_->stream());
  if (barrier_.asked()) streams.push_back(barrier_.stream());
  return streams;
}

absl::Duration ListAndWatch::NextDeadline() const {
  return std::min({cache_.merge_due(), cache_.forget_due(), barrier_.due(), discarded_.due(),
                   TakesOver() ? page_due_ : absl::InfiniteDuration()});
}

MaybeFault ListAndWatch::OnTick(ReflectorContext& context) {
  if (discarded_.due() <= context.now) discarded_.Step(policy_.merge_step, context.now);
  if (cache_.forget_due() <= context.now) {
    cache_.ForgetSome(policy_.merge_step, context.now, context.holds, context.changes);
  }
  if (TakesOver() && page_due_ <= context.now) {
    TellNotHandedOver(cache_.scope().held(), "no answer in time", context.out);
    return ListNeeded{kRespecified};
  }
  MaybeFault fault;
  if (cache_.merge_due() <= context.now) fault = MergeSome(context);
  if (!fault && barrier_.due() <= context.now) fault = OnBarrierTick(context);
  return fault;
}

MaybeFault ListAndWatch::OnPage(const ListArrived& input, ReflectorContext& context) {
  if (RoleOf(input.stream) == StreamRole::kBarrier) return OnBarrierPage(input.page, context);
  cache_.TakeLeftOut(input.left_out);
  return TakePage(input.page, context);
}

MaybeFault ListAndWatch::TakePage(const kube::ListPage& page, ReflectorContext& context) {
  if (list_->selecting()) method_.OnSelectedPage(page, SelectedShare(cache_));
  for (const kube::DecodedObject& object : page.objects) {
    list_->Take(object, cache_.TakeListed(object, context.holds, context.changes));
  }
  if (page.continue_token.empty()) {
    return TakeList(*std::exchange(list_, std::nullopt), page.resource_version, context);
  }
  if (const Transfer* from = list_->from()) {
    list_->NextPage(Requests(context).RequestObjects(*from, page.continue_token),
                    /*selecting=*/false);
    page_due_ = context.now + kLongestPage;
    return std::nullopt;
  }
  const auto [stream, selecting] = Requests(context).RequestPage(page.continue_token);
  list_->NextPage(stream, selecting);
  return std::nullopt;
}

MaybeFault ListAndWatch::OnEvents(EventsArrived input, ReflectorContext& context) {
  watch_->Hear();
  for (kube::WatchEvent& event : input.events) {
    cache_.Filter(&event, context.holds);
    if (MaybeFault fault = OnWatchEvent(event, context)) return fault;
  }
  cache_.CompleteWidening();
  if (!cache_.merging() && cache_.complete()) barrier_.Pass(cache_.seen());
  if (following() && cache_.list_due()) return ListNeeded{kRespecified};
  return std::nullopt;
}

MaybeFault ListAndWatch::OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context) {
  if (event.type == kube::WatchEventType::kError) {
    context.out->push_back(StopStream{watch_->stream()});
    return StreamFailed{StreamRole::kWatch, FailureOf(event)};
  }
  const kube::ObjectHeader& header = event.object.header;
  if (GoesBack(header.resource_version, cache_.versions().cursor())) {
    Tell(cache_.scope().held(), Note::Level::kWarning, "resourceVersion regressed",
         absl::StrCat("event of ", header.ns, "/", header.name, " with resourceVersion '",
                      header.resource_version, "' after ", cache_.versions().cursor(),
                      "; relisting"),
         context.out);
    return VersionRegressed{StreamRole::kWatch};
  }
  cache_.Take(event, *watch_, context.holds, context.changes);
  if (Removes(event)) {
    if (list_ || barrier_.asked()) cache_.NoteRemoval(header);
    if (list_) list_->OnRemoved(header);
  }
  if (following() && !barrier_.open()) cache_.ForgetRemovals();
  return std::nullopt;
}

// The watch goes on where the cache stands then, even if the watch that ran beside it was ahead.
MaybeFault ListAndWatch::TakeList(ListRun list, const std::string& version,
                                  ReflectorContext& context) {
  const bool part = list.from() != nullptr;
  if (part && (!kube::IsComparable(version) || !cache_.MayAdoptPart())) {
    TellNotHandedOver(cache_.scope().held(), absl::StrCat("resourceVersion '", version, "'"),
                      context.out);
    Discard(std::move(list).Complete("").news, context.now);
    return ListNeeded{kRespecified};
  }
  if (list.Refuses(version)) {
    Tell(cache_.scope().held(), Note::Level::kError, "List refused",
         absl::StrCat("its resourceVersion ", version, " is older than ", list.cursor(),
                      ", which was seen already; tried again. If etcd was restored from a backup, "
                      "restart the watcher"),
         context.out);
    Discard(std::move(list).Complete("").news, context.now);
    return VersionRegressed{StreamRole::kList};
  }
  if (part) reason_ = kHandedOver;
  list_due_ = false;
  StopWatch(context);
  cache_.Adopt(std::move(list).Complete(version), context.now);
  // The next bookmark ends the parts.
  OpenWatch(
      cache_.versions().parts().empty() ? absl::ZeroDuration() : FreshnessBarrier::kWatchTimeout,
      context);
  return MergeSome(context);
}

MaybeFault ListAndWatch::MergeSome(ReflectorContext& context) {
  const bool part = cache_.merges_part();
  if (!cache_.MergeSome(policy_.merge_step, context.now, context.holds, context.changes)) {
    return std::nullopt;
  }
  if (!part) {
    context.listed = true;
    method_.OnListed();
    barrier_.OnListed(cache_.lists().taken_since);
  }
  Tell(cache_.scope().held(), Note::Level::kInfo, "Listed",
       absl::StrCat(cache_.store().objects().size(), " objects kept, resourceVersion ",
                    cache_.store().watermark(), " (", reason_, ")"),
       context.out);
  if (cache_.list_due()) return ListNeeded{kRespecified};
  return AskBarrier(/*tries=*/0, context);
}

MaybeFault ListAndWatch::RequireFresh(const FreshnessRequired& required,
                                      ReflectorContext& context) {
  if (required.buckets != nullptr && !Holds(cache_, *required.buckets)) {
    cache_.RequireList();
  }
  const bool shown = UpToDate() && Shows(cache_, required);
  if (!shown || !barrier_.Meet(required.since)) barrier_.Require(required, context.now);
  return AskBarrier(/*tries=*/0, context);
}

// A list that is read or has to follow is itself followed by the barrier if it began too early.
MaybeFault ListAndWatch::AskBarrier(uint32_t tries, ReflectorContext& context) {
  if (!UpToDate()) return std::nullopt;
  barrier_.Pass(cache_.seen());
  if (!barrier_.needed()) return std::nullopt;
  if (!kube::IsComparable(cache_.versions().cursor())) return ListNeeded{kAcquired};
  const auto [stream, selecting] = Requests(context).RequestPage("");
  const uint64_t number = cache_.BeginList();
  barrier_.Ask(ListRun(stream, selecting, number, context.now, cache_.versions().Latest()), tries);
  return std::nullopt;
}

// If one page contains everything, it is a list. Otherwise its version is what the watch has to
// reach. In a cluster at work it has not, because the version counts the writes of all resources,
// and the next bookmark can be seconds away: the rest of a small list arrives sooner.
MaybeFault ListAndWatch::OnBarrierPage(const kube::ListPage& page, ReflectorContext& context) {
  const bool last = page.continue_token.empty();
  const bool few =
      TotalOf(page, cache_) <= size_t{policy_.barrier_pages} * method_.PageSize(policy_.list_page);
  if (last || (few && GoesBack(cache_.seen(), page.resource_version))) {
    return ListFromBarrier(page, context);
  }
  // The watch goes on as it is: the next one selects.
  if (barrier_.selecting()) method_.OnSelectedPage(page, SelectedShare(cache_));
  cache_.EndList();
  barrier_.OnVersion(page.resource_version, context.now);
  barrier_.Pass(cache_.seen());
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
  barrier_.OnFailed(context.now, RequestedPause(failure), policy_.backoff, seed);
  return std::nullopt;
}

MaybeFault ListAndWatch::OnBarrierTick(ReflectorContext& context) {
  switch (barrier_.OnTick(context.now)) {
    case FreshnessBarrier::Next::kNothing:
      return std::nullopt;
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
