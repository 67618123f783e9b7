// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "common/rpc/streams/applier_streams.h"
#include "common/rpc/streams/stream_protocol.h"

namespace xebec::rpc {

/// Returns the report on a plan that was certainly not started: every operation, and the status
/// write if the plan has one, is NOT_STARTED with the message `why`.
Report NotStartedReport(const Plan& plan, const std::string& why);

/// The protocol of ApplierService.ApplyStream: requests are plans, answers are reports, and the
/// applier grants the credits.
class ApplierProtocol : public StreamProtocol {
 public:
  ApplierProtocol(ApplierCallbacks callbacks, size_t max_message_bytes);

  std::unique_ptr<MessageStream> Open(const CallSite& site) const override;
  /// Returns kFailed if every operation of the report is UNAVAILABLE.
  PeerVerdict Judge(const Answer& answer) const override;
  std::string WhyFailed(const Answer& answer) const override;
  void OnAnswer(Answer answer) override;
  void OnUnsent(Request request, const std::string& why) override;
  void OnLost(uint64_t sequence, const std::string& why) override;
  void OnCredits(uint32_t credits) override;

 private:
  const ApplierCallbacks callbacks_;
  const size_t max_message_bytes_;
};

}  // namespace xebec::rpc
