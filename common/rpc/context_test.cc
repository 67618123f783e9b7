// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/context.h"

#include "common/base/clock.h"
#include "common/rpc/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// Remembers what a call carried.
class ContextReader : public v1::PlannerService::Service {
 public:
  grpc::Status DescribeKinds(grpc::ServerContext* context, const v1::DescribeKindsRequest*,
                             v1::DescribeKindsResponse*) override {
    pass_id = PassIdOf(*context);
    stream = StreamNameOf(*context);
    deadline = absl::FromChrono(context->deadline());
    return grpc::Status::OK;
  }
  std::string pass_id, stream;
  absl::Time deadline;
};

class ContextTest : public testing::Test {
 protected:
  ContextTest() { server_ = *Server::Start({}, {&reader_}); }

  void CallWith(grpc::ClientContext* context) {
    const auto stub = v1::PlannerService::NewStub(server_->InProcessChannel());
    v1::DescribeKindsResponse response;
    const grpc::Status status = stub->DescribeKinds(context, {}, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  ContextReader reader_;
  std::unique_ptr<Server> server_;
};

TEST_F(ContextTest, ACallCarriesItsPassIdAndADeadline) {
  const absl::Time before = ReadClock().wall;
  CallWith(MakeCallContext(kPatience, "pass-7").get());
  EXPECT_EQ(reader_.pass_id, "pass-7");
  EXPECT_GT(reader_.deadline, before);
  EXPECT_LE(reader_.deadline, ReadClock().wall + kPatience + absl::Seconds(1));
}

TEST_F(ContextTest, ACallWithoutAPassIdCarriesNone) {
  CallWith(MakeCallContext(kPatience, "").get());
  EXPECT_EQ(reader_.pass_id, "");
}

TEST_F(ContextTest, AStreamCarriesItsNameAndNoDeadline) {
  CallWith(MakeStreamContext("planner").get());
  EXPECT_EQ(reader_.stream, "planner");
  EXPECT_GT(reader_.deadline, ReadClock().wall + absl::Hours(24 * 365));
}

TEST_F(ContextTest, WhatMetadataMayNotCarryIsLeftOut) {
  CallWith(
      MakeCallContext(kPatience, std::string("a\r\nb\x01\xff") + std::string(1000, 'c')).get());
  EXPECT_EQ(reader_.pass_id.substr(0, 3), "abc");
  EXPECT_LE(reader_.pass_id.size(), 256u);
}

}  // namespace
}  // namespace xebec::rpc
