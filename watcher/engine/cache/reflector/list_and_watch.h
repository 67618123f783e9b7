// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/cache/lists/list_method.h"
#include "watcher/engine/cache/lists/list_run.h"
#include "watcher/engine/cache/reflector/freshness_barrier.h"
#include "watcher/engine/cache/reflector/reflector_context.h"
#include "watcher/engine/cache/reflector/resource_cache.h"
#include "watcher/engine/cache/reflector/stream_requests.h"
#include "watcher/engine/cache/reflector/watch_run.h"
#include "watcher/engine/cache/store/discarded_objects.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

enum class StreamRole { kNone, kList, kWatch, kBarrier };

/// A list or watch failed. The caller calls Fail, or ForgetWatch.
struct StreamFailed {
  StreamRole role;
  ApiFailure failure;
};
/// The versions of a list or watch went back. The caller calls ForgetList or StopWatch.
struct VersionRegressed {
  StreamRole role;
};
/// Only a new list can prove that the cache is fresh, or bring what else is wanted.
struct ListNeeded {
  std::string_view reason;  ///< A metric label.
};
/// What ends a list or watch, apart from its own end. The caller decides what follows.
using ListWatchFault = std::variant<StreamFailed, VersionRegressed, ListNeeded>;
using MaybeFault = std::optional<ListWatchFault>;

/// Lists and watches one resource and keeps its cache. The watch goes on while a list is read. A
/// list is taken over whole or not at all. It decides what to request, but not when to try again:
/// that is left to the caller. A value; every input may come late or never.
class ListAndWatch {
 public:
  /// `lists_begun`: see ResourceCache.
  ListAndWatch(ResourceSpec spec, ReflectorPolicy policy, uint64_t lists_begun = 0)
      : policy_(policy), cache_(std::move(spec), lists_begun) {}

  /// Changes what is listed and watched. Returns true if a new list must follow now.
  bool Specify(ResourceSpec spec, ReflectorContext& context);
  /// Starts a list in place of the one that is read. `reason` is a metric label.
  void StartList(std::string_view reason, ReflectorContext& context);
  /// Returns true if another watcher hands objects over in place of a list.
  bool TakesOver() const { return list_ && list_->from() != nullptr; }
  /// Opens a watch from the cursor in place of the watch that is open.
  MaybeFault StartWatch(ReflectorContext& context, absl::Duration timeout = absl::ZeroDuration());
  /// Ends the list, if one is read. Another list has to follow.
  void StopList(ReflectorContext& context);
  /// Ends the watch, if one is open.
  void StopWatch(ReflectorContext& context);
  /// The list has ended without a result. Another list has to follow.
  void ForgetList(absl::Duration now);
  /// The watch has ended.
  void ForgetWatch() { watch_.reset(); }
  /// The list or watch of that role has failed: as ForgetList or ForgetWatch, and judges the
  /// failure.
  FailureKind Fail(StreamRole role, const ApiFailure& failure, absl::Duration now);
  /// The cache does not count as complete until the next list.
  void Invalidate();
  /// Objects of parents that are not held are forgotten in steps (OnTick).
  void Prune(absl::Duration now) { cache_.Prune(now); }
  /// Ends everything and forgets everything except the specification and the number of lists.
  void Clear(ReflectorContext& context);

  /// Makes fresh_since() at least `required.since` as soon as possible; with a version,
  /// seen_since().
  MaybeFault RequireFresh(const FreshnessRequired& required, ReflectorContext& context);
  /// A page for a stream whose role is kList or kBarrier.
  MaybeFault OnPage(const ListArrived& input, ReflectorContext& context);
  /// Events of a stream whose role is kWatch.
  MaybeFault OnEvents(EventsArrived input, ReflectorContext& context);
  /// The stream whose role is kBarrier failed.
  MaybeFault OnBarrierFailed(const ApiFailure& failure, ReflectorContext& context);
  /// NextDeadline is due.
  MaybeFault OnTick(ReflectorContext& context);

  StreamRole RoleOf(StreamId stream) const;
  /// The streams whose answers are awaited. The first is that of the list that is read, else that
  /// of the watch.
  std::vector<StreamId> Streams() const;
  absl::Duration NextDeadline() const;
  bool listing() const { return list_.has_value(); }
  /// True if the watch is open and no list is read or has to follow.
  bool following() const { return watch_.has_value() && !list_due_; }
  /// True if it is following and the watch has proved itself.
  bool Healthy(absl::Duration now) const { return following() && watch_->Healthy(now); }
  /// Judges the end of the watch, which must be open.
  WatchRun::End WatchEndsAt(absl::Duration now) const { return watch_->EndsAt(now); }
  /// How fresh the cache is.
  const FreshnessBarrier& barrier() const { return barrier_; }
  /// True if the cache is complete and the watch keeps it so.
  bool UpToDate() const { return following() && !cache_.merging() && cache_.complete(); }
  const ResourceCache& cache() const { return cache_; }
  /// Lists by reason.
  const Counts& relists() const { return relists_; }

  bool operator==(const ListAndWatch&) const = default;

 private:
  StreamRequests Requests(ReflectorContext& context) const {
    return {cache_.scope().wanted(), policy_, method_, context};
  }
  void StartTransfer(std::string address, ReflectorContext& context);
  void OpenWatch(absl::Duration timeout, ReflectorContext& context);
  MaybeFault OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context);
  MaybeFault TakeList(ListRun list, const std::string& version, ReflectorContext& context);
  MaybeFault MergeSome(ReflectorContext& context);
  void Discard(Snapshot news, absl::Duration now);
  MaybeFault AskBarrier(uint32_t tries, ReflectorContext& context);
  MaybeFault TakePage(const kube::ListPage& page, ReflectorContext& context);
  MaybeFault ListFromBarrier(const kube::ListPage& page, ReflectorContext& context);
  MaybeFault OnBarrierPage(const kube::ListPage& page, ReflectorContext& context);
  MaybeFault OnBarrierTick(ReflectorContext& context);

  ReflectorPolicy policy_;
  ResourceCache cache_;
  std::optional<ListRun> list_;
  std::optional<WatchRun> watch_;
  FreshnessBarrier barrier_;
  ListMethod method_;
  DiscardedObjects discarded_;  // of lists without a result, and of the cache before Clear
  bool list_due_ = false;       // a list is read, or has to follow
  absl::Duration page_due_;     // of another watcher, if it hands objects over
  std::string reason_;          // of the last list
  std::string from_;            // who holds what was added to the wanted buckets last
  Counts relists_;
};

}  // namespace xebec::watcher
