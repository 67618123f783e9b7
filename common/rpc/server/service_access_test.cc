// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/service_access.h"

#include "gtest/gtest.h"
#include "xebec/v1/applier.pb.h"
#include "xebec/v1/planner.pb.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::rpc {
namespace {

using Rows = std::map<std::string, std::string>;

// The letters of who may call: w(atcher), p(erson), a(nybody with another identity).
std::string WhoMay(const AccessTable& table, const std::string& method) {
  std::string who;
  for (const char* identity : {"watcher", "person", "anybody"}) {
    if (table.Allows(method, {identity})) who += *identity;
  }
  return who;
}

Rows TableOf(const AccessTable& table, const google::protobuf::FileDescriptor* file) {
  Rows rows;
  for (int s = 0; s < file->service_count(); ++s) {
    const auto* service = file->service(s);
    for (int m = 0; m < service->method_count(); ++m) {
      const std::string& name = service->method(m)->name();
      rows[name] = WhoMay(table, "/" + service->full_name() + "/" + name);
    }
  }
  return rows;
}

const Callers kCallers{{"watcher"}, {"person"}};

TEST(ServiceAccess, EveryMethodOfTheContractHasItsRow) {
  EXPECT_EQ(TableOf(PlannerAccess(kCallers), v1::PlanRequest::descriptor()->file()),
            (Rows{{"DescribeKinds", "wp"}, {"Plan", "wp"}, {"PlanStream", "w"}}));
  EXPECT_EQ(TableOf(ApplierAccess(kCallers), v1::ApplyStreamRequest::descriptor()->file()),
            (Rows{{"ApplyStream", "w"}}));
  EXPECT_EQ(TableOf(WatcherAccess(kCallers), v1::ExplainRequest::descriptor()->file()),
            (Rows{{"ListKeys", "wp"},
                  {"GetObservation", "wp"},
                  {"Explain", "wp"},
                  {"WatchActivity", "wp"},
                  {"ListWatchers", "wp"},
                  {"TransferObjects", "w"}}));
}

TEST(ServiceAccess, NobodyMayCallTheServiceOfAnother) {
  EXPECT_EQ(WhoMay(PlannerAccess(kCallers), "/xebec.v1.ApplierService/ApplyStream"), "");
  EXPECT_EQ(WhoMay(WatcherAccess(kCallers), "/xebec.v1.PlannerService/Plan"), "");
}

TEST(ServiceAccess, AllowsHealthToEverybodyAndReflectionToClients) {
  for (const AccessTable& table :
       {PlannerAccess(kCallers), ApplierAccess(kCallers), WatcherAccess(kCallers)}) {
    EXPECT_EQ(WhoMay(table, "/grpc.health.v1.Health/Check"), "wpa");
    EXPECT_EQ(WhoMay(table, "/grpc.health.v1.Health/Watch"), "wpa");
    EXPECT_EQ(WhoMay(table, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"), "p");
    EXPECT_EQ(WhoMay(table, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), "p")
        << "grpcurl would not ask for v1alpha after PERMISSION_DENIED";
  }
}

TEST(ServiceAccess, WithoutConfiguredCallersNobodyIsLetIn) {
  EXPECT_EQ(WhoMay(ApplierAccess({}), "/xebec.v1.ApplierService/ApplyStream"), "");
}

}  // namespace
}  // namespace xebec::rpc
