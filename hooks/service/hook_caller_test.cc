// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/hook_caller.h"

#include "common/kube/testing/test_pki.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/fake_hook.h"
#include "hooks/service/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using namespace gateway::testing;
using ::testing::HasSubstr;

HookCall CallOf(const HookEndpoint& endpoint, const std::string& name) {
  HookCall call;
  call.operator_name = "web";
  call.endpoint = endpoint;
  call.sync_request = RequestFor(name);
  call.timeout = absl::Seconds(30);
  return call;
}

TEST(HookCaller, DescribesAndCallsWithoutACache) {
  FakeHook hook({.sync_stream = true});
  HookCaller caller({});
  const OpenResult opened = caller.Describe("web", At(hook.address()));
  ASSERT_TRUE(std::holds_alternative<HookDescription>(opened));
  EXPECT_EQ(std::get<HookDescription>(opened).revision, "v1");
  EXPECT_TRUE(std::get<HookDescription>(opened).sync_stream);
  for (int i = 0; i < 2; ++i) {
    const auto answer = caller.Sync(CallOf(At(hook.address()), "a"));
    ASSERT_TRUE(std::holds_alternative<std::string>(answer));
    EXPECT_EQ(StatusIn(std::get<std::string>(answer)), "{}");
  }
  EXPECT_EQ(hook.syncs(), 2u);
}

TEST(HookCaller, FailsWithoutAServer) {
  std::string address;
  {
    FakeHook hook({});
    address = hook.address();
  }
  HookCaller caller({});
  const OpenResult opened = caller.Describe("web", At(address));
  ASSERT_TRUE(std::holds_alternative<HookFailure>(opened));
  EXPECT_THAT(std::get<HookFailure>(opened).message, HasSubstr("cannot connect to the hook"));
  const auto answer = caller.Sync(CallOf(At(address), "a"));
  ASSERT_TRUE(std::holds_alternative<HookFailure>(answer));
  EXPECT_EQ(std::get<HookFailure>(answer).code, HookFailureCode::kUnavailable);
}

TEST(HookCaller, ShowsItsCertificate) {
  const kube::testing::KeyPair ca = kube::testing::MakeCa();
  const kube::testing::KeyPair server = kube::testing::MakeCertificate(ca, "localhost");
  const kube::testing::KeyPair client = kube::testing::MakeCertificate(ca, "client");
  FakeHook hook({.certificate = server, .client_ca = ca.cert_pem});
  HookEndpoint endpoint = At(hook.address());
  endpoint.tls = HookTls{ca.cert_pem, "localhost", "flags"};
  HookCaller caller({.certificate = ClientCertificate{client.cert_pem, client.key_pem}});
  EXPECT_TRUE(std::holds_alternative<HookDescription>(caller.Describe("web", endpoint)));
}

}  // namespace
}  // namespace xebec::gateway
