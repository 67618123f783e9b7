// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "common/rpc/lane_protocol.h"
#include "common/rpc/planner_lanes.h"

namespace xebec::rpc {

/// Lanes over PlannerService.PlanStream: parcels are observations, answers are plans. A lane's
/// credits are `slots_per_lane` at the first sign of life and one with every answer.
class PlannerProtocol : public LaneProtocol {
 public:
  PlannerProtocol(PlannerCallbacks callbacks, uint32_t slots_per_lane, size_t max_message_bytes);

  absl::StatusOr<std::string> Greet(const std::shared_ptr<grpc::Channel>& channel,
                                    grpc::ClientContext* context, const Address& address) override;
  std::unique_ptr<LaneStream> Open(const std::shared_ptr<grpc::Channel>& channel,
                                   grpc::ClientContext* context) override;
  void OnAnswer(Answer answer) override;
  void OnUnsent(Parcel parcel, const std::string& why) override;
  void OnLost(uint64_t sequence, const std::string& why) override;
  void OnCapacity(uint32_t slots) override;

 private:
  const PlannerCallbacks callbacks_;
  const uint32_t slots_per_lane_;
  const size_t max_message_bytes_;
};

}  // namespace xebec::rpc
