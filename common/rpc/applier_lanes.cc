// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/applier_lanes.h"

#include <utility>

#include "common/rpc/applier_protocol.h"
#include "common/rpc/lane_pool.h"

namespace xebec::rpc {

absl::StatusOr<std::unique_ptr<ApplierLanes>> ApplierLanes::Start(const LaneOptions& options,
                                                                  ApplierCallbacks callbacks) {
  auto protocol =
      std::make_unique<ApplierProtocol>(std::move(callbacks), options.max_message_bytes);
  absl::StatusOr<std::unique_ptr<LanePool>> pool = LanePool::Start(options, std::move(protocol));
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<ApplierLanes>(new ApplierLanes(*std::move(pool)));
}

ApplierLanes::ApplierLanes(std::unique_ptr<LanePool> pool) : pool_(std::move(pool)) {}

ApplierLanes::~ApplierLanes() = default;

void ApplierLanes::Send(uint64_t sequence, Plan plan, absl::Duration timeout) {
  Parcel parcel;
  parcel.sequence = sequence;
  parcel.content = std::move(plan);
  pool_->Send(std::move(parcel), timeout);
}

size_t ApplierLanes::InFlight() const { return pool_->InFlight(); }

void ApplierLanes::Stop(absl::Duration patience) { pool_->Stop(patience); }

}  // namespace xebec::rpc
