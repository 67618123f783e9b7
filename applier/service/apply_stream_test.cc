// SPDX-License-Identifier: Apache-2.0
#include "applier/service/apply_stream.h"

#include <atomic>
#include <future>
#include <memory>

#include "applier/engine/testing/plan_builder.h"
#include "applier/service/testing/fake_gateway.h"
#include "common/codec/codec.h"
#include "common/rpc/server/message_bytes.h"
#include "common/rpc/testing/stalled_stream.h"
#include "gtest/gtest.h"
#include "xebec/v1/applier.pb.h"

namespace xebec::applier {
namespace {

using rpc::testing::StalledStream;

class ApplyStreamTest : public ::testing::Test {
 protected:
  void Heartbeat() {
    grpc::ByteBuffer message = rpc::EncodeMessage(v1::ApplyStreamRequest());
    stream_->OnRead(&message);
  }
  /// Heartbeats until nothing is read any more.
  void Stall() {
    for (int last = -1; last < wire_->reads;) {
      last = wire_->reads;
      Heartbeat();
    }
  }

  const std::shared_ptr<StalledStream> wire_ = std::make_shared<StalledStream>();
  const std::shared_ptr<ApplyStream> stream_ =
      std::make_shared<ApplyStream>(nullptr, nullptr, wire_);
};

TEST_F(ApplyStreamTest, ReadsNoMoreWhileItsClientReadsNothing) {
  Stall();
  EXPECT_EQ(wire_->writes, 64);
  EXPECT_EQ(wire_->reads, 63);
  stream_->OnWritten();
  EXPECT_EQ(wire_->reads, 64);
  Heartbeat();
  EXPECT_EQ(wire_->writes, 65) << "every heartbeat is answered";
  EXPECT_EQ(wire_->reads, 64);
}

TEST_F(ApplyStreamTest, DoesNotEndWhilePlansMayWaitToBeRead) {
  Stall();
  stream_->BeginDrain();
  stream_->EndIfQuiet();
  EXPECT_FALSE(wire_->finished);
  stream_->OnWritten();
  stream_->EndIfQuiet();
  EXPECT_TRUE(wire_->finished);
}

/// A stream whose server may be gone.
class OrphanedStream : public rpc::ServerStream {
 public:
  void Read() override {
    if (++reads == 1) opened.set_value();
  }
  void Write(grpc::ByteBuffer) override {
    if (++writes == 2) reported.set_value();
  }
  void Finish(const grpc::Status&) override {}
  void WriteAndFinish(grpc::ByteBuffer, const grpc::Status&) override {}
  bool over() const override { return gone; }
  size_t max_message_bytes() const override {
    EXPECT_FALSE(gone) << "the server knows the limit, and it is gone";
    return 1 << 20;
  }

  std::atomic<bool> gone{false};
  std::atomic<int> reads{0};
  std::atomic<int> writes{0};  ///< The credits, then the report.
  std::promise<void> opened, reported;
};

TEST(ApplyStream, APlanMayEndWhenTheServerIsGone) {
  testing::FakeGateway gateway(testing::ServerWithParent());
  DispatchLoop loop(
      {.credits_per_stream = 8},
      [&](kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
        gateway.Send(std::move(request), std::move(done));
      },
      [](const PlanEnded&) {});
  rpc::OpenStreams<ApplyStream> open;
  const auto wire = std::make_shared<OrphanedStream>();
  const auto stream = std::make_shared<ApplyStream>(&loop, &open, wire);
  stream->OnOpen();
  wire->opened.get_future().wait();
  wire->gone = true;
  Plan plan = testing::MakePlan({{testing::CreateOp(testing::ConfigMap("a"))}});
  plan.envelope.not_after = absl::InfiniteFuture();
  v1::ApplyStreamRequest request;
  codec::EncodePlan(plan, codec::ObjectForm::kJson, request.mutable_plan());
  grpc::ByteBuffer message = rpc::EncodeMessage(request);
  stream->OnRead(&message);
  wire->reported.get_future().wait();
  stream->OnDone();
  loop.Stop();
}

}  // namespace
}  // namespace xebec::applier
