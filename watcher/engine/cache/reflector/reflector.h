// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/cache/reflector/failure_streak.h"
#include "watcher/engine/cache/reflector/list_and_watch.h"
#include "watcher/engine/cache/reflector/reflector_context.h"
#include "watcher/engine/cache/reflector/resource_cache.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Whether plans may be made from a cache.
enum class Availability {
  kPending,      ///< Its first list is not complete.
  kReady,        ///< It has been complete; it may lag.
  kUnavailable,  ///< The kind is not served, or we may not read it.
};

/// The subresources that the API server offers for a resource.
struct Subresources {
  bool status = false;
  bool scale = false;

  bool operator==(const Subresources&) const = default;
};

/// Keeps the cache of one resource equal to the API server's: asks whether it is served, then lists
/// and watches it. After a failure it decides what follows and when: resume the watch, list again,
/// or ask again whether the resource is served. A value; every input may come late or never.
class Reflector {
 public:
  Reflector(ResourceSpec spec, const ReflectorPolicy& policy)
      : policy_(policy), streams_(std::move(spec), policy) {}

  /// Begins by asking whether the resource is served. Nothing happens when it has begun.
  void Start(ReflectorContext& context);
  /// Ends the streams, if any, and forgets everything but spec(). A large cache is freed in steps,
  /// for which OnTick is due; other inputs may come meanwhile.
  void Clear(ReflectorContext& context);
  /// Watches the same resource in another way (selector, projection) and lists it again, unless
  /// what is cached already is enough. A complete cache that is made wider stays ready as it is
  /// meanwhile: spec() says what it holds. A list that is being read for an older spec is taken
  /// over first. Objects of buckets that are not kept any more are forgotten in steps (OnTick).
  void Respecify(ResourceSpec spec, ReflectorContext& context);
  /// Objects whose parent is not held any more are forgotten in steps (OnTick).
  void Prune(ReflectorContext& context) { streams_.Prune(context.now); }
  /// Lists again at once and compares. `reason` is a metric label.
  void Relist(std::string_view reason, ReflectorContext& context);
  /// Makes the barrier's fresh_since() at least `required.since`, at the cost of a page of a list:
  /// its version is a barrier that the watch then has to pass. Where that is not possible, lists
  /// again. For a statement, makes seen_since() so, which costs nothing if the watch soon shows the
  /// version.
  void RequireFresh(const FreshnessRequired& required, ReflectorContext& context);

  void OnDiscovered(const Discovered& answer, ReflectorContext& context);
  void OnDiscoveryFailed(const ApiFailure& failure, ReflectorContext& context);
  void OnList(const ListArrived& input, ReflectorContext& context);
  void OnListFailed(const ListFailed& input, ReflectorContext& context);
  void OnEvents(EventsArrived input, ReflectorContext& context);
  void OnWatchEnded(const WatchEnded& input, ReflectorContext& context);
  void OnMalformed(const WatchMalformed& input, ReflectorContext& context);
  void OnTick(ReflectorContext& context);

  /// When OnTick is due; InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;
  Availability availability() const;
  /// The first list is not complete, and requests have failed so often that nothing should wait
  /// for it.
  bool failing() const {
    return availability() == Availability::kPending && !failure_text_.empty() && streak_.Long();
  }
  /// The API server does not serve the resource.
  bool unserved() const { return missing_told_; }
  const ListAndWatch& streams() const { return streams_; }
  /// It waits for Discovered or DiscoveryFailed.
  bool discovering() const { return std::holds_alternative<Discovering>(state_); }
  /// What the server said of the resource when it served it last.
  const Subresources& subresources() const { return subresources_; }
  /// Fills synced, objects, since_last_event and the counters.
  ResourceFigures Figures(absl::Duration now) const;
  /// For users: "pods is watched", "pods is tried again, after a failure: HTTP 401 Unauthorized",
  /// ...
  std::string Explain() const;
  /// Why the objects cannot be read, as Explain says it. Empty if they can, or if nothing has
  /// failed yet.
  std::string Problem() const;

  /// What the cache holds, or will hold once it is ready.
  const ResourceSpec& spec() const { return streams_.cache().scope().held(); }
  /// Its scope is active while more than spec() is wanted and on its way.
  const ResourceCache& cache() const { return streams_.cache(); }
  const ObjectStore& store() const { return streams_.cache().store(); }

  bool operator==(const Reflector&) const = default;

 private:
  struct Idle {
    bool operator==(const Idle&) const = default;
  };
  struct Discovering {
    bool resume = false;  // a watch goes on afterwards, without a list
    bool operator==(const Discovering&) const = default;
  };
  struct Absent {  // not served
    absl::Duration retry_at;
    bool operator==(const Absent&) const = default;
  };
  enum class Resume { kDiscover, kRediscover, kList, kWatch };
  struct Waiting {
    absl::Duration until;
    Resume then;
    bool operator==(const Waiting&) const = default;
  };
  struct Active {  // lists or watches
    bool operator==(const Active&) const = default;
  };
  using State = std::variant<Idle, Discovering, Absent, Waiting, Active>;

  void Discover(bool resume, ReflectorContext& context);
  void List(ReflectorContext& context);
  void Watch(ReflectorContext& context);
  void Wait(Resume then, absl::Duration at_least, ReflectorContext& context);
  void OnStateTick(ReflectorContext& context);
  absl::Duration StateDeadline() const;
  void Conclude(const MaybeFault& fault, ReflectorContext& context);

  /// The watch has failed. Ends it if a list brings another one, and returns true then.
  bool FailsBesideAList(const std::string& why, ReflectorContext& context);
  void OnFailure(const ApiFailure& failure, StreamRole role, ReflectorContext& context);
  void OnExpired(ReflectorContext& context);
  void OnForbidden(ReflectorContext& context);
  void OnMissing(ReflectorContext& context);
  void OnRegressed(StreamRole role, ReflectorContext& context);

  ReflectorPolicy policy_;
  ListAndWatch streams_;
  State state_;
  FailureStreak streak_;
  absl::Duration last_heard_ = -absl::InfiniteDuration();
  bool forbidden_ = false;
  Subresources subresources_;
  bool missing_told_ = false;
  std::string failure_text_;  // the last failure; empty once anything has come since
  std::string relist_reason_ = "initial";
  uint64_t events_ = 0;
  Counts errors_;
};

}  // namespace xebec::watcher
