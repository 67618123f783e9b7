// SPDX-License-Identifier: Apache-2.0
// The stream between watcher and gateway.
#include "hooks/service/call_stream.h"

#include <thread>

#include "common/rpc/server/message_bytes.h"
#include "common/rpc/testing/stalled_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/fake_hook.h"
#include "hooks/service/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using namespace gateway::testing;
using rpc::testing::StalledStream;
using ::testing::HasSubstr;

TEST(CallStream, GrantsCreditsAndReturnsThem) {
  FakeHook hook({});
  Settings settings = OnLoopback();
  settings.credits_per_stream = 4;
  GatewayRig rig(settings);
  rig.Await(rig.Send(At(hook.address()), RequestFor("a")));
  EXPECT_EQ(rig.credits(), 5u);
  const uint64_t poll = rig.Poll(At(hook.address()), {true, "v1", ""}, absl::Milliseconds(50));
  rig.Await(poll);
  EXPECT_EQ(rig.credits(), 6u) << "at once, and not again with the reply";
}

TEST(CallStream, AnswersHeartbeats) {
  GatewayRig rig;
  v1::CallStreamResponse message;
  ASSERT_TRUE(rig.stream().Read(&message));
  EXPECT_EQ(message.credits(), 256u);
  rig.Write({});
  ASSERT_TRUE(rig.stream().Read(&message));
  EXPECT_EQ(message.sequence(), 0u);
  EXPECT_EQ(message.credits(), 0u);
}

TEST(CallStream, EndsIfMoreCallsArriveThanCreditsAllow) {
  FakeHook hook({.behaviour = [](const std::string&) { return std::nullopt; }});
  Settings settings = OnLoopback();
  settings.credits_per_stream = 1;
  GatewayRig rig(settings);
  rig.Send(At(hook.address()), RequestFor("a"));
  rig.Send(At(hook.address()), RequestFor("b"));
  EXPECT_EQ(rig.End(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(CallStream, NamesTheMalformedFieldAndStaysOpen) {
  FakeHook hook({});
  GatewayRig rig;
  HookCall call;
  call.endpoint = At(hook.address());
  call.sync_request = "\xff";
  call.timeout = absl::Seconds(1);
  EXPECT_THAT(rig.Await(rig.SendCall(call)).error(), HasSubstr("call.sync_request"));
  call.endpoint = At("");
  EXPECT_THAT(rig.Await(rig.SendCall(call)).error(), HasSubstr("call.endpoint"));
  EXPECT_NE(rig.Answer(rig.Send(At(hook.address()), RequestFor("a"))), "");
}

TEST(CallStream, ADrainAnswersSyncCallsAndThenEndsTheStream) {
  FakeHook hook({.behaviour = [](const std::string& request) -> std::optional<SyncReply> {
    if (request.find("hold") != std::string::npos) return std::nullopt;
    return Desire("{}");
  }});
  GatewayRig rig;
  rig.Await(rig.Send(At(hook.address()), RequestFor("a")));
  rig.Poll(At(hook.address()), {true, "v1", ""});
  const uint64_t held = rig.Send(At(hook.address()), RequestFor("hold"), absl::Milliseconds(300));
  hook.AwaitSyncs(2);
  std::thread drain([&] { rig.service().Drain(absl::Seconds(30)); });
  EXPECT_EQ(rig.Failure(held).code, HookFailureCode::kTimeout);
  EXPECT_EQ(rig.End(), grpc::StatusCode::UNAVAILABLE);
  drain.join();
}

class StalledCallStreamTest : public ::testing::Test {
 protected:
  ~StalledCallStreamTest() override { stream_->OnDone(); }

  void Open(uint32_t credits) {
    stream_ = std::make_shared<CallStream>(&loop_, &open_, credits, wire_);
    stream_->OnOpen();
  }
  void Send(const v1::CallStreamRequest& request) {
    grpc::ByteBuffer message = rpc::EncodeMessage(request);
    stream_->OnRead(&message);
  }
  /// Sends a call that cannot be decoded, which the stream itself answers, with its credit.
  void SendCall() {
    v1::CallStreamRequest request;
    request.set_sequence(++sequence_);
    request.mutable_call();
    Send(request);
  }

  telemetry::Registry registry_;
  GatewayMetrics metrics_{&registry_};
  GatewayLoop loop_{*Resolve(OnLoopback(), ""), &metrics_};
  rpc::OpenStreams<CallStream> open_;
  uint64_t sequence_ = 0;
  const std::shared_ptr<StalledStream> wire_ = std::make_shared<StalledStream>();
  std::shared_ptr<CallStream> stream_;
};

TEST_F(StalledCallStreamTest, ReadsNoMoreWhileItsWatcherReadsNothing) {
  Open(8);
  for (int last = 0; last < wire_->reads && last < 1000; SendCall()) last = wire_->reads;
  EXPECT_EQ(wire_->writes, 64) << "the credits and 63 answers";
  EXPECT_EQ(wire_->reads, 63);
  stream_->OnWritten();
  EXPECT_EQ(wire_->reads, 64);
  SendCall();
  EXPECT_EQ(wire_->writes, 65);
  EXPECT_EQ(wire_->reads, 64);
}

TEST_F(StalledCallStreamTest, DoesNotEndWhileCallsMayWaitToBeRead) {
  Open(0);
  for (int last = 0; last < wire_->reads && last < 1000; Send({})) last = wire_->reads;
  stream_->BeginDrain();
  stream_->EndIfQuiet();
  EXPECT_FALSE(wire_->finished);
  stream_->OnWritten();
  stream_->EndIfQuiet();
  EXPECT_TRUE(wire_->finished);
}

}  // namespace
}  // namespace xebec::gateway
