// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/check.h"

#include "common/base/strings.h"
#include "common/rpc/fake_services.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OnePlanner : public v1::PlannerService::Service {
 public:
  grpc::Status Plan(grpc::ServerContext*, const v1::PlanRequest* request,
                    v1::PlanResponse* response) override {
    asked_ = request->observation().parent().json();
    if (!refusal.empty()) return {grpc::StatusCode::PERMISSION_DENIED, refusal};
    response->mutable_plan()->set_completeness(v1::COMPLETENESS_FULL);
    response->mutable_plan()->set_verdict(v1::VERDICT_OK);
    return grpc::Status::OK;
  }
  std::string refusal;
  std::string asked_;
};

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    planner_server_ = Start("planner", &planner_);
    applier_server_ = Start("applier", &applier_);
    settings_.planner = "unix:" + rpc::SocketPath("check-planner");
    settings_.applier = "unix:" + rpc::SocketPath("check-applier");
  }

  static std::unique_ptr<rpc::Server> Start(const std::string& name, grpc::Service* service) {
    rpc::ServerOptions options;
    options.listen = {"unix:" + rpc::SocketPath("check-" + name)};
    auto server = rpc::Server::Start(options, {service});
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return nullptr;
    (*server)->SetServing(true);
    return *std::move(server);
  }

  std::string Complaint() const {
    const auto found = Check(settings_);
    return found.ok() ? "none: " + *found : std::string(ToStd(found.status().message()));
  }

  OnePlanner planner_;
  rpc::FakeApplier applier_{1};
  std::unique_ptr<rpc::Server> planner_server_, applier_server_;
  CheckSettings settings_;
};

TEST_F(CheckTest, AServiceThatDoesNotServeIsNamed) {
  applier_server_->SetServing(false);
  EXPECT_THAT(Complaint(), AllOf(HasSubstr("applier at unix:"), HasSubstr("does not serve")));
}

TEST_F(CheckTest, AServiceThatIsNotThereIsNamed) {
  planner_server_.reset();
  EXPECT_THAT(Complaint(), HasSubstr("planner at unix:"));
}

TEST_F(CheckTest, APlannerThatRefusesIsQuoted) {
  planner_.refusal = "not you";
  EXPECT_THAT(Complaint(), AllOf(HasSubstr("planner"), HasSubstr("not you")));
}

TEST_F(CheckTest, APlanWithoutOperationsIsNoPlanForANewParent) {
  EXPECT_THAT(Complaint(), HasSubstr("its plan for a new Iris is empty"));
}

TEST_F(CheckTest, AnAddressThatCannotBeReadIsNamed) {
  settings_.watcher = "no port";
  EXPECT_THAT(Complaint(), HasSubstr("watcher"));
}

}  // namespace
}  // namespace xebec::watcher
