// SPDX-License-Identifier: Apache-2.0
#include "planner/service/planner_service.h"

#include <atomic>
#include <exception>
#include <fstream>
#include <latch>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "common/codec/codec.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/client/unary_call.h"
#include "common/rpc/server/server.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "planner/kinds/built_in.h"
#include "planner/service/revision.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::planner {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(60);

/// Where a plan of the kind Slow waits until the test lets it go.
struct Gate {
  std::latch entered{1};
  std::latch open{1};
};
std::atomic<Gate*> gate = nullptr;

DesiredState Throw(const View&) {
  std::rethrow_exception(std::make_exception_ptr(std::runtime_error("boom")));
}
DesiredState ThrowOdd(const View&) { std::rethrow_exception(std::make_exception_ptr(42)); }
DesiredState Wait(const View&) {
  Gate& slow = *gate.load();
  slow.entered.count_down();
  slow.open.wait();
  return {};
}
DesiredState Bulky(const View& view) {
  DesiredState state;
  state.status["text"] = std::string(20'000, 'x') + view.name;
  return state;
}

Kind MakeKind(const std::string& name, DesiredState (*desired)(const View&)) {
  Kind kind;
  kind.description.controller = name + ".test";
  kind.description.parent = {"test", "v1", name, name + "s", false};
  kind.desired = desired;
  return kind;
}

KindRegistry TestKinds() {
  KindRegistry kinds = BuiltInKinds();
  kinds.Register(MakeKind("Throwing", Throw));
  kinds.Register(MakeKind("Odd", ThrowOdd));
  kinds.Register(MakeKind("Slow", Wait));
  kinds.Register(MakeKind("Bulky", Bulky));
  return kinds;
}

v1::Observation Observe(const std::string& kind, uint64_t sequence) {
  v1::Observation observation;
  observation.mutable_envelope()->set_sequence(sequence);
  observation.mutable_envelope()->set_controller(kind + ".test");
  observation.mutable_envelope()->set_reconcile_id("reconcile-" + std::to_string(sequence));
  const std::string version = kind == "Iris" ? "test.myardyas.club/v1alpha1" : "test/v1";
  observation.mutable_parent()->set_json(R"({"apiVersion":")" + version + R"(","kind":")" + kind +
                                         R"(","metadata":{"name":"x","namespace":"default"}})");
  return observation;
}

v1::PlanStreamRequest Request(const std::string& kind, uint64_t sequence) {
  v1::PlanStreamRequest request;
  *request.mutable_observation() = Observe(kind, sequence);
  return request;
}

class PlannerServiceTest : public testing::Test {
 protected:
  using Stream = grpc::ClientReaderWriterInterface<v1::PlanStreamRequest, v1::PlanStreamResponse>;

  PlannerServiceTest() {
    rpc::ServerOptions options;
    options.threads = 2;
    options.max_message_bytes = 10'000;
    auto server = rpc::Server::Start(options, {&service_});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    stub_ = v1::PlannerService::NewStub(server_->InProcessChannel());
  }

  grpc::Status Plan(const v1::Observation& observation, v1::Plan* plan) {
    const auto context = rpc::MakeCallContext(kTimeout);
    v1::PlanRequest request;
    *request.mutable_observation() = observation;
    v1::PlanResponse response;
    const grpc::Status status = stub_->Plan(context.get(), request, &response);
    *plan = response.plan();
    return status;
  }

  bool Counted(const std::string& sample) {
    return registry_.Scrape().find(sample) != std::string::npos;
  }

  std::unique_ptr<Stream> Open() {
    contexts_.push_back(rpc::MakeStreamContext());
    return stub_->PlanStream(contexts_.back().get());
  }

  telemetry::Registry registry_;
  const KindRegistry kinds_ = TestKinds();
  const PlannerMetrics metrics_{&registry_, kinds_};
  const PlanMaker maker_{kinds_, "rev-1", &metrics_};
  PlannerServiceImpl service_{&maker_};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::PlannerService::Stub> stub_;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts_;
};

