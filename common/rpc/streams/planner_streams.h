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

/// Functions that PlannerStreams calls. All must be set. Called from the pool's own
/// threads, never from within Send and never after Stop has returned; several at once, so they must
/// be thread-safe. They may block for a while (that slows the stream down) and may call Send, but
/// not Stop.
struct PlannerCallbacks {
  std::function<void(uint64_t sequence, Plan plan)> on_plan;
  /// No plan will come. `unreadable`: planner or watcher cannot read what was sent, so that trying
  /// the same again is of no use; else the stream broke, the time was up, or no planner could be
  /// reached.
  std::function<void(uint64_t sequence, std::string message, bool unreadable)> on_failed;
  /// How many observations may be in flight in all; 0 while no planner is connected. Called on
  /// every change, one call at a time, the newest value last. Must not call back into the streams.
  std::function<void(uint32_t credits)> on_credits;
  /// What the planner at `address` says of itself: after it was connected (again) and whenever it
  /// says something else. Always before its credits are counted.
  std::function<void(PlannerDescription description, const std::string& address)> on_description;
};

/// The watcher's streams to all planners: finds them, keeps streams to each, spreads observations
/// over them. Thread-safe.
class PlannerStreams {
 public:
  /// Starts resolving and connecting. INVALID_ARGUMENT for a target that cannot be read.
  static absl::StatusOr<std::unique_ptr<PlannerStreams>> Start(const StreamOptions& options,
                                                               PlannerCallbacks callbacks);
  /// Stops with a timeout of zero when Stop was not called.
  ~PlannerStreams();

  /// Asks a planner for a plan; never blocks. Exactly one of on_plan and on_failed follows, on a
  /// time-out, a lost stream and at Stop too. `sequence` is unique among those in flight. The
  /// stream with the fewest requests in flight is taken among the planners whose revision is
  /// observation.envelope.planner_revision, among all when none of these is connected or it is
  /// empty (Plan::planner_revision says who answered). Without a free slot the observation waits in
  /// a bounded queue, in order, within its own `timeout`.
  void Send(uint64_t sequence, Observation observation, absl::Duration timeout);

  /// Sends without an answer so far.
  size_t InFlight() const;

  /// Takes nothing more, waits at most `timeout` for what is in flight, fails the rest, ends all
  /// threads.
  void Stop(absl::Duration timeout);

 private:
  explicit PlannerStreams(std::unique_ptr<StreamPool> pool);
  std::unique_ptr<StreamPool> pool_;
};

}  // namespace xebec::rpc
