// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/service_access.h"

namespace xebec::rpc {
namespace {

AccessTable Common(const Callers& callers) {
  AccessTable table;
  table.AllowEverybody("/grpc.health.v1.Health/*");
  table.Allow("/grpc.reflection.v1.ServerReflection/*", callers.clients);
  table.Allow("/grpc.reflection.v1alpha.ServerReflection/*", callers.clients);
  return table;
}

}  // namespace

AccessTable PlannerAccess(const Callers& callers) {
  AccessTable table = Common(callers);
  for (const char* method :
       {"/xebec.v1.PlannerService/DescribeKinds", "/xebec.v1.PlannerService/Plan"}) {
    table.Allow(method, callers.watchers).Allow(method, callers.clients);
  }
  return table.Allow("/xebec.v1.PlannerService/PlanStream", callers.watchers);
}

AccessTable ApplierAccess(const Callers& callers) {
  return Common(callers).Allow("/xebec.v1.ApplierService/ApplyStream", callers.watchers);
}

AccessTable HooksAccess(const Callers& callers) {
  return Common(callers).Allow("/xebec.v1.HookGatewayService/CallStream", callers.watchers);
}

AccessTable WatcherAccess(const Callers& callers) {
  AccessTable table = Common(callers);
  // The watchers ask each other. A user in a shell of the watcher's Pod calls with the watcher's
  // certificate.
  for (const char* method :
       {"/xebec.v1.WatcherService/ListKeys", "/xebec.v1.WatcherService/GetObservation",
        "/xebec.v1.WatcherService/Explain", "/xebec.v1.WatcherService/WatchActivity",
        "/xebec.v1.WatcherService/ListWatchers"}) {
    table.Allow(method, callers.watchers).Allow(method, callers.clients);
  }
  return table.Allow("/xebec.v1.WatcherService/TransferObjects", callers.watchers);
}

}  // namespace xebec::rpc