TEST_F(PlannerServiceTest, TheExampleRequestGetsAReadablePlan) {
  std::ifstream file("examples/iris/request.json");
  std::stringstream text;
  text << file.rdbuf();
  v1::PlanRequest request;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text.str(), &request).ok());
  v1::Plan plan;
  ASSERT_TRUE(Plan(request.observation(), &plan).ok());
  ASSERT_EQ(plan.stages_size(), 1);
  const v1::Object& object = plan.stages(0).operations(0).apply().object();
  ASSERT_TRUE(object.has_object()) << "sent as a JSON object, answered as a JSON object";
  EXPECT_EQ(object.object().fields().at("kind").string_value(), "Deployment");
  EXPECT_EQ(plan.planner_revision(), "rev-1");
  EXPECT_GT(plan.notes_size(), 0) << "says what is missing to apply it";
}

TEST_F(PlannerServiceTest, BytesAreAnsweredWithBytes) {
  v1::Plan plan;
  ASSERT_TRUE(Plan(Observe("Iris", 7), &plan).ok());
  EXPECT_TRUE(plan.stages(0).operations(0).apply().object().has_json());
  EXPECT_EQ(plan.envelope().sequence(), 7u);
  EXPECT_EQ(plan.envelope().reconcile_id(), "reconcile-7");
}

TEST_F(PlannerServiceTest, AnUnreadableRequestIsAnInvalidArgumentThatNamesTheField) {
  v1::Observation observation = Observe("Iris", 1);
  observation.mutable_parent()->set_json("{");
  v1::Plan plan;
  const grpc::Status status = Plan(observation, &plan);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("observation.parent"));
  EXPECT_TRUE(Counted("xebec_plan_unreadable_total 1"));
}

TEST_F(PlannerServiceTest, AKindThatThrowsIsTriedAgainAndCounted) {
  v1::Plan plan;
  ASSERT_TRUE(Plan(Observe("Throwing", 1), &plan).ok());
  EXPECT_EQ(plan.verdict(), v1::VERDICT_RETRY);
  EXPECT_EQ(plan.stages_size(), 0);
  EXPECT_TRUE(Counted(R"(reconcile_panics_total{controller="Throwing.test"} 1)"));
}

