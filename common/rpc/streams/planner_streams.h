// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/rpc/streams/stream_options.h"

namespace xebec::rpc {

class StreamPool;

/// Functions that PlannerStreams calls. All must be set. They run on the thread of the streams'
/// loop, one at a time for all streams that share the loop. They never run within Send or after
/// Stop has returned. They may call Send but not Stop. A function that blocks slows down all these
/// streams.
struct PlannerCallbacks {
  std::function<void(uint64_t sequence, Plan plan)> on_plan;
  /// There will be no plan. `unreadable` is true if the planner or the watcher cannot decode the
  /// message, so that a retry with the same message is useless. Otherwise the stream broke, the
  /// timeout expired, or no planner was reachable.
  std::function<void(uint64_t sequence, std::string message, bool unreadable)> on_failed;
  /// The number of observations that may be in flight; 0 while no planner is connected. Called on
  /// every change.
  std::function<void(uint32_t credits)> on_credits;
  /// The description of the planner at `address`. Called after each new connection and whenever the
  /// description changes, always before the credits of that planner count.
  std::function<void(PlannerDescription description, const std::string& address)> on_description;
};

/// The watcher's streams to all planners. Resolves their addresses, keeps streams to each and
/// distributes observations. Thread-safe.
class PlannerStreams {
 public:
  /// Starts to resolve and connect. Returns INVALID_ARGUMENT for a malformed target.
  static absl::StatusOr<std::unique_ptr<PlannerStreams>> Start(const StreamOptions& options,
                                                               PlannerCallbacks callbacks);
  /// Calls Stop with a timeout of zero unless Stop was called.
  ~PlannerStreams();

  /// Sends an observation to a planner; never waits. If it can be written at once, the calling
  /// thread encodes and writes it. Exactly one of on_plan and on_failed follows, also after a
  /// timeout, a lost stream and Stop. `sequence` is unique among the observations in flight.
  /// Chooses the stream with the fewest requests in flight among the planners with the revision
  /// observation.envelope.planner_revision; among all planners if that revision is empty or not
  /// connected (Plan::planner_revision contains the actual revision). Without a free credit, the
  /// observation waits in a bounded queue until `timeout`.
  void Send(uint64_t sequence, Observation observation, absl::Duration timeout);

  /// Returns the number of observations without an answer.
  size_t InFlight() const;

  /// Rejects new observations, waits at most `timeout` for observations in flight, fails the
  /// remaining ones and ends all threads.
  void Stop(absl::Duration timeout);

 private:
  explicit PlannerStreams(std::unique_ptr<StreamPool> pool);
  std::unique_ptr<StreamPool> pool_;
};

}  // namespace xebec::rpc
