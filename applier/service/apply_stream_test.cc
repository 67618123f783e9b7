// SPDX-License-Identifier: Apache-2.0
#include "applier/service/apply_stream.h"

#include <memory>

#include "common/rpc/server/message_bytes.h"
#include "gtest/gtest.h"
#include "xebec/v1/applier.pb.h"

namespace xebec::applier {
namespace {

/// The stream of a client that reads nothing.
class StalledStream : public rpc::ServerStream {
 public:
  void Read() override { ++reads; }
  void Write(grpc::ByteBuffer) override { ++writes; }
  void Finish(const grpc::Status&) override { finished = true; }
  void WriteAndFinish(grpc::ByteBuffer, const grpc::Status&) override { finished = true; }
  bool over() const override { return false; }
  size_t max_message_bytes() const override { return 1 << 20; }

  int reads = 0, writes = 0;
  bool finished = false;
};

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

}  // namespace
}  // namespace xebec::applier
