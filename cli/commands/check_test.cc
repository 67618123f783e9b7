// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check.h"

#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/server/server.h"
#include "common/rpc/server/unary_method.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xebec/v1/planner.pb.h"

namespace xebec::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OnePlanner : public rpc::Service {
 public:
  std::vector<rpc::Method> methods() override {
    return {rpc::UnaryMethod<v1::PlanRequest, v1::PlanResponse>(
        "/xebec.v1.PlannerService/Plan",
        [this](const v1::PlanRequest& request, v1::PlanResponse* response) {
          return Plan(request, response);
        })};
  }
  grpc::Status Plan(const v1::PlanRequest& request, v1::PlanResponse* response) {
    asked = request.observation().parent().json();
    if (refusals > 0) {
      --refusals;
      return {grpc::StatusCode::PERMISSION_DENIED, refusal};
    }
    codec::EncodePlan(plan, codec::ObjectForm::kJson, response->mutable_plan());
    return grpc::Status::OK;
  }
  std::string refusal = "not you";
  int refusals = 0;  ///< How many calls are refused.
  xebec::Plan plan;
  std::string asked;
};

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    planner_server_ = Start({&planner_}, &options_.planner);
    applier_server_ = Start({}, &options_.applier);
  }

  static std::unique_ptr<rpc::Server> Start(const std::vector<rpc::Service*>& services,
                                            std::string* address) {
    rpc::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    auto server = rpc::Server::Start(options, services);
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return nullptr;
    (*server)->SetServing(true);
    *address = (*server)->addresses()[0];
    return *std::move(server);
  }

  std::string Complaint() const {
    const auto found = Check(options_, absl::ZeroDuration());
    return found.ok() ? "none: " + *found : std::string(ToStd(found.status().message()));
  }

  OnePlanner planner_;
  std::unique_ptr<rpc::Server> planner_server_, applier_server_;
  CheckOptions options_;
};

TEST_F(CheckTest, AServiceThatDoesNotServeIsNamed) {
  applier_server_->SetServing(false);
  EXPECT_THAT(Complaint(),
              AllOf(HasSubstr("applier at ipv4:127.0.0.1"), HasSubstr("is not serving")));
}

TEST_F(CheckTest, AServiceThatIsNotThereIsNamed) {
  planner_server_.reset();
  EXPECT_THAT(Complaint(), HasSubstr("planner at ipv4:127.0.0.1"));
}

TEST_F(CheckTest, APlannerThatRefusesIsQuoted) {
  planner_.refusals = 1;
  EXPECT_THAT(Complaint(), AllOf(HasSubstr("planner"), HasSubstr("not you")));
}

TEST_F(CheckTest, APlanWithoutOperationsIsNoPlanForANewParent) {
  EXPECT_THAT(Complaint(), HasSubstr("the plan for a test Iris is empty"));
  EXPECT_THAT(planner_.asked, HasSubstr("Iris"));
}

TEST_F(CheckTest, AGatewayIsCheckedIfItsAddressIsGiven) {
  const ObjectRef flower{{"apps", "v1", "Deployment", "deployments"}, "default", "flower"};
  planner_.plan.stages = {{"delete", {{"delete", flower, {}, Delete{}, {}}}}};
  const std::unique_ptr<rpc::Server> gateway = Start({}, &options_.hooks);
  EXPECT_THAT(Complaint(), HasSubstr("none: planner (1), applier (1), gateway (1) are serving"));
  gateway->SetServing(false);
  EXPECT_THAT(Complaint(), HasSubstr("gateway at ipv4:127.0.0.1"));
}

TEST_F(CheckTest, RetriesAFailingCheckForTheGivenTime) {
  planner_.refusals = 1;
  const ObjectRef flower{{"apps", "v1", "Deployment", "deployments"}, "default", "flower"};
  planner_.plan.stages = {{"delete", {{"delete", flower, {}, Delete{}, {}}}}};
  EXPECT_THAT(Complaint(), HasSubstr("not you"));
  planner_.refusals = 1;
  options_.wait = absl::Seconds(60);
  EXPECT_THAT(Complaint(), HasSubstr("has 1 operation"));
}

TEST_F(CheckTest, AnAddressThatCannotBeReadIsNamed) {
  options_.watcher = "no port";
  EXPECT_THAT(Complaint(), HasSubstr("no port"));
}

}  // namespace
}  // namespace xebec::cli
