// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/peer_channels.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/tls/tls_credentials.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(3);

/// Only IP addresses, because a name could block the caller.
absl::StatusOr<rpc::Address> ReadAddress(const std::string& text) {
  XEBEC_ASSIGN_OR_RETURN(const std::vector<rpc::Target> targets, rpc::ParseTargets(text));
  if (targets.size() != 1 || !targets.front().path.empty() || !rpc::IsLiteral(targets.front())) {
    return absl::InvalidArgumentError(
        absl::StrCat("address \"", text, "\": must be an IP address with a port"));
  }
  XEBEC_ASSIGN_OR_RETURN(const std::vector<rpc::Address> addresses,
                         rpc::SystemResolve(targets.front()));
  return addresses.front();
}

}  // namespace

absl::Status PeerChannels::ReadOwnName() {
  if (!files_.Any() || credentials_ != nullptr) return absl::OkStatus();
  XEBEC_ASSIGN_OR_RETURN(const tls::Certificate own, tls::Check(files_, ReadClock().wall));
  if (own.dns_names.empty()) {
    return absl::FailedPreconditionError(
        "this watcher's certificate has no DNS name, which other watchers would have to prove");
  }
  name_ = own.dns_names.front();
  credentials_ = rpc::TlsChannelCredentials(files_);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> PeerChannels::To(const std::string& address) {
  MutexLock lock(&mu_);
  const auto it = channels_.find(address);
  if (it != channels_.end()) return it->second;
  XEBEC_ASSIGN_OR_RETURN(rpc::Address where, ReadAddress(address));
  XEBEC_RETURN_IF_ERROR(ReadOwnName());
  if (credentials_ != nullptr) where.host = name_;
  rpc::ChannelOptions options;
  options.credentials = credentials_;
  options.connect_timeout = kConnectTimeout;
  return channels_[address] = rpc::MakeChannel(where, options);
}

void PeerChannels::Drop(const std::string& address) {
  MutexLock lock(&mu_);
  channels_.erase(address);
}

void PeerChannels::Clear() {
  MutexLock lock(&mu_);
  channels_.clear();
  credentials_ = nullptr;
}

absl::Status PeerChannels::Explain(const absl::Status& status) const {
  MutexLock lock(&mu_);
  return rpc::ExplainRefusal(status, name_);
}

}  // namespace xebec::watcher