TEST_F(PlannerServiceTest, WhateverElseIsThrownIsAnInternalErrorAndCounted) {
  v1::Plan plan;
  EXPECT_EQ(Plan(Observe("Odd", 1), &plan).error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_TRUE(Counted(R"(reconcile_panics_total{controller="Odd.test"} 1)"));
}

TEST_F(PlannerServiceTest, DescribeKindsTellsRevisionAndKinds) {
  const auto context = rpc::MakeCallContext(kTimeout);
  v1::DescribeKindsResponse response;
  ASSERT_TRUE(stub_->DescribeKinds(context.get(), {}, &response).ok());
  const auto description = codec::DecodeDescription(response);
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ(description->revision, "rev-1");
  EXPECT_EQ(description->kinds.size(), kinds_.kinds().size());
  EXPECT_EQ(description->kinds.front(), kinds_.kinds().front().description);
  EXPECT_EQ(codec::DecodeCapabilities(response.capabilities()), Capabilities{});
  EXPECT_EQ(response.capabilities_size(), 4);
}

TEST_F(PlannerServiceTest, EveryObservationOfAStreamIsAnsweredOnceAndHeartbeatsByHeartbeats) {
  const auto stream = Open();
  std::thread writer([&] {
    for (uint64_t sequence = 1; sequence <= 500; ++sequence) {
      stream->Write(Request("Iris", sequence));
      if (sequence % 100 == 0) stream->Write({});
    }
    stream->WritesDone();
  });
  std::set<uint64_t> answered;
  int heartbeats = 0;
  v1::PlanStreamResponse response;
  while (stream->Read(&response)) {
    if (!response.has_plan()) {
      ++heartbeats;
      continue;
    }
    EXPECT_EQ(response.sequence(), response.plan().envelope().sequence());
    EXPECT_TRUE(answered.insert(response.sequence()).second);
  }
  writer.join();
  EXPECT_EQ(answered.size(), 500u);
  EXPECT_EQ(heartbeats, 5);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(PlannerServiceTest, OneBadObservationHarmsNoOther) {
  const auto stream = Open();
  v1::PlanStreamRequest unreadable = Request("Iris", 1);
  unreadable.mutable_observation()->clear_parent();
  stream->Write(unreadable);
  stream->Write(Request("Odd", 2));
  stream->Write(Request("Bulky", 3));
  stream->Write(Request("Iris", 4));
  stream->WritesDone();
  std::map<uint64_t, v1::PlanStreamResponse> answers;
  v1::PlanStreamResponse response;
  while (stream->Read(&response)) answers[response.sequence()] = response;
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_THAT(answers[1].error(), HasSubstr("observation.parent"));
  EXPECT_THAT(answers[2].error(), HasSubstr("bug of the planner"));
  EXPECT_THAT(answers[3].error(), HasSubstr("at most 10000"));
  EXPECT_TRUE(answers[4].has_plan());
  for (const uint64_t sequence : {1, 2, 3}) EXPECT_FALSE(answers[sequence].has_plan());
}

TEST_F(PlannerServiceTest, ACallerThatDoesNotReadHoldsUpNobodyElse) {
  const auto stream = Open();
  std::atomic<int> written{0};
  std::thread writer([&] {
    while (stream->Write(Request("Iris", 1))) ++written;
  });
  while (written < 50) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    v1::Plan plan;
    EXPECT_TRUE(Plan(Observe("Iris", 1), &plan).ok());
  }
  contexts_.back()->TryCancel();
  writer.join();
  stream->Finish();
}

TEST_F(PlannerServiceTest, DrainAnswersWhatWasReadAndThenEndsTheStream) {
  Gate slow;
  gate = &slow;
  const auto stream = Open();
  const auto idle = Open();
  stream->Write(Request("Slow", 1));
  slow.entered.wait();
  idle->Write({});
  v1::PlanStreamResponse response;
  ASSERT_TRUE(idle->Read(&response)) << "both streams are served";
  std::thread drain([&] { service_.Drain(kTimeout); });
  EXPECT_FALSE(idle->Read(&response));
  EXPECT_FALSE(idle->Finish().ok());
  slow.open.count_down();
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.sequence(), 1u);
  EXPECT_TRUE(response.has_plan());
  EXPECT_FALSE(stream->Read(&response));
  drain.join();
  const auto late = Open();
  EXPECT_FALSE(late->Read(&response));
  EXPECT_EQ(late->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(PlannerServiceTest, WhatArrivesWhileAllThreadsPlanIsAnsweredLater) {
  Gate slow;
  gate = &slow;
  const auto server = *rpc::Server::Start({.threads = 1}, {&service_});
  const auto stub = v1::PlannerService::NewStub(server->InProcessChannel());
  const auto context = rpc::MakeStreamContext();
  const auto stream = stub->PlanStream(context.get());
  stream->Write(Request("Slow", 1));
  slow.entered.wait();
  stream->Write(Request("Iris", 2));
  stream->WritesDone();
  std::thread caller([&] {
    v1::PlanRequest request;
    *request.mutable_observation() = Observe("Iris", 3);
    v1::PlanResponse response;
    const auto call = rpc::MakeCallContext(kTimeout);
    EXPECT_TRUE(stub->Plan(call.get(), request, &response).ok());
  });
  slow.open.count_down();
  v1::PlanStreamResponse answer;
  int answers = 0;
  while (stream->Read(&answer)) ++answers;
  EXPECT_EQ(answers, 2);
  EXPECT_TRUE(stream->Finish().ok());
  caller.join();
}

TEST_F(PlannerServiceTest, OneStreamOccupiesAllThreads) {
  Gate slow;
  gate = &slow;
  const auto stream = Open();
  stream->Write(Request("Slow", 1));
  slow.entered.wait();
  stream->Write(Request("Iris", 2));
  v1::PlanStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.sequence(), 2u) << "the other thread has planned it";
  slow.open.count_down();
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.sequence(), 1u);
}

TEST_F(PlannerServiceTest, AStreamWithAnUnreadableMessageIsEnded) {
  // A call that has no message of its method in its bytes: the field 1 is not a message.
  v1::DescribeKindsResponse odd;
  odd.set_planner_revision("this is no observation");
  const auto answer =
      rpc::CallUnary(server_->InProcessChannel(), "/xebec.v1.PlannerService/PlanStream",
                     odd.SerializeAsString(), kTimeout);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
}

TEST(PlannerRevision, ChangesWithVersionAndKindsAndWithNothingElse) {
  const std::string revision = PlannerRevision("0.1.0", BuiltInKinds());
  EXPECT_EQ(revision, PlannerRevision("0.1.0", BuiltInKinds()));
  EXPECT_NE(revision, PlannerRevision("0.1.1", BuiltInKinds()));
  EXPECT_NE(revision, PlannerRevision("0.1.0", TestKinds()));
  EXPECT_THAT(revision, HasSubstr("0.1.0-"));
}

}  // namespace
}  // namespace xebec::planner
