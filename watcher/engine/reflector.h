// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/object_store.h"

namespace xebec::watcher {

/// What is watched.
struct ResourceSpec {
  ResourceType type;
  std::string ns;  ///< Empty: all namespaces.
  std::string label_selector;
  kube::Projection projection;
};
bool operator==(const ResourceSpec& a, const ResourceSpec& b);
/// For people: "pods", "pods in namespace team-a".
std::string Describe(const ResourceSpec& spec);

/// A reflector's settings.
struct ReflectorPolicy {
  Backoff backoff{absl::Milliseconds(800), absl::Seconds(30)};
  absl::Duration watch_timeout = absl::Minutes(7);
  absl::Duration discovery_interval = absl::Seconds(10);
  uint32_t list_page = 500;
  uint64_t seed = 0;  ///< Spreads the times of replicas and kinds.

  bool operator==(const ReflectorPolicy&) const = default;
};

/// Where a reflector's wishes and the store's changes go during one input.
struct ReflectorContext {
  absl::Duration now;     ///< Monotonic.
  StreamId* last_stream;  ///< Of the engine: counts upwards.
  StoreChanges* changes;
  Outputs* out;
  bool listed = false;  ///< Set when a complete list was taken over: names of foreign objects may
                        ///< have changed too.
};

/// Whether plans may be made from a cache.
enum class Availability {
  kPending,      ///< Its first list is not complete.
  kReady,        ///< It has been complete; it may lag.
  kUnavailable,  ///< The kind is not served, or we may not read it.
};

/// Keeps the cache of one resource equal to the API server's: asks whether it is served, lists
/// (streaming where the server can, else by pages), watches, resumes, lists again when it must. A
/// value; every input may come late or never. Lists are taken over whole or not at all; the cursor
/// never goes back.
class Reflector {
 public:
  Reflector(ResourceSpec spec, ReflectorPolicy policy);

  /// Begins by asking whether the resource is served. Nothing happens when it has begun.
  void Start(ReflectorContext& context);
  /// Ends the stream, if any. The cache stays.
  void Stop(ReflectorContext& context);
  /// Watches the same resource in another way (selector, projection) and lists it anew.
  void Respecify(ResourceSpec spec, ReflectorContext& context);
  /// Lists again at once and compares. `reason` is a metric label.
  void Relist(std::string_view reason, ReflectorContext& context);

  void OnDiscovered(const Discovered& answer, ReflectorContext& context);
  void OnDiscoveryFailed(const ApiFailure& failure, ReflectorContext& context);
  void OnList(const ListArrived& input, ReflectorContext& context);
  void OnListFailed(const ListFailed& input, ReflectorContext& context);
  void OnEvents(EventsArrived input, ReflectorContext& context);
  void OnWatchEnded(const WatchEnded& input, ReflectorContext& context);
  void OnCorrupt(const WatchCorrupt& input, ReflectorContext& context);
  void OnTick(ReflectorContext& context);

  /// When OnTick is due; InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;
  /// The stream whose answers are awaited; 0 when there is none.
  StreamId stream() const;
  Availability availability() const;
  /// When the list began that the cache rests on; InfiniteDuration negative before the first.
  absl::Duration listed_since() const { return listed_since_; }
  /// Counts the lists that were begun.
  uint64_t lists_begun() const { return lists_begun_; }
  /// The number of the list that the cache rests on; 0 before the first.
  uint64_t list_number() const { return list_number_; }
  /// True when the cache rests on a list that began at `since` or later, or when such a list is
  /// under way.
  bool ListsSince(absl::Duration since) const;
  /// It waits for Discovered or DiscoveryFailed.
  bool discovering() const { return std::holds_alternative<Discovering>(state_); }
  /// What the server said of the resource when it served it last.
  bool status_subresource() const { return status_subresource_; }
  bool scale_subresource() const { return scale_subresource_; }
  /// Fills state, synced, objects, since_last_event and the counters.
  ResourceFigures Figures(absl::Duration now) const;
  /// For people: "pods is watched", "pods is tried again, after a failure: HTTP 401 Unauthorized",
  /// ...
  std::string Explain() const;

  const ResourceSpec& spec() const { return spec_; }
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
  struct Listing {  // streaming or by pages
    StreamId stream;
    bool streaming;
    uint64_t number;
    absl::Duration began;
    absl::Duration heard;
    Snapshot snapshot;
    bool operator==(const Listing&) const = default;
  };
  struct Watching {
    StreamId stream;
    absl::Duration began;
    bool heard;
    bool operator==(const Watching&) const = default;
  };
  using State = std::variant<Idle, Discovering, Absent, Waiting, Listing, Watching>;

  void Discover(ReflectorContext& context, bool resume = false);
  void StartListing(ReflectorContext& context);
  void NextPage(Listing listing, const std::string& continue_token, ReflectorContext& context);
  void StartWatching(ReflectorContext& context);
  void EndStream(ReflectorContext& context) const;
  void Commit(Listing listing, const std::string& version, ReflectorContext& context);
  void OnInitialEvent(Listing& listing, const kube::WatchEvent& event);
  void OnListingEvents(EventsArrived input, ReflectorContext& context);
  bool OnWatchEvent(const kube::WatchEvent& event, ReflectorContext& context);
  void OnFailure(const ApiFailure& failure, ReflectorContext& context);
  void OnExpired(ReflectorContext& context);
  bool RefusedStreaming(const ApiFailure& failure) const;
  void Wait(Resume then, absl::Duration at_least, ReflectorContext& context);
  void Disappear(ReflectorContext& context);
  bool Backwards(const std::string& version) const;
  bool UsesPages() const;
  bool EndsEarly(absl::Duration now) const;
  void CountFailure(absl::Duration now);
  void Tell(Note::Level level, std::string what, const std::string& detail,
            ReflectorContext& context) const;

  ResourceSpec spec_;
  ReflectorPolicy policy_;
  ObjectStore store_;
  State state_;
  uint32_t failures_ = 0;       // in a row
  uint32_t cut_lists_ = 0;      // streaming lists in a row that ended early
  uint32_t page_halvings_ = 0;  // since pages broke off: too large, or too slow
  absl::Duration last_failure_ = -absl::InfiniteDuration();
  absl::Duration last_expiry_ = -absl::InfiniteDuration();
  absl::Duration listed_since_ = -absl::InfiniteDuration();
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
  std::string trouble_;  // the last failure; empty once anything has come since
  std::string relist_reason_ = "initial";
  uint64_t events_ = 0;
  Counts relists_;
  Counts errors_;
};

}  // namespace xebec::watcher
