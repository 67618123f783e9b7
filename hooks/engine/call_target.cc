// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/call_target.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/hook_path.h"
#include "hooks/engine/ip_address.h"

namespace xebec::gateway {
namespace {

constexpr uint32_t kLastPort = 65535;
constexpr size_t kLongestHost = 253;

absl::Status Bad(const std::string& address, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("address \"", Ellipsize(address, 200), "\": ", ToAbsl(why),
                   "; expected host:port, [ipv6]:port or, for HTTP, host:port/path"));
}

bool IsHostCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
}

bool IsHost(const std::string& host) {
  return !host.empty() && host.size() <= kLongestHost &&
         std::all_of(host.begin(), host.end(), IsHostCharacter);
}

std::string WithoutLast(std::string text, char last) {
  while (!text.empty() && text.back() == last) text.pop_back();
  return text;
}

absl::Status ParsePort(const std::string& address, const std::string& text, uint32_t* port) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  if (text.empty() || !digits || !absl::SimpleAtoi(text, port) || *port == 0 || *port > kLastPort)
    return Bad(address, "the port is not 1 to 65535");
  return absl::OkStatus();
}

absl::Status ParseHost(const std::string& address, const std::string& text, std::string* host) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    *host = text.substr(1, text.size() - 2);
    if (ParseIp(*host) && absl::StrContains(*host, ":")) return absl::OkStatus();
    return Bad(address, "the text in brackets is not an IPv6 address");
  }
  *host = WithoutLast(absl::AsciiStrToLower(text), '.');
  return IsHost(*host) ? absl::OkStatus() : Bad(address, "the host is not a name or an address");
}

absl::Status ParseAddress(const HookEndpoint& endpoint, CallTarget* target) {
  const auto& address = std::get<std::string>(endpoint.target);
  const size_t slash = address.find('/');
  const std::string authority = address.substr(0, slash);
  if (slash != std::string::npos) {
    if (endpoint.protocol != HookProtocol::kHttp) return Bad(address, "gRPC has no path");
    target->path = WithoutLast(address.substr(slash), '/');
    if (!IsHookPath(target->path))
      return Bad(address, "the path has a character that is not accepted");
  }
  const size_t colon = authority.rfind(':');
  if (colon == std::string::npos) return Bad(address, "it has no port");
  if (absl::Status status = ParsePort(address, authority.substr(colon + 1), &target->port);
      !status.ok())
    return status;
  return ParseHost(address, authority.substr(0, colon), &target->host);
}

bool IsServiceName(const std::string& host, std::string_view cluster_domain) {
  return absl::EndsWith(host, ".svc") ||
         (!cluster_domain.empty() &&
          absl::EndsWith(host, absl::StrCat(".svc.", ToAbsl(cluster_domain))));
}

}  // namespace

absl::StatusOr<CallTarget> TargetOf(const HookEndpoint& endpoint, std::string_view cluster_domain) {
  CallTarget target;
  if (const auto* service = std::get_if<HookService>(&endpoint.target)) {
    target.host = absl::AsciiStrToLower(absl::StrCat(service->name, ".", service->ns, ".svc"));
    target.port = service->port;
    if (!IsHost(target.host) || absl::StrContains(service->name, ".") ||
        absl::StrContains(service->ns, "."))
      return absl::InvalidArgumentError(
          absl::StrCat("\"", Ellipsize(service->ns + "/" + service->name, 200),
                       "\" is not the name of a Service"));
  } else if (absl::Status status = ParseAddress(endpoint, &target); !status.ok()) {
    return status;
  }
  target.service = IsServiceName(target.host, cluster_domain);
  target.tls = endpoint.tls.has_value();
  if (!target.tls) return target;
  target.server_name = endpoint.tls->server_name.empty() ? target.host : endpoint.tls->server_name;
  return target;
}

std::string Authority(const CallTarget& target) {
  const bool v6 = absl::StrContains(target.host, ":");
  return v6 ? absl::StrCat("[", target.host, "]:", target.port)
            : absl::StrCat(target.host, ":", target.port);
}

std::string UrlOf(const CallTarget& target, std::string_view method) {
  return absl::StrCat(target.tls ? "https://" : "http://", Authority(target), target.path,
                      "/xebec.hooks.v1.HookService/", ToAbsl(method));
}

}  // namespace xebec::gateway
