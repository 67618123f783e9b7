// SPDX-License-Identifier: Apache-2.0
#include "applier/service/applier_service.h"

#include <atomic>
#include <memory>
#include <thread>

#include "applier/engine/testing/plan_builder.h"
#include "applier/service/testing/fake_gateway.h"
#include "common/base/clock.h"
#include "common/codec/codec.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xebec/v1/applier.grpc.pb.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// A whole service without sockets, before a fake API server.
class ApplierServiceTest : public ::testing::Test {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::ApplyStreamRequest, v1::ApplyStreamResponse>;

  explicit ApplierServiceTest(DispatcherOptions options = {.credits_per_stream = 8})
      : loop_(
            std::move(options),
            [this](kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
              gateway_.Send(std::move(request), std::move(done));
            },
            [](const PlanEnded&) {}),
        service_(&loop_) {
    server_ = *rpc::Server::Start({.listen = {"127.0.0.1:0"}}, {&service_});
    stub_ = v1::ApplierService::NewStub(server_->InProcessChannel());
  }

  ~ApplierServiceTest() override {
    gateway_.LetGo();
    server_.reset();
    loop_.Stop();
  }

  static v1::Plan Encoded(uint64_t sequence, std::vector<std::vector<Operation>> stages) {
    Plan plan = MakePlan(std::move(stages));
    plan.envelope.sequence = sequence;
    plan.envelope.not_after = absl::InfiniteFuture();
    v1::Plan encoded;
    codec::EncodePlan(plan, codec::ObjectForm::kJson, &encoded);
    return encoded;
  }

  void OpenStream() {
    context_ = rpc::MakeStreamContext();
    stream_ = stub_->ApplyStream(context_.get());
    ASSERT_TRUE(stream_->Read(&response_));
    gateway_.AwaitSent(1);  // the loop has probed the API server: what waits later is a plan's
  }

  void SendPlan(uint64_t sequence, std::vector<std::vector<Operation>> stages) {
    v1::ApplyStreamRequest request;
    *request.mutable_plan() = Encoded(sequence, std::move(stages));
    ASSERT_TRUE(stream_->Write(request));
  }

  FakeGateway gateway_{ServerWithParent()};
  DispatchLoop loop_;
  ApplierServiceImpl service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::ApplierService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  v1::ApplyStreamResponse response_;
};

