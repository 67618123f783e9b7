// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"

/// What goes into the watcher's engine and what comes out. All plain values: a recorded list of
/// inputs replays to the same outputs.
namespace xebec::watcher {

/// One reflector's list or watch; fresh for every start, so that late answers of an ended one are
/// told apart.
using StreamId = uint64_t;
/// One live read.
using ReadId = uint64_t;

/// Why a list, watch or read failed.
struct ApiFailure {
  int http_status = 0;  ///< 0: no answer.
  std::string reason;   ///< Status.reason, e.g. "Expired".
  std::string message;
  std::optional<absl::Duration> retry_after;
};
/// For users: "HTTP 410 Expired: too old", or what the transport said when there was no answer.
std::string Describe(const ApiFailure& failure);

// ---- inputs
// ---------------------------------------------------------------------------------------------

/// The planner said what it plans. Comes again after every reconnect and with every revision.
struct DescriptionArrived {
  PlannerDescription description;
};
/// Answer to Discover.
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
/// A page of a paged list.
struct ListArrived {
  StreamId stream;
  kube::ListPage page;
};
struct ListFailed {
  StreamId stream;
  ApiFailure failure;
};
/// Events of a watch, in order, as many as were received at once.
struct EventsArrived {
  StreamId stream;
  std::vector<kube::WatchEvent> events;
};
/// The watch ended; `failure` is absent for a clean end (the server's time-out).
struct WatchEnded {
  StreamId stream;
  std::optional<ApiFailure> failure;
};
/// A watch delivered something that is not a watch event.
struct WatchMalformed {
  StreamId stream;
  std::string what;
};

/// How many plans the connected planners / appliers take at once in all; 0 while none is connected.
struct CreditsChanged {
  uint32_t planner = 0;
  uint32_t applier = 0;
};
struct PlanArrived {
  uint64_t sequence;
  Plan plan;
};
/// No plan will come: the stream broke, the deadline passed, or the planner could not read the
/// observation.
struct PlanFailed {
  uint64_t sequence;
  std::string message;
  bool unreadable = false;
};
struct ReportArrived {
  uint64_t sequence;
  Report report;
};
/// The applier could not read the plan: nothing was started.
struct PlanUnreadable {
  uint64_t sequence;
  std::string message;
};
/// The stream broke after the plan was sent: its outcome is unknown.
struct ReportLost {
  uint64_t sequence;
};

/// Answer to LiveGet (one or no object) or LiveList.
struct LiveArrived {
  ReadId read;
  std::vector<kube::DecodedObject> objects;
  std::string resource_version;
};
struct LiveFailed {
  ReadId read;
  ApiFailure failure;
};

/// The bucket's Lease as it is now, from its watch or from an answer to a write.
struct LeaseSeen {
  uint32_t bucket = 0;
  bool exists = false;
  std::string holder;  ///< Empty: nobody.
  uint64_t transitions = 0;
  absl::Duration duration;
  std::string
      renew_time;  ///< Opaque: only whether it changes counts (the holder's clock is not ours).
  std::string resource_version;
};
/// The Lease could not be read; it is tried again without being asked.
struct LeaseReadFailed {
  uint32_t bucket = 0;
  ApiFailure failure;
};
/// A WriteLease was refused or got no answer.
struct LeaseWriteFailed {
  uint32_t bucket = 0;
  ApiFailure failure;
};

/// Time passed: Engine::NextDeadline is due. Time-outs run with a Tick only.
struct Tick {
  /// Every input that arrived before this time (monotonic) has been passed to the Engine. A
  /// time-out that is due later does not run yet, because an input in the host's queue may prevent
  /// it.
  absl::Duration heard = absl::InfiniteDuration();
};
/// Finish what is in flight, release the Leases, start nothing.
struct Stop {};

using Input = std::variant<DescriptionArrived, Discovered, DiscoveryFailed, ListArrived, ListFailed,
                           EventsArrived, WatchEnded, WatchMalformed, CreditsChanged, PlanArrived,
                           PlanFailed, ReportArrived, PlanUnreadable, ReportLost, LiveArrived,
                           LiveFailed, LeaseSeen, LeaseReadFailed, LeaseWriteFailed, Tick, Stop>;

// ---- outputs
// --------------------------------------------------------------------------------------------

/// Ask the API server whether a resource is served (GET of its group and version).
struct Discover {
  ResourceType type;
};
/// Read one page of a list. `at_least` empty = consistent read (resourceVersion unset).
struct StartList {
  StreamId stream;
  ResourceType type;
  std::string ns;  ///< Empty: all namespaces.
  std::string label_selector;
  std::string continue_token;
  uint32_t limit = 500;
  kube::Projection projection;
};
/// Open a watch from `resource_version`; with `initial_events` a streaming list (sendInitialEvents,
/// NotOlderThan, resourceVersion empty = consistent). Bookmarks are always asked for.
struct StartWatch {
  StreamId stream;
  ResourceType type;
  std::string ns;
  std::string label_selector;
  std::string resource_version;
  bool initial_events = false;
  absl::Duration timeout;  ///< timeoutSeconds of the request.
  kube::Projection projection;
};
/// Forget a list or watch; inputs of it are ignored from now on.
struct StopStream {
  StreamId stream;
};
/// Ask a planner for a plan. The answer is PlanArrived or PlanFailed, always one of them.
struct SendObservation {
  uint64_t sequence;
  Observation observation;
  absl::Duration timeout;
};
/// Give a plan to an applier. The answer is ReportArrived, PlanUnreadable or ReportLost, always one
/// of them.
struct SendPlan {
  uint64_t sequence;
  Plan plan;
  absl::Duration timeout;
};
struct LiveGet {
  ReadId read;
  ObjectRef ref;
  kube::Projection projection;
};
/// Consistent list (resourceVersion unset), all pages.
struct LiveList {
  ReadId read;
  ResourceType type;
  std::string ns;
  std::string label_selector;
  kube::Projection projection;
  uint32_t limit = 500;  ///< Of a page.
};
/// Create or update the bucket's Lease (PUT with resource_version; POST when `create`). The answer
/// is LeaseSeen or LeaseWriteFailed.
struct WriteLease {
  uint32_t bucket = 0;
  bool create = false;
  std::string holder;  ///< Empty releases it.
  uint64_t transitions = 0;
  absl::Duration duration;
  bool acquire = false;  ///< Sets acquireTime too.
  std::string resource_version;
};
/// Something worth a log line and a metric; never needed for correctness.
struct Note {
  enum class Level { kDebug, kInfo, kWarning, kError } level = Level::kInfo;
  std::string what;    ///< Constant, e.g. "Relisted", "Plan refused": a metric label too.
  std::string detail;  ///< Values.
  std::optional<ObjectRef> ref;
  std::string reconcile_id;
};
/// Answer to Stop: nothing is in flight, the Leases are released.
struct Drained {};

using Output = std::variant<Discover, StartList, StartWatch, StopStream, SendObservation, SendPlan,
                            LiveGet, LiveList, WriteLease, Note, Drained>;
using Outputs = std::vector<Output>;

}  // namespace xebec::watcher
