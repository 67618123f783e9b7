// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "applier/engine/dispatcher.h"
#include "applier/engine/testing/fake_api_server.h"
#include "applier/engine/testing/plan_builder.h"

namespace xebec::applier::testing {

inline constexpr char kLeasePath[] =
    "/apis/coordination.k8s.io/v1/namespaces/xebec-system/leases/xebec-watcher-assignment";

/// A dispatcher between a test and a fake API server. Requests wait until the test answers them.
class DispatcherRig {
 public:
  /// Stream 1 is open.
  explicit DispatcherRig(DispatcherOptions options = {});

  /// Each bucket has this epoch.
  void SetAssignment(uint64_t epoch, uint32_t buckets = 1);
  /// Keeps the outputs in the members below.
  void Take(DispatcherOutputs outputs);
  void Submit(const Plan& plan, StreamKey stream = 1);
  /// Advances the clock and calls Tick.
  void Tick(absl::Duration after_start);
  /// Answers the request that has waited longest with the answer of the fake API server.
  void Answer();
  /// Answers it with `response`.
  void AnswerWith(const kube::ApiResponse& response,
                  absl::Duration latency = absl::Milliseconds(5));
  void AnswerAll();
  /// The codes of the outcomes of a plan that ended.
  std::vector<OutcomeCode> Codes(size_t plan) const;

  Dispatcher dispatcher;
  FakeApiServer server;
  Instant now = At();
  std::vector<SendRequest> waiting;
  std::vector<PlanEnded> ended;
  std::vector<std::string> paths;  ///< "<method> <path>" of the requests that were answered.
  /// True if the request creates the ConfigMap.
  static bool Creates(const kube::ApiRequest& request, const std::string& config_map);
  std::map<StreamKey, uint32_t> credits;
};

Plan Numbered(uint64_t sequence, std::vector<std::vector<Operation>> stages,
              const std::string& uid = "parent-uid");
/// A ConfigMap whose controller has this uid.
Json ChildOf(const std::string& name, const std::string& parent_uid);
/// Two plans of different parents wait for the Lease; one request at a time is allowed.
DispatcherRig WithTwoParentsAndOneRequestAtATime();

}  // namespace xebec::applier::testing
