// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "common/rpc/applier_lanes.h"
#include "common/rpc/lane_protocol.h"

namespace xebec::rpc {

/// The report on a plan of which certainly nothing was started: every operation, and the status
/// write if the plan has one, NOT_STARTED with `why` as its message.
Report NotStartedReport(const Plan& plan, const std::string& why);

/// Lanes over ApplierService.ApplyStream: parcels are plans, answers are reports, credits are the
/// applier's.
class ApplierProtocol : public LaneProtocol {
 public:
  ApplierProtocol(ApplierCallbacks callbacks, size_t max_message_bytes);

  absl::StatusOr<std::string> Greet(const std::shared_ptr<grpc::Channel>& channel,
                                    grpc::ClientContext* context, const Address& address) override;
  std::unique_ptr<LaneStream> Open(const std::shared_ptr<grpc::Channel>& channel,
                                   grpc::ClientContext* context) override;
  void OnAnswer(Answer answer) override;
  void OnUnsent(Parcel parcel, const std::string& why) override;
  void OnLost(uint64_t sequence, const std::string& why) override;
  void OnCapacity(uint32_t slots) override;

 private:
  const ApplierCallbacks callbacks_;
  const size_t max_message_bytes_;
};

}  // namespace xebec::rpc
