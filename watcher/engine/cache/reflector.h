// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/object_store.h"
#include "watcher/engine/cache/resource_spec.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A reflector's settings.
struct ReflectorPolicy {
  Backoff backoff{absl::Milliseconds(800), absl::Seconds(30)};
  absl::Duration watch_timeout = absl::Minutes(7);  ///< Of each watch; up to 30 % less.
  absl::Duration discovery_interval = absl::Seconds(10);
  uint32_t list_page = 500;
  uint32_t merge_step = 2000;  ///< Objects of a list that are taken over during one input.
  uint64_t seed = 0;           ///< Spreads the times of replicas and kinds.

  bool operator==(const ReflectorPolicy&) const = default;
};

/// Where a reflector's requests and the store's changes go during one input.
struct ReflectorContext {
  absl::Duration now;     ///< Monotonic.
  StreamId* last_stream;  ///< Of the engine: counts upwards.
  StoreChanges* changes;
  Outputs* out;
  bool listed = false;  ///< Set when a complete list was taken over: names of
                        ///< foreign objects may have changed too.
};

/// Whether plans may be made from a cache.
enum class Availability {
  kPending,      ///< Its first list is not complete.
  kReady,        ///< It has been complete; it may lag.
  kUnavailable,  ///< The kind is not served, or we may not read it.
};

/// Keeps the cache of one resource equal to the API server's: asks whether it
/// is served, lists (streaming where the server can, else by pages), watches,
/// resumes, lists again when it must. The watch goes on while a list runs.
/// Lists are taken over whole or not at all, large ones in steps; the cursor
/// never goes back. A value; every input may come late or never.
class Reflector {
 public:
  Reflector(ResourceSpec spec, ReflectorPolicy policy);

  /// Begins by asking whether the resource is served. Nothing happens when it
  /// has begun.
  void Start(ReflectorContext& context);
  /// Ends the streams, if any. The cache stays.
  void Stop(ReflectorContext& context);
  /// Watches the same resource in another way (selector, projection) and lists
  /// it again, unless what is cached already is enough. A complete cache that is
  /// made wider stays ready as it is meanwhile: spec() says what it holds.
  void Respecify(ResourceSpec spec, ReflectorContext& context);
  /// Lists again at once and compares. `reason` is a metric label.
  void Relist(std::string_view reason, ReflectorContext& context);
  /// Makes fresh_since() at least `since`, at the cost of a page of a list: its
  /// version is a barrier that the watch then has to pass. Where that is not
  /// possible, lists again.
  void RequireFresh(absl::Duration since, ReflectorContext& context);

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
  /// The streams whose answers are awaited: of the list, the watch and the
  /// barrier.
  std::set<StreamId> Streams() const;
  /// The stream of the list that runs, else that of the watch; 0 when there is
  /// none.
  StreamId stream() const;
  Availability availability() const;
  /// When the list began that the cache rests on; InfiniteDuration negative
  /// before the first.
  absl::Duration listed_since() const { return listed_since_; }
  /// The cache holds all that was written before this time.
  absl::Duration fresh_since() const { return fresh_since_; }
  /// Counts the lists that were begun.
  uint64_t lists_begun() const { return lists_begun_; }
  /// The number of the list that the cache rests on; 0 before the first.
  uint64_t list_number() const { return list_number_; }
  /// It waits for Discovered or DiscoveryFailed.
  bool discovering() const { return std::holds_alternative<Discovering>(state_); }
  /// What the server said of the resource when it served it last.
  bool status_subresource() const { return status_subresource_; }
  bool scale_subresource() const { return scale_subresource_; }
  /// Fills state, synced, objects, since_last_event and the counters.
  ResourceFigures Figures(absl::Duration now) const;
  /// For users: "pods is watched", "pods is tried again, after a failure: HTTP
  /// 401 Unauthorized",
  /// ...
  std::string Explain() const;

  /// What the cache holds, or will hold once it is ready.
  const ResourceSpec& spec() const { return spec_; }
  /// More than spec() was asked for, and is on its way.
  bool widening() const { return widening_.has_value(); }
  const ObjectStore& store() const { return store_; }

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
  struct Listing {  // streaming or by pages; a watch may go on beside it
    StreamId stream;
    bool streaming;
    uint64_t number;
    absl::Duration began;
    absl::Duration heard;
    std::string cursor;  // when it began: the list must not be older
    uint32_t pages = 0;  // that have come
    Snapshot news = {};  // what the store does not have
    bool operator==(const Listing&) const = default;
  };
  struct Watching {  // nothing but the watch goes on
    bool operator==(const Watching&) const = default;
  };
  using State = std::variant<Idle, Discovering, Absent, Waiting, Listing, Watching>;
  struct Watch {
    StreamId stream;
    absl::Duration began;
    absl::Duration timeout;
    bool heard;
    bool narrow = false;  // it lacks what is asked for now
    bool operator==(const Watch&) const = default;
  };
  struct Merging {  // a complete list on its way into the store
    uint64_t number;
    absl::Duration began;
    std::string version;
    Snapshot news;
    bool sweeps = false;  // the news are merged; the store is swept
    Slot next = 0;        // of the news, or of the store
    absl::Duration due;
    bool operator==(const Merging&) const = default;
  };
  struct Widening {
    ResourceSpec spec;
    std::string narrow_until = {};  // version of the last event that lacked something
    bool listed = false;            // a wide list was taken over
    bool operator==(const Widening&) const = default;
  };
  struct Barrier {
    StreamId stream;  // 0: answered, or to be asked again
    uint64_t number;  // as a list: it is one when everything fits on its page
    absl::Duration began;
    std::string cursor;   // when it began
    std::string version;  // empty: not answered
    absl::Duration due;
    uint32_t tries = 0;  // requests that failed, then watches that were reopened
    bool operator==(const Barrier&) const = default;
  };

