// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "planner/service/plan_maker.h"
#include "planner/service/plan_stream.h"
#include "planner/service/worker_pool.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::planner {

/// Implements PlannerService with a PlanMaker. Handlers only convert messages; the pool makes
/// plans.
class PlannerServiceImpl : public v1::PlannerService::Service {
 public:
  /// All arguments must outlive this object. Answers on streams have at most `max_message_bytes`.
  PlannerServiceImpl(const PlanMaker* maker, WorkerPool* pool, size_t max_message_bytes = 16 << 20);

  grpc::Status DescribeKinds(grpc::ServerContext* context, const v1::DescribeKindsRequest* request,
                             v1::DescribeKindsResponse* response) override;
  grpc::Status Plan(grpc::ServerContext* context, const v1::PlanRequest* request,
                    v1::PlanResponse* response) override;
  grpc::Status PlanStream(grpc::ServerContext* context, PlanStream::Link* link) override;

  /// Ends all streams when everything that they read is answered, and rejects new ones. Waits at
  /// most `timeout`.
  void Drain(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  bool Enter(planner::PlanStream* stream) ABSL_LOCKS_EXCLUDED(mu_);
  void Leave(planner::PlanStream* stream) ABSL_LOCKS_EXCLUDED(mu_);

  const PlanMaker* const maker_;
  WorkerPool* const pool_;
  const size_t max_message_bytes_;

  Mutex mu_;
  CondVar left_;
  std::set<planner::PlanStream*> streams_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::planner
