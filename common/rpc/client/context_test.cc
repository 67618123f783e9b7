// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/client/context.h"

#include "common/base/clock.h"
#include "common/rpc/testing/fake_services.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// Remembers the deadline of a call.
class ContextReader : public v1::PlannerService::Service {
 public:
  grpc::Status DescribeKinds(grpc::ServerContext* context, const v1::DescribeKindsRequest*,
                             v1::DescribeKindsResponse*) override {
    deadline = absl::FromChrono(context->deadline());
    return grpc::Status::OK;
  }
  absl::Time deadline;
};

class ContextTest : public testing::Test {
 protected:
  ContextTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&reader_);
    server_ = builder.BuildAndStart();
  }

  void CallWith(grpc::ClientContext* context) {
    const auto stub = v1::PlannerService::NewStub(server_->InProcessChannel({}));
    v1::DescribeKindsResponse response;
    const grpc::Status status = stub->DescribeKinds(context, {}, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  ContextReader reader_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ContextTest, ACallHasADeadline) {
  const absl::Time before = ReadClock().wall;
  CallWith(MakeCallContext(kTestTimeout).get());
  EXPECT_GT(reader_.deadline, before);
  EXPECT_LE(reader_.deadline, ReadClock().wall + kTestTimeout + absl::Seconds(1));
}

TEST_F(ContextTest, AStreamHasNoDeadline) {
  CallWith(MakeStreamContext().get());
  EXPECT_GT(reader_.deadline, ReadClock().wall + absl::Hours(24 * 365));
}

}  // namespace
}  // namespace xebec::rpc
