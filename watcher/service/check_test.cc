// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/check.h"

#include "common/base/strings.h"
#include "common/rpc/server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xebec/v1/applier.grpc.pb.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::watcher {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OnePlanner : public v1::PlannerService::Service {
 public:
  grpc::Status Plan(grpc::ServerContext*, const v1::PlanRequest* request,
                    v1::PlanResponse* response) override {
    asked = request->observation().parent().json();
    if (!refusal.empty()) return {grpc::StatusCode::PERMISSION_DENIED, refusal};
    response->mutable_plan()->set_completeness(v1::COMPLETENESS_FULL);
    response->mutable_plan()->set_verdict(v1::VERDICT_OK);
    return grpc::Status::OK;
  }
  std::string refusal;
  std::string asked;
};

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    planner_server_ = Start(&planner_, &settings_.planner);
    applier_server_ = Start(&applier_, &settings_.applier);
  }

  static std::unique_ptr<rpc::Server> Start(grpc::Service* service, std::string* address) {
    rpc::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    auto server = rpc::Server::Start(options, {service});
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return nullptr;
    (*server)->SetServing(true);
    *address = (*server)->addresses()[0];
    return *std::move(server);
  }

  std::string Complaint() const {
    const auto found = Check(settings_);
    return found.ok() ? "none: " + *found : std::string(ToStd(found.status().message()));
  }

  OnePlanner planner_;
  v1::ApplierService::Service applier_;
  std::unique_ptr<rpc::Server> planner_server_, applier_server_;
  CheckSettings settings_;
};

TEST_F(CheckTest, AServiceThatDoesNotServeIsNamed) {
  applier_server_->SetServing(false);
  EXPECT_THAT(Complaint(),
              AllOf(HasSubstr("applier at ipv4:127.0.0.1"), HasSubstr("does not serve")));
}

TEST_F(CheckTest, AServiceThatIsNotThereIsNamed) {
  planner_server_.reset();
  EXPECT_THAT(Complaint(), HasSubstr("planner at ipv4:127.0.0.1"));
}

TEST_F(CheckTest, APlannerThatRefusesIsQuoted) {
  planner_.refusal = "not you";
  EXPECT_THAT(Complaint(), AllOf(HasSubstr("planner"), HasSubstr("not you")));
}

TEST_F(CheckTest, APlanWithoutOperationsIsNoPlanForANewParent) {
  EXPECT_THAT(Complaint(), HasSubstr("its plan for a new Iris is empty"));
  EXPECT_THAT(planner_.asked, HasSubstr("Iris"));
}

TEST_F(CheckTest, AnAddressThatCannotBeReadIsNamed) {
  settings_.watcher = "no port";
  EXPECT_THAT(Complaint(), HasSubstr("watcher"));
}

}  // namespace
}  // namespace xebec::watcher
