// SPDX-License-Identifier: Apache-2.0
#include "common/declare/hook_fields.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/model/hook_path.h"
#include "common/model/names.h"

namespace xebec {
namespace {

constexpr int64_t kLastPort = 65535;
constexpr char kAddressForm[] =
    "must be host:port without a scheme, for example \"hooks.example.com:8443\"; spec.hook.tls "
    "turns on TLS";

HookService ReadService(const SpecFields& service) {
  HookService out;
  out.ns = service.String("namespace");
  out.name = service.String("name");
  out.port = static_cast<uint32_t>(service.Int("port", 1, kLastPort));
  if (!IsDns1123Label(out.ns)) service.Fail("namespace", "must be the name of a namespace");
  if (!IsDns1123Label(out.name)) service.Fail("name", "must be the name of a Service");
  return out;
}

bool IsHost(const std::string& host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.find_first_not_of("0123456789abcdefABCDEF:.", 1) == host.size() - 1;
  }
  return IsDns1123Subdomain(host);
}

// "host:port", for HTTP also with a path.
bool IsAddress(const std::string& address, HookProtocol protocol) {
  const size_t slash = address.find('/');
  const std::string authority = address.substr(0, slash);
  const std::string path = slash == std::string::npos ? "" : address.substr(slash);
  const size_t colon = authority.rfind(':');
  if (colon == std::string::npos) return false;
  int64_t port = 0;
  const bool number = absl::SimpleAtoi(authority.substr(colon + 1), &port);
  if (!number || port < 1 || port > kLastPort) return false;
  if (!path.empty() && protocol == HookProtocol::kGrpc) return false;
  return IsHookPath(path) && IsHost(authority.substr(0, colon));
}

HookProtocol ReadProtocol(const SpecFields& hook) {
  const std::string protocol = hook.String("protocol");
  if (protocol == "HTTP") return HookProtocol::kHttp;
  if (!protocol.empty() && protocol != "GRPC") hook.Fail("protocol", "must be GRPC or HTTP");
  return HookProtocol::kGrpc;
}

HookTls ReadTls(const SpecFields& tls) {
  HookTls out;
  const std::string encoded = tls.String("caBundle");
  if (!absl::Base64Unescape(encoded, &out.ca_bundle) ||
      (!encoded.empty() && !absl::StrContains(out.ca_bundle, "-----BEGIN CERTIFICATE-----"))) {
    tls.Fail("caBundle", "must be certificates in PEM, encoded in base64");
  }
  out.server_name = tls.String("serverName");
  out.credential = tls.String("credential");
  return out;
}

}  // namespace

void ReadHook(const SpecFields& hook, Declaration* out) {
  out->hook.protocol = ReadProtocol(hook);
  if (hook.Has("service") == hook.Has("address")) {
    hook.Fail("", "must have either service or address");
  } else if (hook.Has("service")) {
    out->hook.target = ReadService(hook.Object("service"));
  } else {
    const std::string address = hook.String("address");
    if (!IsAddress(address, out->hook.protocol)) hook.Fail("address", kAddressForm);
    out->hook.target = address;
  }
  if (hook.Has("tls")) out->hook.tls = ReadTls(hook.Object("tls"));
  const auto timeout = hook.Span("timeout", absl::Milliseconds(100), absl::Minutes(1));
  out->timeout = timeout.value_or(out->timeout);
  out->clock = hook.Bool("clock", false);
}

}  // namespace xebec
