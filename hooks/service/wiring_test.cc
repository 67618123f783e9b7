// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/wiring.h"

#include <unistd.h>

#include <latch>
#include <thread>

#include "common/base/strings.h"
#include "common/config/config.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "common/rpc/client/context.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "hooks/service/credentials.h"
#include "xebec/v1/hook_gateway.grpc.pb.h"

namespace xebec::gateway {
namespace {

using ::testing::HasSubstr;

std::string Text(const absl::Status& status) { return std::string(ToStd(status.message())); }

TEST(Wiring, AGatewayServesStreamsAndStopsWhenAsked) {
  Settings settings;
  const std::string socket = "unix:" + ::testing::TempDir() + "hooks-" + std::to_string(getpid());
  settings.listen = {socket};
  settings.metrics_listen = "127.0.0.1:0";
  std::latch stop(1);
  absl::Status stopped;
  std::thread gateway([&] {
    stopped = RunGateway(settings, [&] {
      stop.wait();
      return "test";
    });
  });
  auto stub = v1::HookGatewayService::NewStub(
      grpc::CreateChannel(socket, grpc::InsecureChannelCredentials()));
  const auto context = rpc::MakeCallContext(absl::Minutes(1));
  context->set_wait_for_ready(true);
  auto stream = stub->CallStream(context.get());
  v1::CallStreamResponse message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_EQ(message.credits(), 256u);
  stop.count_down();
  while (stream->Read(&message)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  gateway.join();
  EXPECT_TRUE(stopped.ok()) << stopped;
}

TEST(Settings, AreCheckedWhenTheProcessStarts) {
  Settings settings;
  EXPECT_TRUE(Resolve(settings, "10.96.0.1").ok());
  settings.credentials = {"a=/x@host", "a=/y@host"};
  EXPECT_THAT(Text(Resolve(settings, "").status()), HasSubstr("twice"));
  for (const char* bad : {"", "a", "a=/x", "a=/x@", "=/x@host", "a=@host"}) {
    settings.credentials = {bad};
    EXPECT_THAT(Text(Resolve(settings, "").status()), HasSubstr("credentials")) << bad;
  }
  settings = {};
  settings.listen.clear();
  EXPECT_THAT(Text(Resolve(settings, "").status()), HasSubstr("listen"));
}

TEST(Settings, TheApiServerOfTheClusterIsDenied) {
  const auto options = Resolve(Settings(), "10.96.0.1");
  ASSERT_TRUE(options.ok());
  HookEndpoint endpoint;
  endpoint.target = HookService{"team-a", "web", 443};
  const auto target = TargetOf(endpoint, "cluster.local");
  EXPECT_FALSE(options->policy.CheckAddress(*target, *ParseIp("10.96.0.1")).ok());
  EXPECT_TRUE(options->policy.CheckAddress(*target, *ParseIp("10.96.0.2")).ok());
}

TEST(Settings, AreReadFromFlags) {
  Settings settings;
  config::Binder binder("xebec-hooks", "", "");
  Bind(settings, binder);
  const char* const arguments[] = {"xebec-hooks", "--allowed-hosts",
                                   "a.example.com,*.b.example.com", "--credits-per-stream=7"};
  ASSERT_TRUE(binder.Load(4, arguments, {}).ok());
  EXPECT_EQ(settings.policy.allowed_hosts.size(), 2u);
  EXPECT_EQ(settings.credits_per_stream, 7u);
}

TEST(Credentials, AreReadWhenTheyAreNeededAndMustFit) {
  const auto ca = kube::testing::MakeCa();
  const auto pair = kube::testing::MakeCertificate(ca, "gateway");
  kube::testing::TemporaryDirectory folder;
  const auto credentials = *Credentials::Make({"a=" + folder.Path("") + "@*.test|other"});
  EXPECT_THAT(Text(credentials.Load("a", "hook.test").status()), HasSubstr("cannot be read"));
  folder.Write("tls.crt", pair.cert_pem);
  folder.Write("tls.key", pair.key_pem);
  EXPECT_EQ(credentials.Load("a", "hook.test")->key, pair.key_pem);
  EXPECT_TRUE(credentials.Load("a", "other").ok());
  EXPECT_FALSE(credentials.Load("a", "test").ok());
  EXPECT_FALSE(credentials.Load("b", "other").ok());
  const auto renewed = kube::testing::MakeCertificate(ca, "gateway");
  folder.Write("tls.crt", renewed.cert_pem);
  EXPECT_THAT(Text(credentials.Load("a", "other").status()), HasSubstr("cannot be used"));
  folder.Write("tls.key", renewed.key_pem);
  EXPECT_EQ(credentials.Load("a", "other")->key, renewed.key_pem);
}

}  // namespace
}  // namespace xebec::gateway
