// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_and_watch.h"

#include <algorithm>

#include "common/kube/resource_version.h"

namespace xebec::watcher {

bool ListAndWatch::Specify(ResourceSpec spec, ReflectorContext& context) {
  const auto next = cache_.Specify(std::move(spec), context.now);
  if (next != ResourceCache::Respecified::kListNow) return false;
  barrier_.Drop();
  if (!cache_.complete() && following()) StopWatch(context);
  return true;
}

// A watch whose events cannot be put in order with the list's is not taken along, nor one that goes
// on from a list that was taken over in part: it would not show what the list did not.
void ListAndWatch::StartList(std::string_view reason, ReflectorContext& context) {
  reason_ = std::string(reason);
  ++relists_[reason_];
  if (!kube::IsComparable(cache_.cursor()) || cache_.merging()) StopWatch(context);
  Discard(cache_.DropMerge(), context.now);
  barrier_.Drop();
  list_due_ = true;
  const uint64_t number = cache_.BeginList();
  cache_.BeginWidening(*context.last_stream);
  if (!method_.streaming()) {
    const auto [stream, selecting] = RequestPage("", context);
    list_.emplace(stream, RequestOptions{false, selecting}, number, context.now, cache_.cursor());
    return;
  }
  const WatchRun stream = RequestWatch(/*list=*/true, absl::ZeroDuration(), context);
  list_.emplace(stream.stream(), RequestOptions{true, stream.selecting()}, number, context.now,
                cache_.cursor());
}

ListAndWatch::RequestedPage ListAndWatch::RequestPage(const std::string& continue_token,
                                                      ReflectorContext& context) const {
  const ResourceSpec& spec = cache_.scope().wanted();
  const StreamId stream = ++*context.last_stream;
  std::string selector = method_.SelectsPages() ? ShardSelector(spec.projection.keep) : "";
  const bool selecting = !selector.empty();
  context.out->push_back(watcher::StartList{.stream = stream,
                                            .type = spec.type,
                                            .ns = spec.ns,
                                            .label_selector = spec.label_selector,
                                            .continue_token = continue_token,
                                            .limit = method_.PageSize(policy_.list_page),
                                            .projection = spec.projection,
                                            .shard_selector = std::move(selector)});
  return {stream, selecting};
}

WatchRun ListAndWatch::RequestWatch(bool list, absl::Duration timeout,
                                    ReflectorContext& context) const {
  const ResourceSpec& spec = cache_.scope().wanted();
  const StreamId stream = ++*context.last_stream;
  if (timeout == absl::ZeroDuration()) timeout = WatchTimeout(spec, policy_, stream);
  std::string selector = method_.SelectsStreams() ? ShardSelector(spec.projection.keep) : "";
  const bool selecting = !selector.empty();
  context.out->push_back(watcher::StartWatch{.stream = stream,
                                             .type = spec.type,
                                             .ns = spec.ns,
                                             .label_selector = spec.label_selector,
                                             .resource_version = list ? "" : cache_.cursor(),
                                             .initial_events = list,
                                             .timeout = timeout,
                                             .projection = spec.projection,
                                             .shard_selector = std::move(selector)});
  return {stream, context.now, timeout, selecting};
}

void ListAndWatch::OpenWatch(absl::Duration timeout, ReflectorContext& context) {
  StopWatch(context);
  watch_ = RequestWatch(/*list=*/false, timeout, context);
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
    kind = method_.OnFailure(list_->request(), list_->pages(), failure);
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
  ListAndWatch cleared(cache_.scope().held(), policy_);
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
  const absl::Duration silent = list_ ? list_->SilentAt() : absl::InfiniteDuration();
  return std::min(
      {cache_.merge_due(), cache_.forget_due(), barrier_.due(), discarded_.due(), silent});
}

MaybeFault ListAndWatch::OnTick(ReflectorContext& context) {
  if (discarded_.due() <= context.now) discarded_.Step(policy_.merge_step, context.now);
  if (cache_.forget_due() <= context.now) {
    cache_.ForgetSome(policy_.merge_step, context.now, context.holds, context.changes);
  }
  MaybeFault fault;
  if (cache_.merge_due() <= context.now) fault = MergeSome(context);
  if (!fault && barrier_.due() <= context.now) fault = OnBarrierTick(context);
  if (fault || !list_ || list_->SilentAt() > context.now) return fault;
  Tell(cache_.scope().held(), Note::Level::kWarning, "List silent",
       "no end of the initial events; listing by pages", context.out);
  StopList(context);
  method_.OnSilence();
  StartList(reason_, context);
  return std::nullopt;
}

}  // namespace xebec::watcher
