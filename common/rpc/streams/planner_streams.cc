// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/planner_streams.h"

#include <utility>

#include "common/rpc/streams/planner_protocol.h"
#include "common/rpc/streams/stream_pool.h"

namespace xebec::rpc {

absl::StatusOr<std::unique_ptr<PlannerStreams>> PlannerStreams::Start(const StreamOptions& options,
                                                                      PlannerCallbacks callbacks) {
  auto protocol = std::make_unique<PlannerProtocol>(
      std::move(callbacks), options.credits_per_stream, options.max_message_bytes);
  absl::StatusOr<std::unique_ptr<StreamPool>> pool =
      StreamPool::Start(options, std::move(protocol));
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<PlannerStreams>(new PlannerStreams(*std::move(pool)));
}

PlannerStreams::PlannerStreams(std::unique_ptr<StreamPool> pool) : pool_(std::move(pool)) {}

PlannerStreams::~PlannerStreams() = default;

void PlannerStreams::Send(uint64_t sequence, Observation observation, absl::Duration timeout) {
  Request request;
  request.sequence = sequence;
  request.revision = observation.envelope.planner_revision;
  request.content = std::move(observation);
  pool_->Send(std::move(request), timeout);
}

size_t PlannerStreams::InFlight() const { return pool_->InFlight(); }

void PlannerStreams::Stop(absl::Duration timeout) { pool_->Stop(timeout); }

}  // namespace xebec::rpc
