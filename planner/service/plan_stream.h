// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/stream_writer.h"
#include "grpcpp/server_context.h"
#include "planner/service/plan_maker.h"
#include "planner/service/worker_pool.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::planner {

/// One PlanStream of one caller: reads on the caller's thread, plans on the pool, writes on a
/// thread of its own.
class PlanStream {
 public:
  using Link = grpc::ServerReaderWriter<v1::PlanStreamResponse, v1::PlanStreamRequest>;

  /// All outlive this.
  PlanStream(const PlanMaker* maker, WorkerPool* pool, grpc::ServerContext* context, Link* link,
             size_t max_message_bytes);

  /// Serves until the caller half-closes or is gone, or until Drain. Every observation that was
  /// read is answered before it returns.
  grpc::Status Run();

  /// Reads nothing more and ends once everything that was read is answered. Thread-safe.
  void Drain();

 private:
  void Take(v1::PlanStreamRequest request);
  void AwaitRoom() ABSL_LOCKS_EXCLUDED(mu_);
  void Answer(const v1::PlanStreamRequest& request);
  bool Write(const v1::PlanStreamResponse& response);
  void Converge() ABSL_LOCKS_EXCLUDED(mu_);
  bool draining() const ABSL_LOCKS_EXCLUDED(mu_);
  void AwaitWorkers() ABSL_LOCKS_EXCLUDED(mu_);

  const PlanMaker* const maker_;
  WorkerPool* const pool_;
  grpc::ServerContext* const context_;
  Link* const link_;
  const size_t max_message_bytes_;

  mutable Mutex mu_;
  CondVar idle_;
  size_t working_ ABSL_GUARDED_BY(mu_) = 0;      ///< Read and not handed to the writer.
  size_t outstanding_ ABSL_GUARDED_BY(mu_) = 0;  ///< Read and not written.
  bool broken_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  rpc::StreamWriter<v1::PlanStreamResponse> writer_;
};

}  // namespace xebec::planner
