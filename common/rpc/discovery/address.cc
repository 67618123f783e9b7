// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/discovery/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/strings.h"

namespace xebec::rpc {
namespace {

constexpr absl::string_view kExpected =
    "expected host:port, [ipv6]:port, dns:///name:port or unix:/absolute/path";

absl::Status Bad(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("address \"", text, "\": ", why, "; ", kExpected));
}

absl::StatusOr<Target> ParseUnix(absl::string_view whole, absl::string_view path) {
  absl::ConsumePrefix(&path, "//");
  if (path.empty() || path.front() != '/') return Bad(whole, "the socket's path is not absolute");
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return Bad(whole, "the socket's path is too long");
  Target target;
  target.path = std::string(path.data(), path.size());
  return target;
}

bool IsPort(absl::string_view text) {
  int port = 0;
  return absl::SimpleAtoi(text, &port) && port >= 0 && port <= 65535 && text.front() != '+' &&
         text.front() != '-';
}

absl::StatusOr<Target> ParseHostPort(absl::string_view whole, absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon + 1 == text.size()) return Bad(whole, "no port");
  absl::string_view host = text.substr(0, colon);
  const absl::string_view port = text.substr(colon + 1);
  if (!IsPort(port)) return Bad(whole, absl::StrCat("\"", port, "\" is not a port"));
  if (absl::ConsumePrefix(&host, "[")) {
    if (!absl::ConsumeSuffix(&host, "]")) return Bad(whole, "\"]\" is missing");
  } else if (absl::StrContains(host, ":")) {
    return Bad(whole, "an IPv6 address needs brackets");
  }
  if (host.empty()) return Bad(whole, "no host");
  Target target;
  target.host = std::string(host.data(), host.size());
  target.port = std::string(port.data(), port.size());
  return target;
}

absl::StatusOr<Target> ParseTarget(absl::string_view whole) {
  absl::string_view text = whole;
  if (absl::ConsumePrefix(&text, "unix:")) return ParseUnix(whole, text);
  if (absl::ConsumePrefix(&text, "dns:")) absl::ConsumePrefix(&text, "///");
  return ParseHostPort(whole, text);
}

/// Shortens the resolver's timeouts in this thread (10 s and more by default), so that the thread
/// can be joined soon.
void LimitResolverTimeout() {
  res_init();
  _res.retrans = 2;
  _res.retry = 1;
}

std::string UriOf(const addrinfo& info, const std::string& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (info.ai_family == AF_INET) {
    const auto* address = reinterpret_cast<const sockaddr_in*>(info.ai_addr);
    inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    return absl::StrCat("ipv4:", text.data(), ":", port);
  }
  const auto* address = reinterpret_cast<const sockaddr_in6*>(info.ai_addr);
  inet_ntop(AF_INET6, &address->sin6_addr, text.data(), text.size());
  return absl::StrCat("ipv6:[", text.data(), "]:", port);
}

}  // namespace

absl::StatusOr<std::vector<Target>> ParseTargets(std::string_view text) {
  std::vector<Target> targets;
  for (absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    absl::StatusOr<Target> target = ParseTarget(absl::StripAsciiWhitespace(part));
    if (!target.ok()) return target.status();
    targets.push_back(*std::move(target));
  }
  return targets;
}

absl::StatusOr<std::vector<Address>> SystemResolve(const Target& target) {
  LimitResolverTimeout();
  if (!target.path.empty()) return std::vector<Address>{{absl::StrCat("unix:", target.path), ""}};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(target.host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot resolve host \"", target.host, "\": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    addresses.push_back({UriOf(*info, target.port), target.host});
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

bool IsLiteral(const Target& target) {
  in_addr v4{};
  in6_addr v6{};
  return !target.path.empty() || inet_pton(AF_INET, target.host.c_str(), &v4) == 1 ||
         inet_pton(AF_INET6, target.host.c_str(), &v6) == 1;
}

bool IsLocal(const Target& target) {
  if (!target.path.empty() || target.host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, target.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, target.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace xebec::rpc
