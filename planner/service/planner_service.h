// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"
#include "planner/service/plan_maker.h"
#include "planner/service/plan_stream.h"

namespace xebec::planner {

/// Serves PlannerService with a PlanMaker, on the threads of the server. Thread-safe.
class PlannerServiceImpl final : public rpc::Service {
 public:
  /// `maker` must outlive this object.
  explicit PlannerServiceImpl(const PlanMaker* maker) : maker_(maker) {}

  std::vector<rpc::Method> methods() override;

  /// Ends all streams when everything that they read is answered, and rejects new ones. Waits at
  /// most `timeout`.
  void Drain(absl::Duration timeout);

 private:
  const PlanMaker* const maker_;
  rpc::OpenStreams<PlanStream> streams_;
};

}  // namespace xebec::planner
