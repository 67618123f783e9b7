// SPDX-License-Identifier: Apache-2.0
// Callers who open calls and then do nothing.
#include <memory>
#include <string>
#include <vector>

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/client/unary_call.h"
#include "common/rpc/server/server.h"
#include "common/rpc/status_map.h"
#include "common/rpc/testing/fake_services.h"
#include "grpc/health/v1/health.pb.h"
#include "grpcpp/impl/codegen/proto_utils.h"
#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kWatch[] = "/grpc.health.v1.Health/Watch";
constexpr char kDescribe[] = "/xebec.v1.PlannerService/DescribeKinds";
constexpr char kReflect[] = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr int kMany = 40;

/// A call that the caller leaves open. The method may be of any type and have any messages.
class HeldCall {
 public:
  HeldCall(const std::shared_ptr<grpc::Channel>& channel, const char* method)
      : context_(MakeCallContext(kTestTimeout)),
        stream_(grpc::internal::ClientReaderWriterFactory<HealthCheckRequest, HealthCheckResponse>::
                    Create(channel.get(),
                           grpc::internal::RpcMethod(
                               method, grpc::internal::RpcMethod::BIDI_STREAMING, channel),
                           context_.get())) {}
  ~HeldCall() { context_->TryCancel(); }

  /// Has no effect if the call has ended.
  void SendRequest() { stream_->Write({}); }
  /// Returns UNKNOWN if the call has ended.
  HealthCheckResponse::ServingStatus Read() {
    HealthCheckResponse health;
    return stream_->Read(&health) ? health.status() : HealthCheckResponse::UNKNOWN;
  }
  grpc::Status End() {
    HealthCheckResponse ignored;
    while (stream_->Read(&ignored)) {
    }
    return stream_->Finish();
  }

 private:
  const std::unique_ptr<grpc::ClientContext> context_;
  const std::unique_ptr<grpc::ClientReaderWriter<HealthCheckRequest, HealthCheckResponse>> stream_;
};

class HeldCallsTest : public testing::Test {
 protected:
  HeldCallsTest() {
    ServerOptions options;
    options.listen = {"unix:" + SocketPath("s")};
    options.max_calls = 6;
    options.reflection = true;
    options.observer = [this](const CallEvent& event) {
      if (event.what == CallEvent::What::kStarted) started_.With([](int& count) { ++count; });
    };
    server_ = *Server::Start(options, {&planner_});
    channel_ = MakeChannel({server_->addresses()[0], ""}, {});
  }

  /// Opens many calls and waits until the server has them.
  void Hold(const char* method) {
    const int before = started_.With([](int& count) { return count; });
    for (int i = 0; i < kMany; ++i) held_.push_back(std::make_unique<HeldCall>(channel_, method));
    EXPECT_TRUE(started_.Await([&](int count) { return count >= before + kMany; }));
  }

  absl::Status Describe() { return CallUnary(channel_, kDescribe, "", kTestTimeout).status(); }
  absl::Status Stream() {
    const auto context = MakeCallContext(kTestTimeout);
    const auto stream = v1::PlannerService::NewStub(channel_)->PlanStream(context.get());
    stream->Write({});
    v1::PlanStreamResponse response;
    if (stream->Read(&response)) return absl::OkStatus();
    return FromGrpc(stream->Finish());
  }

  Watched<int> started_;
  FakePlanner planner_{"r1"};
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::vector<std::unique_ptr<HeldCall>> held_;
};

TEST_F(HeldCallsTest, WatchersOfTheHealthKeepNoOtherCallOut) {
  Hold(kWatch);
  for (const auto& held : held_) held->SendRequest();
  EXPECT_EQ(held_.back()->Read(), HealthCheckResponse::NOT_SERVING);
  EXPECT_TRUE(Describe().ok()) << Describe();
  EXPECT_TRUE(Stream().ok()) << Stream();
  EXPECT_TRUE(CallUnary(channel_, kCheck, "", kTestTimeout).ok()) << "nor out of their own service";
  EXPECT_EQ(held_.front()->End().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(HeldCallsTest, HealthChecksAndReflectionKeepNoOtherCallOut) {
  Hold(kCheck);
  Hold(kReflect);
  EXPECT_TRUE(Describe().ok()) << Describe();
  EXPECT_TRUE(Stream().ok()) << Stream();
  EXPECT_TRUE(CallUnary(channel_, kCheck, "", kTestTimeout).ok());
}

TEST_F(HeldCallsTest, UnaryCallsWithoutRequestKeepNoOtherCallOut) {
  Hold(kDescribe);
  EXPECT_TRUE(Describe().ok()) << Describe();
  EXPECT_TRUE(Stream().ok()) << Stream();
  EXPECT_EQ(held_.front()->End().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(HeldCallsTest, StopTellsTheHealthAndEndsHeldCallsItself) {
  HeldCall watch(channel_, kWatch), describe(channel_, kDescribe), reflect(channel_, kReflect);
  watch.SendRequest();
  EXPECT_EQ(watch.Read(), HealthCheckResponse::NOT_SERVING);
  server_->SetServing(true);
  EXPECT_EQ(watch.Read(), HealthCheckResponse::SERVING);
  EXPECT_TRUE(started_.Await([](int count) { return count >= 3; }));
  server_->Stop(absl::Seconds(5));
  EXPECT_EQ(watch.Read(), HealthCheckResponse::NOT_SERVING);
  for (HeldCall* held : {&watch, &describe, &reflect}) {
    const grpc::Status end = held->End();
    EXPECT_EQ(end.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(end.error_message(), "the server is stopping") << "not cancelled at the deadline";
  }
}

}  // namespace
}  // namespace xebec::rpc
