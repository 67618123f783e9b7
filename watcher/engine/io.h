// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "common/model/hook.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/cache/store/object_key.h"

/// The inputs and outputs of the watcher's engine. All are plain values: a recorded list of inputs
/// replays to the same outputs.
namespace xebec::watcher {

/// Identifies one list or watch of a reflector. Every start has a new id, so that late answers to
/// an ended one can be ignored.
using StreamId = uint64_t;
/// Identifies one live read.
using ReadId = uint64_t;

/// Why a list, watch or read failed.
struct ApiFailure {
  int http_status = 0;  ///< 0 if there was no response.
  std::string reason;   ///< Status.reason, e.g. "Expired".
  std::string message;
  std::optional<absl::Duration> retry_after;
  bool not_sent = false;  ///< The API server has not got the request.
};
/// Returns text for users: "HTTP 410 Expired: too old", or the transport error if there was no
/// response.
std::string Describe(const ApiFailure& failure);
/// Returns true if the request was sent and no complete response arrived. A response that is too
/// large or too slow breaks off.
inline bool BrokeOff(const ApiFailure& failure) {
  return failure.http_status == 0 && !failure.not_sent;
}

// ---- inputs
// ---------------------------------------------------------------------------------------------

/// The description of a planner. Arrives after every connection and for every revision.
struct DescriptionArrived {
  PlannerDescription description;
};
/// The answer to Discover.
struct Discovered {
  ResourceType type;
  bool served = false;
  bool status_subresource = false;
  bool scale_subresource = false;
};
struct DiscoveryFailed {
  ResourceType type;
  ApiFailure failure;
};
/// The answer to Resolve: the resource with its type, or without if the API server does not serve
/// it.
struct Resolved {
  DeclaredResource resource;
};
struct ResolveFailed {
  DeclaredResource resource;
  ApiFailure failure;
};
/// A page of a paged list.
struct ListArrived {
  StreamId stream;
  kube::ListPage page;
  std::vector<ObjectKey> left_out = {};  ///< Of another watcher; see TransferPage.
};
struct ListFailed {
  StreamId stream;
  ApiFailure failure;
};
/// Events of a watch, in order. One input contains all events that were received together.
struct EventsArrived {
  StreamId stream;
  std::vector<kube::WatchEvent> events;
};
/// The watch ended. `failure` is absent if it ended without an error, for example after the
/// server's timeout.
struct WatchEnded {
  StreamId stream;
  std::optional<ApiFailure> failure;
};
/// A watch delivered data that is not a watch event.
struct WatchMalformed {
  StreamId stream;
  std::string what;
};

/// The number of observations, plans or hook calls that the connected planners, appliers and
/// gateways accept at once; 0 while none is connected.
struct CreditsChanged {
  uint32_t planner = 0;
  uint32_t applier = 0;
  uint32_t hooks = 0;
};
/// The answer of the gateway to CallHook. If there will be none, the host makes it a failure.
struct HookAnswered {
  uint64_t sequence;
  HookReply reply;
};
struct PlanArrived {
  uint64_t sequence;
  Plan plan;
};
/// There will be no plan: the stream broke, the deadline passed, or the planner could not decode
/// the observation (`unreadable`).
struct PlanFailed {
  uint64_t sequence;
  std::string message;
  bool unreadable = false;
};
struct ReportArrived {
  uint64_t sequence;
  Report report;
};
/// The applier could not decode the plan. No operation was started.
struct PlanUnreadable {
  uint64_t sequence;
  std::string message;
};
/// The stream broke after the plan was sent. The plan's outcome is unknown.
struct ReportLost {
  uint64_t sequence;
};

/// The answer to LiveGet (one object or none) or to LiveList. The host may leave out objects
/// without `json`.
struct LiveArrived {
  ReadId read;
  std::vector<kube::DecodedObject> objects;
};
struct LiveFailed {
  ReadId read;
  ApiFailure failure;
};

/// The Leases of an installation: those of the members are numbered from 0, then comes the one that
/// carries the assignment of buckets to watchers.
using LeaseNumber = uint32_t;
inline constexpr LeaseNumber kMemberLeases = 32;
inline constexpr LeaseNumber kAssignmentLease = kMemberLeases;

/// The state of one Lease, from a list, the watch, or the response to a write.
struct LeaseSeen {
  LeaseNumber lease = 0;
  bool exists = false;
  std::string holder;  ///< Empty if nobody holds the Lease.
  uint64_t transitions = 0;
  absl::Duration duration;
  /// Opaque. Only changes matter, because the holder's clock may differ from ours.
  std::string renew_time;
  /// The annotation: of a member Lease kMemberAnnotation, else kAssignmentAnnotation.
  std::string content;
  std::string resource_version;  ///< Of a Lease that does not exist: a version that lacks it.
};
/// Leases, in the order of their changes.
struct LeasesSeen {
  std::vector<LeaseSeen> leases;
  /// They come from a list: the Leases that it lacks do not exist.
  bool complete = false;
  std::string resource_version;  ///< Of the list.
};
/// The Leases could not be read. The host retries without a further output.
struct LeasesReadFailed {
  ApiFailure failure;
};
/// A WriteLease was rejected or got no response. After a conflict, the host lists the Leases again.
struct LeaseWriteFailed {
  LeaseNumber lease = 0;
  ApiFailure failure;
};
/// The watcher is able to work: it takes part in the distribution of the buckets.
struct Join {};

/// Engine::NextDeadline is due. Only a Tick runs timers.
struct Tick {
  /// Every input that arrived before this time (monotonic) has been passed to the engine. Timers
  /// that are due later do not run yet, because an input in the host's queue may cancel them.
  absl::Duration heard = absl::InfiniteDuration();
};
/// Leave: finish the reconciles in flight and release the Leases. Until other watchers can plan the
/// buckets, or for Options::move_timeout at most, they are planned here.
struct Stop {};

using Input = std::variant<DescriptionArrived, Discovered, DiscoveryFailed, Resolved, ResolveFailed,
                           HookAnswered, ListArrived, ListFailed, EventsArrived, WatchEnded,
                           WatchMalformed, CreditsChanged, PlanArrived, PlanFailed, ReportArrived,
                           PlanUnreadable, ReportLost, LiveArrived, LiveFailed, LeasesSeen,
                           LeasesReadFailed, LeaseWriteFailed, Join, Tick, Stop>;

/// An input that answers the message with this sequence number.
template <typename T>
concept AnswersMessage = requires(T input) {
  input.sequence;
};
/// An input that answers this live read.
template <typename T>
concept AnswersRead = requires(T input) {
  input.read;
};

// ---- outputs
// --------------------------------------------------------------------------------------------

/// Ask the API server whether a resource is served (GET of its group and version).
struct Discover {
  ResourceType type;
};
/// Find out the kind and scope of a resource (GET of its group and version). If the version is
/// empty, the resource is looked for in all versions of its group; the answer has the same empty
/// version, and its type has the version that was found.
struct Resolve {
  DeclaredResource resource;
};
/// Call a hook through a gateway. Exactly one HookAnswered follows.
struct CallHook {
  uint64_t sequence;
  HookCall call;
};
/// Read one page of a list, with a consistent read (resourceVersion unset).
struct StartList {
  StreamId stream;
  ResourceType type;
  std::string ns;  ///< Empty: all namespaces.
  std::string label_selector;
  std::string continue_token;
  uint32_t limit = 500;
  kube::Projection projection;
  std::string shard_selector = {};  ///< As kube::ShardSelector; empty for none.
  /// host:port of the watcher that hands over the objects of `projection.keep`; empty: the API
  /// server lists them.
  std::string from = {};
};
/// Open a watch from `resource_version`, with bookmarks.
struct StartWatch {
  StreamId stream;
  ResourceType type;
  std::string ns;
  std::string label_selector;
  std::string resource_version;
  absl::Duration timeout;  ///< timeoutSeconds of the request.
  kube::Projection projection;
  std::string shard_selector = {};  ///< As kube::ShardSelector; empty for none.
};
/// End a list or watch. The engine ignores its further inputs.
struct StopStream {
  StreamId stream;
};
/// Request a plan from a planner. Exactly one of PlanArrived and PlanFailed follows.
struct SendObservation {
  uint64_t sequence;
  Observation observation;
  absl::Duration timeout;
};
/// Send a plan to an applier. Exactly one of ReportArrived, PlanUnreadable and ReportLost follows.
struct SendPlan {
  uint64_t sequence;
  std::shared_ptr<const Plan> plan;  ///< Never null.
  absl::Duration timeout;
};
struct LiveGet {
  ReadId read;
  ObjectRef ref;
  kube::Projection projection;
};
/// Read all pages of a consistent list (without resourceVersion).
struct LiveList {
  ReadId read;
  ResourceType type;
  std::string ns;
  std::string label_selector;
  kube::Projection projection;
  uint32_t limit = 500;             ///< Objects per page.
  std::string field_selector = {};  ///< Empty for none.
};
/// Create or update a Lease: POST if `create` is true, otherwise PUT with resource_version.
/// LeasesSeen or LeaseWriteFailed follows.
struct WriteLease {
  LeaseNumber lease = 0;
  bool create = false;
  std::string holder;  ///< Empty releases it.
  uint64_t transitions = 0;
  absl::Duration duration;
  bool acquire = false;  ///< Sets acquireTime too.
  std::string content;   ///< As LeaseSeen::content.
  std::string resource_version;
};
/// An event for the log and the metrics. Correctness never depends on it.
struct Note {
  enum class Level { kDebug, kInfo, kWarning, kError } level = Level::kInfo;
  std::string what;  ///< A constant text such as "Relisted" or "Plan refused"; also a metric label.
  std::string detail;  ///< The values of this event.
  std::optional<ObjectRef> ref;
  std::string reconcile_id;
};
/// The answer to Stop: nothing is in flight and the Leases are released.
struct Drained {};

using Output =
    std::variant<Discover, Resolve, CallHook, StartList, StartWatch, StopStream, SendObservation,
                 SendPlan, LiveGet, LiveList, WriteLease, Note, Drained>;
using Outputs = std::vector<Output>;

}  // namespace xebec::watcher