TEST_F(ApplierServiceTest, StreamIsGrantedCreditsAndGetsThemBackWithReports) {
  OpenStream();
  EXPECT_EQ(response_.credits(), 8u);
  EXPECT_EQ(response_.capabilities_size(), 4);
  EXPECT_FALSE(response_.has_report());
  SendPlan(7, {{CreateOp(ConfigMap("a"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.sequence(), 7u);
  EXPECT_EQ(response_.credits(), 1u);
  ASSERT_EQ(response_.report().outcomes_size(), 1);
  EXPECT_EQ(response_.report().outcomes(0).code(), v1::OUTCOME_CODE_CREATED);
  EXPECT_TRUE(gateway_.Has(PathOf("a")));
}

TEST_F(ApplierServiceTest, PlanThatIsSentBeforeTheCreditsArriveIsCarriedOut) {
  for (int i = 0; i < 50; ++i) {
    context_ = rpc::MakeStreamContext();
    stream_ = stub_->ApplyStream(context_.get());
    SendPlan(7, {{CreateOp(ConfigMap("a"))}});
    while (stream_->Read(&response_) && !response_.has_report()) continue;
    ASSERT_TRUE(response_.has_report()) << "stream " << i;
    context_->TryCancel();
    (void)stream_->Finish();
  }
}

TEST_F(ApplierServiceTest, HeartbeatIsAnswered) {
  OpenStream();
  ASSERT_TRUE(stream_->Write({}));
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.sequence(), 0u);
  EXPECT_EQ(response_.credits(), 0u);
  EXPECT_FALSE(response_.has_report());
}

TEST_F(ApplierServiceTest, UnreadablePlanIsAnsweredWithTheFieldAndTheStreamGoesOn) {
  OpenStream();
  v1::ApplyStreamRequest request;
  *request.mutable_plan() = Encoded(1, {{CreateOp(ConfigMap("a"))}});
  request.mutable_plan()->mutable_stages(0)->mutable_operations(0)->clear_apply();
  ASSERT_TRUE(stream_->Write(request));
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.sequence(), 1u);
  EXPECT_EQ(response_.credits(), 1u);
  EXPECT_FALSE(response_.has_report());
  EXPECT_THAT(response_.error(), HasSubstr("stages[0].operations[0]"));
  SendPlan(2, {{CreateOp(ConfigMap("b"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.report().outcomes(0).code(), v1::OUTCOME_CODE_CREATED);
}

TEST_F(ApplierServiceTest, SecondPlanWithTheSameSequenceIsFenced) {
  OpenStream();
  SendPlan(1, {{CreateOp(ConfigMap("a"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  SendPlan(1, {{CreateOp(ConfigMap("b"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.report().outcomes(0).code(), v1::OUTCOME_CODE_FENCED);
  EXPECT_FALSE(gateway_.Has(PathOf("b")));
}

TEST_F(ApplierServiceTest, HalfClosedStreamStillGetsItsReports) {
  OpenStream();
  gateway_.Hold();
  SendPlan(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}});
  gateway_.AwaitHeld(1);
  stream_->WritesDone();
  gateway_.LetGo();
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.report().outcomes(1).code(), v1::OUTCOME_CODE_CREATED);
  EXPECT_FALSE(stream_->Read(&response_));
  EXPECT_TRUE(stream_->Finish().ok());
}

TEST_F(ApplierServiceTest, BrokenStreamStartsNothingMore) {
  OpenStream();
  SendPlan(1, {{CreateOp(ConfigMap("warm"))}});  // the Lease is known from here on
  ASSERT_TRUE(stream_->Read(&response_));
  gateway_.Hold();
  SendPlan(2, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}});
  gateway_.AwaitHeld(1);
  context_->TryCancel();
  EXPECT_FALSE(stream_->Read(&response_));
  stream_->Finish();
  service_.Drain(absl::Seconds(60));  // the handler has returned: the stream's end has been seen
  gateway_.LetGo();
  loop_.Drain(absl::Seconds(60));
  EXPECT_TRUE(gateway_.Has(PathOf("a")));
  EXPECT_FALSE(gateway_.Has(PathOf("b")));
}

TEST_F(ApplierServiceTest, DrainReportsWhatRunsAndEndsTheStream) {
  OpenStream();
  gateway_.Hold();
  SendPlan(1, {{CreateOp(ConfigMap("a"))}});
  gateway_.AwaitHeld(1);
  std::thread drain([this] {
    loop_.Drain(absl::Seconds(60));
    service_.Drain(absl::Seconds(60));
  });
  gateway_.LetGo();
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.report().outcomes(0).code(), v1::OUTCOME_CODE_CREATED);
  EXPECT_FALSE(stream_->Read(&response_));
  drain.join();
  EXPECT_FALSE(stream_->Finish().ok());
}

TEST_F(ApplierServiceTest, PlansThatWereUnderWayWhenItBeganToDrainAreReportedAndGiveNoCredit) {
  OpenStream();
  service_.BeginDrain();
  loop_.Drain(absl::Seconds(60));
  for (const uint64_t sequence : {1, 2, 3}) SendPlan(sequence, {{CreateOp(ConfigMap("a"))}});
  for (const uint64_t sequence : {1, 2, 3}) {
    ASSERT_TRUE(stream_->Read(&response_));
    EXPECT_EQ(response_.sequence(), sequence);
    EXPECT_EQ(response_.report().outcomes(0).code(), v1::OUTCOME_CODE_NOT_STARTED);
    EXPECT_EQ(response_.credits(), 0);
  }
  service_.Drain(absl::Seconds(60));
  EXPECT_FALSE(stream_->Read(&response_));
  EXPECT_FALSE(stream_->Finish().ok());
}

TEST_F(ApplierServiceTest, ApiIsReachableOnceItHasAnswered) {
  OpenStream();
  SendPlan(1, {{CreateOp(ConfigMap("a"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(loop_.Problem(), "");
}

class ScarceCreditTest : public ApplierServiceTest {
 protected:
  ScarceCreditTest() : ApplierServiceTest({.credits_total = StreamCredits::kFirst + 1}) {}
};

TEST_F(ScarceCreditTest, AnIdleStreamGivesTheCreditBackThatItGotWhenItWasBusy) {
  OpenStream();
  EXPECT_EQ(response_.credits(), StreamCredits::kFirst);
  SendPlan(1, {{CreateOp(ConfigMap("a"))}});
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.credits(), 1u) << "one more";
  ASSERT_TRUE(stream_->Read(&response_));
  EXPECT_EQ(response_.sequence(), 1u);
  EXPECT_EQ(response_.credits(), 0u) << "not returned";
}

class SmallCreditTest : public ApplierServiceTest {
 protected:
  SmallCreditTest() : ApplierServiceTest({.credits_per_stream = 1, .credits_total = 1}) {}
};

TEST_F(SmallCreditTest, StreamThatIgnoresItsCreditsIsEnded) {
  OpenStream();
  gateway_.Hold();
  for (uint64_t i = 1; i <= 40; ++i) {
    v1::ApplyStreamRequest request;
    *request.mutable_plan() = Encoded(i, {{CreateOp(ConfigMap("a"))}});
    if (!stream_->Write(request)) break;
  }
  while (stream_->Read(&response_)) {
  }
  EXPECT_EQ(stream_->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(DispatchLoop, StopsWithAPlanThatNeverEnds) {
  DispatchLoop loop(
      {}, [](kube::ApiRequest, std::function<void(kube::ApiResponse)>) {}, [](const PlanEnded&) {});
  std::atomic<int> reports{0};
  const StreamKey stream = loop.Open({.on_open = [] {},
                                      .on_ended = [&](const PlanEnded&) { ++reports; },
                                      .on_credits = [](uint32_t) {}});
  loop.Submit(stream, 1, MakePlan({{CreateOp(ConfigMap("a"))}}));
  loop.Drain(absl::Milliseconds(1));
  loop.Stop();
  loop.Submit(stream, 2, MakePlan({}));
  loop.Close(stream);
  EXPECT_LE(reports, 1) << "a plan after the end has no report";
}

}  // namespace
}  // namespace xebec::applier