  // reflector.cc: its states
  void Discover(ReflectorContext& context, bool resume = false);
  void StartListing(ReflectorContext& context);
  void RequestPage(Listing& listing, const std::string& continue_token, ReflectorContext& context);
  StreamId StartPage(const std::string& continue_token, ReflectorContext& context) const;
  void StartWatching(ReflectorContext& context, absl::Duration timeout = absl::ZeroDuration());
  void EndList(ReflectorContext& context) const;
  void EndWatch(ReflectorContext& context);
  void OnStateTick(ReflectorContext& context);
  absl::Duration StateDeadline() const;
  absl::Duration WatchTimeout(StreamId stream) const;
  uint32_t PageSize() const;
  bool Backwards(const std::string& version, const std::string& cursor) const;
  bool UsesPages() const;
  bool EndsEarly(absl::Duration now) const;
  bool Follows() const { return std::holds_alternative<Watching>(state_); }

  // reflector_events.cc: what the watch brings
  void OnWatchEvents(const EventsArrived& input, ReflectorContext& context);
  bool OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context);
  void TakeEvent(const kube::WatchEvent& event, ReflectorContext& context);
  bool IsRemoved(const kube::ObjectHeader& header) const;
  void NoteRemoval(const kube::ObjectHeader& header);
  void CutWatch(ReflectorContext& context);
  void CheckWidened();
  void FinishWidening();
  const ResourceSpec& wanted() const { return widening_ ? widening_->spec : spec_; }

  // reflector_lists.cc: what lists and barriers bring
  void OnListingEvents(EventsArrived input, ReflectorContext& context);
  void TakeItem(Listing& listing, const kube::DecodedObject& object);
  void TakeList(Listing listing, const std::string& version, ReflectorContext& context);
  void RefuseList(const std::string& version, const std::string& cursor, ReflectorContext& context);
  void SwitchWatch(const Listing& listing, const std::string& version, ReflectorContext& context);
  void MergeSome(ReflectorContext& context);
  void FinishList(ReflectorContext& context);
  void MaybeAskBarrier(ReflectorContext& context);
  void OnBarrierPage(const kube::ListPage& page, ReflectorContext& context);
  void OnBarrierFailed(const ApiFailure& failure, ReflectorContext& context);
  void OnBarrierTick(ReflectorContext& context);
  void CheckBarrier();

  // reflector_failures.cc
  void OnFailure(const ApiFailure& failure, bool of_watch, ReflectorContext& context);
  void OnExpired(ReflectorContext& context);
  void JudgeListFailure(const ApiFailure& failure);
  bool RefusedStreaming(const ApiFailure& failure) const;
  void Wait(Resume then, absl::Duration at_least, ReflectorContext& context);
  void Disappear(ReflectorContext& context);
  void CountFailure(absl::Duration now);
  void Tell(Note::Level level, std::string what, const std::string& detail,
            ReflectorContext& context) const;

  ResourceSpec spec_;
  ReflectorPolicy policy_;
  ObjectStore store_;
  State state_;
  std::optional<Watch> watch_;
  std::optional<Merging> merging_;
  std::optional<Barrier> barrier_;
  std::optional<Widening> widening_;
  std::map<Uid, std::string> removed_;  // by events during a list: uid, version
  std::string cursor_;                  // the watch goes on from here; not before the watermark
  uint32_t failures_ = 0;               // in a row
  uint32_t cut_lists_ = 0;              // streaming lists in a row that ended early
  uint32_t page_halvings_ = 0;          // since pages broke off: too large, or too slow
  uint32_t page_growth_ = 0;            // since lists expired before their last page
  absl::Duration last_failure_ = -absl::InfiniteDuration();
  absl::Duration last_expiry_ = -absl::InfiniteDuration();
  absl::Duration listed_since_ = -absl::InfiniteDuration();
  absl::Duration fresh_since_ = -absl::InfiniteDuration();
  absl::Duration fresh_wanted_ = -absl::InfiniteDuration();
  absl::Duration last_heard_ = -absl::InfiniteDuration();
  uint64_t lists_begun_ = 0;
  uint64_t list_number_ = 0;
  bool complete_ = false;  // the cache is complete for spec_
  bool refresh_ = false;   // the next list replaces bytes of the same version
  bool streaming_refused_ = false;
  bool forbidden_ = false;
  bool status_subresource_ = false;
  bool scale_subresource_ = false;
  bool missing_told_ = false;
  std::string failure_text_;  // the last failure; empty once anything has come since
  std::string relist_reason_ = "initial";
  uint64_t events_ = 0;
  Counts relists_;
  Counts errors_;
};

}  // namespace xebec::watcher
