// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/planner_lanes.h"

#include <utility>

#include "common/rpc/lane_pool.h"
#include "common/rpc/planner_protocol.h"

namespace xebec::rpc {

absl::StatusOr<std::unique_ptr<PlannerLanes>> PlannerLanes::Start(const LaneOptions& options,
                                                                  PlannerCallbacks callbacks) {
  auto protocol = std::make_unique<PlannerProtocol>(std::move(callbacks), options.slots_per_lane,
                                                    options.max_message_bytes);
  absl::StatusOr<std::unique_ptr<LanePool>> pool = LanePool::Start(options, std::move(protocol));
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<PlannerLanes>(new PlannerLanes(*std::move(pool)));
}

PlannerLanes::PlannerLanes(std::unique_ptr<LanePool> pool) : pool_(std::move(pool)) {}

PlannerLanes::~PlannerLanes() = default;

void PlannerLanes::Send(uint64_t sequence, Observation observation, absl::Duration timeout) {
  Parcel parcel;
  parcel.sequence = sequence;
  parcel.revision = observation.envelope.planner_revision;
  parcel.content = std::move(observation);
  pool_->Send(std::move(parcel), timeout);
}

size_t PlannerLanes::InFlight() const { return pool_->InFlight(); }

void PlannerLanes::Stop(absl::Duration patience) { pool_->Stop(patience); }

}  // namespace xebec::rpc
