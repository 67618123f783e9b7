// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "common/rpc/streams/planner_streams.h"
#include "common/rpc/streams/stream_protocol.h"

namespace xebec::rpc {

/// The protocol of PlannerService.PlanStream: requests are observations, answers are plans. A
/// stream has `credits_per_stream` credits after the handshake, and one more with every answer.
class PlannerProtocol : public StreamProtocol {
 public:
  PlannerProtocol(PlannerCallbacks callbacks, uint32_t credits_per_stream,
                  size_t max_message_bytes);

  std::unique_ptr<HandshakeCall> Handshake(const CallSite& site,
                                           const Address& address) const override;
  std::unique_ptr<MessageStream> Open(const CallSite& site) const override;
  void OnAnswer(Answer answer) override;
  void OnUnsent(Request request, const std::string& why) override;
  void OnLost(uint64_t sequence, const std::string& why) override;
  void OnCredits(uint32_t credits) override;

 private:
  const PlannerCallbacks callbacks_;
  const uint32_t credits_per_stream_;
  const size_t max_message_bytes_;
};

}  // namespace xebec::rpc
