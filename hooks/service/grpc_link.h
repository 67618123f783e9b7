// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/channel.h"
#include "hooks/engine/ip_address.h"
#include "hooks/service/hook_link.h"
#include "hooks/service/link_target.h"
#include "hooks/service/sync_stream.h"
#include "hooks/service/unary_call.h"

namespace xebec::gateway {

/// A connection over gRPC. The name is resolved, and its addresses are checked, once for each
/// connection. Calls use SyncStream if the hook announces it.
class GrpcLink final : public HookLink, public std::enable_shared_from_this<GrpcLink> {
 public:
  GrpcLink(const LinkSite& site, const struct Open& open, LinkEvents events);

  void Open() override;
  void Send(uint64_t call, const std::string& request, absl::Duration timeout) override;
  void Cancel(uint64_t call) override;
  void Retire() override;
  void Close() override;

 private:
  class StateWatch;

  void Fail(HookFailure failure);
  void OnResolved(const LinkTarget& to, const absl::StatusOr<std::vector<IpAddress>>& addresses);
  void OnDescribed(const std::string& response, const GrpcEnd* failure);
  void OnUnaryEnd(uint64_t call, std::string response, const GrpcEnd* failure,
                  absl::Duration timeout);
  void OnAnswer(uint64_t call, const CallFacts& facts, std::string response);
  void OnStreamEnded(bool too_large);
  void OnLost();
  bool IsReady() const;
  void SendUnary(uint64_t call, const std::string& request, absl::Duration timeout);

  const LinkSite site_;
  const struct Open open_;
  LinkEvents events_;  ///< Empty after Close.
  CallFacts facts_;
  bool closed_ = false;
  bool lost_ = false;
  bool streams_ = false;  ///< SyncStream is used.
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<UnaryCall> describe_;
  std::shared_ptr<SyncStream> stream_;
  std::map<uint64_t, std::shared_ptr<UnaryCall>> calls_;
};

}  // namespace xebec::gateway
