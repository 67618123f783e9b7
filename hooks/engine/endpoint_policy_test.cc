// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/endpoint_policy.h"

#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::gateway {
namespace {

using ::testing::HasSubstr;

std::string Text(const absl::Status& status) { return std::string(ToStd(status.message())); }

EndpointPolicy Policy(PolicyOptions options = {}) {
  auto policy = EndpointPolicy::Make(options);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return *policy;
}

CallTarget At(const std::string& address, bool tls = true) {
  HookEndpoint endpoint;
  endpoint.target = address;
  endpoint.protocol = HookProtocol::kHttp;
  if (tls) endpoint.tls.emplace();
  auto target = TargetOf(endpoint, "cluster.local");
  EXPECT_TRUE(target.ok()) << target.status();
  return target.value_or(CallTarget());
}

CallTarget Service() {
  HookEndpoint endpoint;
  endpoint.target = HookService{"team-a", "web", 8443};
  return *TargetOf(endpoint, "cluster.local");
}

TEST(IpAddress, ClassifiesAddressesAndThoseThatContainOthers) {
  const std::pair<const char*, IpClass> rows[] = {
      {"8.8.8.8", IpClass::kPublic},
      {"2600::1", IpClass::kPublic},
      {"10.1.2.3", IpClass::kPrivate},
      {"172.16.0.1", IpClass::kPrivate},
      {"172.32.0.1", IpClass::kPublic},
      {"192.168.255.255", IpClass::kPrivate},
      {"100.64.0.1", IpClass::kPrivate},
      {"100.128.0.1", IpClass::kPublic},
      {"fd12::7", IpClass::kPrivate},
      {"127.0.0.1", IpClass::kLoopback},
      {"127.255.255.254", IpClass::kLoopback},
      {"::1", IpClass::kLoopback},
      {"::ffff:127.0.0.1", IpClass::kLoopback},
      {"::127.0.0.1", IpClass::kLoopback},
      {"64:ff9b::7f00:1", IpClass::kLoopback},
      {"64:ff9b:1::7f00:1", IpClass::kLoopback},
      {"2002:7f00:1::", IpClass::kLoopback},
      {"169.254.169.254", IpClass::kLinkLocal},
      {"::ffff:169.254.169.254", IpClass::kLinkLocal},
      {"::ffff:a9fe:a9fe", IpClass::kLinkLocal},
      {"64:ff9b::a9fe:a9fe", IpClass::kLinkLocal},
      {"2002:a9fe:a9fe::1", IpClass::kLinkLocal},
      {"fe80::1", IpClass::kLinkLocal},
      {"febf::1", IpClass::kLinkLocal},
      {"fd00:ec2::254", IpClass::kMetadata},
      {"100.100.100.200", IpClass::kMetadata},
      {"192.0.0.192", IpClass::kMetadata},
      {"0.0.0.0", IpClass::kUnspecified},
      {"0.1.2.3", IpClass::kUnspecified},
      {"::", IpClass::kUnspecified},
      {"::ffff:0.0.0.0", IpClass::kUnspecified},
      {"224.0.0.1", IpClass::kMulticast},
      {"255.255.255.255", IpClass::kMulticast},
      {"ff02::1", IpClass::kMulticast},
      {"240.0.0.1", IpClass::kReserved},
      {"fec0::1", IpClass::kReserved},
      {"2001:0:1::1", IpClass::kReserved},
  };
  for (const auto& [text, ip_class] : rows) {
    const auto address = ParseIp(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(Classify(*address), ip_class) << text << " is " << Describe(Classify(*address));
  }
}

TEST(IpAddress, ParsesBlocksAndContainsTheirEdges) {
  const auto range = ParseRange("10.96.0.0/12");
  ASSERT_TRUE(range);
  EXPECT_TRUE(Contains(*range, *ParseIp("10.96.0.0")));
  EXPECT_TRUE(Contains(*range, *ParseIp("10.111.255.255")));
  EXPECT_TRUE(Contains(*range, *ParseIp("::ffff:10.100.0.1")));
  EXPECT_FALSE(Contains(*range, *ParseIp("10.112.0.0")));
  EXPECT_FALSE(Contains(*range, *ParseIp("fd00::1")));
  for (const char* bad : {"", "10.0.0.0/33", "fd00::/129", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0"}) {
    EXPECT_FALSE(ParseRange(bad)) << bad;
  }
  EXPECT_EQ(ToText(*ParseIp("::ffff:10.0.0.7")), "10.0.0.7");
  EXPECT_EQ(ToText(*ParseIp("fd00:0::7")), "fd00::7");
}

TEST(CallTarget, ReadsServicesAndAddresses) {
  const CallTarget service = Service();
  EXPECT_EQ(service.host, "web.team-a.svc");
  EXPECT_EQ(service.port, 8443u);
  EXPECT_TRUE(service.service);
  EXPECT_FALSE(service.tls);
  const CallTarget http = At("Hooks.Example.COM.:8443/base/");
  EXPECT_EQ(http.host, "hooks.example.com");
  EXPECT_EQ(http.server_name, "hooks.example.com");
  EXPECT_FALSE(http.service);
  EXPECT_EQ(UrlOf(http, "Sync"),
            "https://hooks.example.com:8443/base/xebec.hooks.v1.HookService/Sync");
  EXPECT_EQ(Authority(At("[fd00::7]:80")), "[fd00::7]:80");
  EXPECT_TRUE(At("web.team-a.svc:80").service);
  EXPECT_TRUE(At("web.team-a.svc.cluster.local:80").service);
  EXPECT_FALSE(At("web.team-a.svc.example.com:80").service);
}

TEST(CallTarget, RefusesAddressesThatCouldMeanSomethingElse) {
  for (const char* bad : {"",
                          "host",
                          "host:",
                          "host:0",
                          "host:65536",
                          "host:+80",
                          "host:8x",
                          ":80",
                          "user@host:80",
                          "http://host:80",
                          "file:///etc/passwd",
                          "file://host:80",
                          "gopher://host:80/x",
                          "gopher:host:80",
                          "host:80/a?b",
                          "host:80/a#b",
                          "host:80/../x",
                          "host:80/a b",
                          "ho st:80",
                          "[::1:80",
                          "[host]:80",
                          "[127.0.0.1]:80",
                          "a,b:80",
                          "::1:80"}) {
    HookEndpoint endpoint;
    endpoint.target = bad;
    endpoint.protocol = HookProtocol::kHttp;
    EXPECT_EQ(TargetOf(endpoint, "").status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  HookEndpoint grpc;
  grpc.target = "host:80/path";
  EXPECT_THAT(Text(TargetOf(grpc, "").status()), HasSubstr("gRPC has no path"));
  HookEndpoint odd;
  odd.target = HookService{"team-a", "web.kube-system", 80};
  EXPECT_FALSE(TargetOf(odd, "").ok());
}

TEST(EndpointPolicy, AllowsServicesInPlaintextAndListedHostsWithTls) {
  PolicyOptions options;
  options.allowed_hosts = {"hooks.example.com", "*.corp.example.com", "203.0.113.7"};
  const EndpointPolicy policy = Policy(options);
  EXPECT_TRUE(policy.CheckTarget(Service()).ok());
  EXPECT_TRUE(policy.CheckTarget(At("hooks.example.com:443")).ok());
  EXPECT_TRUE(policy.CheckTarget(At("a.b.corp.example.com:443")).ok());
  EXPECT_TRUE(policy.CheckTarget(At("203.0.113.7:443")).ok());
  EXPECT_THAT(Text(policy.CheckTarget(At("corp.example.com:443"))), HasSubstr("allowedHosts"));
  EXPECT_THAT(Text(policy.CheckTarget(At("evilcorp.example.com:443"))), HasSubstr("allowedHosts"));
  EXPECT_THAT(Text(policy.CheckTarget(At("10.0.0.9:443"))), HasSubstr("allowedHosts"));
  EXPECT_THAT(Text(policy.CheckTarget(At("hooks.example.com:80", false))),
              HasSubstr("allowPlaintext"));
  options.allow_plaintext = true;
  EXPECT_TRUE(Policy(options).CheckTarget(At("hooks.example.com:80", false)).ok());
}

TEST(EndpointPolicy, DeniesTheApiServerAndTheRelease) {
  PolicyOptions options;
  options.denied_hosts = {"xebec-planner.xebec-system.svc", "xebec-applier.xebec-system.svc",
                          "10.96.0.1", "10.0.0.0/24"};
  options.allowed_hosts = {"kubernetes.default", "*.kubernetes.default", "10.96.0.1"};
  const EndpointPolicy policy = Policy(options);
  for (const char* host :
       {"kubernetes", "kubernetes.default", "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local", "KUBERNETES.default.svc.",
        "10-0-9-9.kubernetes.default", "10-0-9-9.kubernetes.default.svc",
        "10-0-9-9.kubernetes.default.svc.cluster.local", "10.96.0.1", "[::ffff:10.96.0.1]",
        "xebec-planner.xebec-system.svc", "xebec-applier.xebec-system.svc.cluster.local"}) {
    const std::string address = std::string(host) + ":443";
    EXPECT_FALSE(policy.CheckTarget(At(address)).ok()) << host;
  }
  EXPECT_FALSE(policy.CheckAddress(Service(), *ParseIp("10.96.0.1")).ok());
  EXPECT_FALSE(policy.CheckAddress(Service(), *ParseIp("::ffff:10.96.0.1")).ok());
  EXPECT_FALSE(policy.CheckAddress(Service(), *ParseIp("10.0.0.77")).ok());
  EXPECT_TRUE(policy.CheckAddress(Service(), *ParseIp("10.96.0.2")).ok());
}

// The Services of the release are headless: DNS has a name for each of their Pods.
TEST(EndpointPolicy, DeniedServiceIncludesTheNamesOfItsPods) {
  for (const char* denied :
       {"xebec-applier.xebec-system.svc", "XEBEC-applier.xebec-system.SVC.",
        "xebec-applier.xebec-system.svc.cluster.local",
        "xebec-applier.xebec-system.svc.Cluster.Local.", "*.xebec-system.svc.cluster.local"}) {
    PolicyOptions options;
    options.denied_hosts = {denied};
    options.allowed_hosts = {"*.svc", "*.svc.cluster.local"};
    const EndpointPolicy policy = Policy(options);
    for (const char* name :
         {"10-0-0-5.xebec-applier.xebec-system.svc", "10-0-0-5.xebec-applier.xebec-system.svc.",
          "10-0-0-5.Xebec-Applier.Xebec-System.SVC", "fd00--5.xebec-applier.xebec-system.svc",
          "10-0-0-5.xebec-applier.xebec-system.svc.cluster.local",
          "10-0-0-5.XEBEC-APPLIER.xebec-system.svc.CLUSTER.local..",
          "_http._tcp.xebec-applier.xebec-system.svc", "xebec-applier.xebec-system.svc",
          "xebec-applier.xebec-system.svc.cluster.local"}) {
      const CallTarget target = At(std::string(name) + ":8083", false);
      EXPECT_THAT(Text(policy.CheckTarget(target)), HasSubstr("a part of the cluster")) << name;
    }
  }
}

TEST(EndpointPolicy, DeniedServiceIncludesNoOtherService) {
  PolicyOptions options;
  options.denied_hosts = {"xebec-applier.xebec-system.svc", "*.shop.svc"};
  for (const char* name :
       {"my-xebec-applier.xebec-system.svc", "10-0-0-5.web.xebec-system.svc", "shop.svc",
        "xebec-applier.xebec-system.svc.team-a.svc", "xebec-system.svc", "applier.team-a.svc"}) {
    EXPECT_TRUE(Policy(options).CheckTarget(At(std::string(name) + ":8083", false)).ok()) << name;
  }
}

TEST(EndpointPolicy, ClusterDomainIsReadWithoutCaseAndFinalDot) {
  PolicyOptions options;
  options.denied_hosts = {"xebec-applier.xebec-system.svc"};
  options.allowed_hosts = {"*.corp"};
  options.cluster_domain = "Cluster.Corp.";
  const EndpointPolicy policy = Policy(options);
  EXPECT_EQ(policy.cluster_domain(), "cluster.corp");
  EXPECT_FALSE(policy.CheckTarget(At("xebec-applier.xebec-system.svc.cluster.corp:443")).ok());
  EXPECT_TRUE(policy.CheckTarget(At("web.team-a.svc.cluster.corp:443")).ok());
}

TEST(EndpointPolicy, NamesOfPodAddressesAreDeniedWhateverIsAllowed) {
  PolicyOptions options;
  options.allowed_hosts = {"*.pod", "*.cluster.local"};
  for (const char* name :
       {"10-0-0-5.xebec-system.pod", "10-0-0-5.xebec-system.pod.cluster.local",
        "8-8-8-8.default.POD.Cluster.Local.", "169-254-169-254.default.pod.cluster.local"}) {
    const CallTarget target = At(std::string(name) + ":443");
    EXPECT_THAT(Text(Policy(options).CheckTarget(target)), HasSubstr("address of a Pod")) << name;
  }
  EXPECT_TRUE(Policy(options).CheckTarget(At("web.pod.svc:443")).ok());
}

TEST(EndpointPolicy, ChecksTheAddressToWhichANameResolves) {
  PolicyOptions options;
  options.allowed_hosts = {"hooks.example.com"};
  EndpointPolicy policy = Policy(options);
  const CallTarget external = At("hooks.example.com:443");
  for (const char* denied : {"127.0.0.1", "169.254.169.254", "::1", "fe80::1", "0.0.0.0",
                             "224.0.0.1", "::ffff:169.254.169.254", "fd00:ec2::254", "240.0.0.1"}) {
    EXPECT_FALSE(policy.CheckAddress(external, *ParseIp(denied)).ok()) << denied;
    EXPECT_FALSE(policy.CheckAddress(Service(), *ParseIp(denied)).ok()) << denied;
  }
  EXPECT_TRUE(policy.CheckAddress(external, *ParseIp("8.8.8.8")).ok());
  EXPECT_TRUE(policy.CheckAddress(external, *ParseIp("10.0.0.8")).ok());
  EXPECT_TRUE(policy.CheckAddress(Service(), *ParseIp("10.0.0.8")).ok());
  // A Service of type ExternalName.
  EXPECT_THAT(Text(policy.CheckAddress(Service(), *ParseIp("8.8.8.8"))),
              HasSubstr("outside of the cluster"));
  options.allowed_hosts = {"web.team-a.svc"};
  EXPECT_TRUE(Policy(options).CheckAddress(Service(), *ParseIp("8.8.8.8")).ok());
}

// Resolvers read 2130706433 as 127.0.0.1. Here it is a name, whose address is checked later.
TEST(EndpointPolicy, AddressesInOtherNotationsAreNames) {
  for (const char* host : {"2130706433", "0x7f000001", "017700000001", "127.1"}) {
    EXPECT_FALSE(ParseIp(host)) << host;
    const CallTarget target = At(std::string(host) + ":443");
    EXPECT_THAT(Text(Policy().CheckTarget(target)), HasSubstr("allowedHosts")) << host;
    PolicyOptions options;
    options.allowed_hosts = {host};
    EXPECT_THAT(Text(Policy(options).CheckAddress(target, *ParseIp("127.0.0.1"))),
                HasSubstr("loopback"))
        << host;
  }
}

TEST(EndpointPolicy, AllowsLoopbackOnlyIfItIsSet) {
  PolicyOptions options;
  for (const char* host : {"127.0.0.1:80", "localhost:80", "[::1]:80"}) {
    EXPECT_FALSE(Policy(options).CheckTarget(At(host, false)).ok()) << host;
  }
  options.allow_loopback = true;
  for (const char* host : {"127.0.0.1:80", "localhost:80", "[::1]:80"}) {
    EXPECT_TRUE(Policy(options).CheckTarget(At(host, false)).ok()) << host;
  }
  EXPECT_TRUE(Policy(options).CheckAddress(At("localhost:80"), *ParseIp("127.0.0.1")).ok());
  EXPECT_FALSE(Policy(options).CheckAddress(At("localhost:80"), *ParseIp("169.254.1.1")).ok());
}

TEST(EndpointPolicy, RefusesInvalidSettings) {
  PolicyOptions options;
  options.allowed_hosts = {"https://hooks.example.com"};
  EXPECT_THAT(Text(EndpointPolicy::Make(options).status()), HasSubstr("allowedHosts"));
  options.allowed_hosts = {};
  for (const char* denied : {".", "*.", "*..", "a b"}) {
    options.denied_hosts = {denied};
    EXPECT_THAT(Text(EndpointPolicy::Make(options).status()), HasSubstr("deniedHosts")) << denied;
  }
  options.denied_hosts = {"10.0.0.0/40"};
  EXPECT_THAT(Text(EndpointPolicy::Make(options).status()), HasSubstr("deniedHosts"));
}

}  // namespace
}  // namespace xebec::gateway
