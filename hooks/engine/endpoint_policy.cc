// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/endpoint_policy.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace xebec::gateway {
namespace {

constexpr const char* kApiServer[] = {"kubernetes", "kubernetes.default", "kubernetes.default.svc"};

/// Returns an entry in the form of CallTarget::host: lower case, without final dots.
std::string AsHost(const std::string& entry) {
  std::string host = absl::AsciiStrToLower(entry);
  while (absl::EndsWith(host, ".")) host.pop_back();
  return host;
}

bool IsHostPattern(const std::string& entry) {
  const std::string name = AsHost(entry);
  const std::string host = absl::StartsWith(name, "*.") ? name.substr(2) : name;
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
           c == ':';
  });
}

absl::Status CheckEntries(const char* setting, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    if (ParseRange(entry) || IsHostPattern(entry)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(setting, ": \"", entry, "\" is not a host, *.domain or an address"));
  }
  return absl::OkStatus();
}

/// Adds the subdomains of each host.
std::vector<std::string> WithSubdomains(std::vector<std::string> entries) {
  const size_t count = entries.size();
  for (size_t i = 0; i < count; ++i) {
    if (!absl::StartsWith(entries[i], "*.")) entries.push_back(absl::StrCat("*.", entries[i]));
  }
  return entries;
}

absl::Status Deny(const CallTarget& target, const std::string& why) {
  return absl::PermissionDeniedError(
      absl::StrCat("the gateway may not call host ", target.host, ": ", why));
}

bool IsLoopbackHost(const std::string& host) {
  if (host == "localhost") return true;
  const std::optional<IpAddress> address = ParseIp(host);
  return address && Classify(*address) == IpClass::kLoopback;
}

}  // namespace

bool EndpointPolicy::Hosts::Contain(const std::string& host) const {
  return std::find(exact.begin(), exact.end(), host) != exact.end() ||
         std::any_of(suffixes.begin(), suffixes.end(),
                     [&](const std::string& suffix) { return absl::EndsWith(host, suffix); });
}

EndpointPolicy::Hosts EndpointPolicy::Split(const std::vector<std::string>& entries) {
  Hosts hosts;
  for (const std::string& entry : entries) {
    const std::string host = AsHost(entry);
    if (absl::StartsWith(host, "*.")) {
      hosts.suffixes.push_back(host.substr(1));
    } else {
      hosts.exact.push_back(host);
    }
  }
  return hosts;
}

absl::StatusOr<EndpointPolicy> EndpointPolicy::Make(const PolicyOptions& options) {
  XEBEC_RETURN_IF_ERROR(CheckEntries("allowedHosts", options.allowed_hosts));
  XEBEC_RETURN_IF_ERROR(CheckEntries("deniedHosts", options.denied_hosts));
  EndpointPolicy policy;
  policy.allowed_ = Split(options.allowed_hosts);
  std::vector<std::string> denied = options.denied_hosts;
  denied.insert(denied.end(), std::begin(kApiServer), std::end(kApiServer));
  policy.denied_ = Split(WithSubdomains(std::move(denied)));
  for (const std::string& entry : options.denied_hosts) {
    if (const std::optional<IpRange> range = ParseRange(entry)) {
      policy.denied_ranges_.push_back(*range);
    }
  }
  policy.allow_plaintext_ = options.allow_plaintext;
  policy.allow_loopback_ = options.allow_loopback;
  policy.cluster_domain_ = AsHost(options.cluster_domain);
  return policy;
}

EndpointPolicy EndpointPolicy::AllowAll() {
  EndpointPolicy policy;
  policy.allow_all_ = true;
  return policy;
}

std::string EndpointPolicy::WithoutClusterDomain(const std::string& host) const {
  const std::string domain = absl::StrCat(".", cluster_domain_);
  return absl::EndsWith(host, domain) ? host.substr(0, host.size() - domain.size()) : host;
}

bool EndpointPolicy::IsDenied(const std::string& host) const {
  const std::string name = WithoutClusterDomain(host);
  if (denied_.Contain(host) || denied_.Contain(name)) return true;
  return absl::EndsWith(name, ".svc") && denied_.Contain(absl::StrCat(name, ".", cluster_domain_));
}

absl::Status EndpointPolicy::CheckTarget(const CallTarget& target) const {
  if (allow_all_) return absl::OkStatus();
  if (IsDenied(target.host)) return Deny(target, "it is a part of the cluster or of this release");
  // The cluster's DNS answers 10-0-0-5.team-a.pod with the address in the name, whatever it is.
  if (absl::EndsWith(WithoutClusterDomain(target.host), ".pod")) {
    return Deny(target, "it is the address of a Pod; name a Service of the cluster instead");
  }
  if (const std::optional<IpAddress> literal = ParseIp(target.host)) {
    XEBEC_RETURN_IF_ERROR(CheckAddress(target, *literal));
  }
  if (target.service || (allow_loopback_ && IsLoopbackHost(target.host))) return absl::OkStatus();
  if (!allowed_.Contain(target.host)) {
    return Deny(target,
                "it is not a Service of the cluster, and the gateway's setting allowedHosts does "
                "not contain it");
  }
  if (!target.tls && !allow_plaintext_) {
    return Deny(target,
                "plaintext is for Services of the cluster; declare TLS for the hook, or set the "
                "gateway's setting allowPlaintext");
  }
  return absl::OkStatus();
}

absl::Status EndpointPolicy::CheckAddress(const CallTarget& target,
                                          const IpAddress& address) const {
  if (allow_all_) return absl::OkStatus();
  const IpClass ip_class = Classify(address);
  const std::string found = absl::StrCat("its address ", ToText(address), " is ");
  const bool denied = std::any_of(denied_ranges_.begin(), denied_ranges_.end(),
                                  [&](const IpRange& range) { return Contains(range, address); });
  if (denied) return Deny(target, found + "a part of the cluster or of this release");
  switch (ip_class) {
    case IpClass::kPrivate:
      return absl::OkStatus();
    case IpClass::kLoopback:
      return allow_loopback_ ? absl::OkStatus() : Deny(target, found + Describe(ip_class));
    case IpClass::kPublic:
      // A Service of type ExternalName could otherwise lead anywhere.
      if (!target.service || allowed_.Contain(target.host)) return absl::OkStatus();
      return Deny(target, found +
                              "outside of the cluster, and the gateway's setting allowedHosts "
                              "does not contain the Service's host");
    default:
      return Deny(target, found + Describe(ip_class));
  }
}

}  // namespace xebec::gateway
