// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/grpc_channel.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/millis.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace xebec::gateway {
namespace {

/// Servers close connections of clients that send pings more often than every five minutes.
constexpr absl::Duration kKeepalive = absl::Minutes(6);
constexpr size_t kMostAddresses = 16;

/// Returns the address in "ipv4:10.0.0.7:8443" or "ipv6:[fd00::7]:8443".
std::optional<IpAddress> AddressIn(const std::string& uri) {
  const size_t begin = uri.find(':') + 1;
  std::string host = uri.substr(begin, uri.rfind(':') - begin);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return ParseIp(host);
}

std::string UriOf(const std::vector<IpAddress>& addresses, uint32_t port) {
  const bool v6 = absl::StrContains(ToText(addresses.front()), ":");
  std::vector<std::string> parts;
  for (const IpAddress& address : addresses) {
    const std::string text = ToText(address);
    if (absl::StrContains(text, ":") != v6) continue;  // a URI has one family
    parts.push_back(v6 ? absl::StrCat("[", text, "]:", port) : absl::StrCat(text, ":", port));
  }
  return absl::StrCat(v6 ? "ipv6:" : "ipv4:", absl::StrJoin(parts, ","));
}

grpc::ChannelArguments Arguments(const CallTarget& target, size_t max_answer_bytes,
                                 absl::Duration connect_timeout) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(static_cast<int>(max_answer_bytes));
  args.SetMaxSendMessageSize(-1);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, rpc::Millis(kKeepalive));
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, rpc::Millis(connect_timeout));
  args.SetServiceConfigJSON("{}");
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  if (target.tls) {
    args.SetSslTargetNameOverride(target.server_name);
  } else {
    args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, Authority(target));
  }
  return args;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const LinkTarget& to) {
  if (!to.target.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = to.ca_pem;
  options.pem_cert_chain = to.certificate.certificate;
  options.pem_private_key = to.certificate.key;
  return grpc::SslCredentials(options);
}

}  // namespace

absl::StatusOr<std::vector<IpAddress>> ResolveAllowed(const EndpointPolicy& policy,
                                                      const CallTarget& target) {
  const auto found = rpc::SystemResolve({target.host, absl::StrCat(target.port), ""});
  if (!found.ok()) return found.status();
  std::vector<IpAddress> allowed;
  absl::Status denied = absl::UnavailableError(absl::StrCat(target.host, " has no address"));
  for (const rpc::Address& address : *found) {
    const std::optional<IpAddress> ip = AddressIn(address.uri);
    if (!ip) continue;
    const absl::Status checked = policy.CheckAddress(target, *ip);
    if (!checked.ok()) {
      denied = checked;
    } else if (allowed.size() < kMostAddresses) {
      allowed.push_back(*ip);
    }
  }
  if (allowed.empty()) return denied;
  return allowed;
}

std::shared_ptr<grpc::Channel> MakeHookChannel(const LinkTarget& to,
                                               const std::vector<IpAddress>& addresses,
                                               size_t max_answer_bytes,
                                               absl::Duration connect_timeout) {
  return grpc::CreateCustomChannel(UriOf(addresses, to.target.port), CredentialsOf(to),
                                   Arguments(to.target, max_answer_bytes, connect_timeout));
}

}  // namespace xebec::gateway
