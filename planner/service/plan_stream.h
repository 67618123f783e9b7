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

  /// All arguments must outlive this object.
  PlanStream(const PlanMaker* maker, WorkerPool* pool, grpc::ServerContext* context, Link* link,
             size_t max_message_bytes);

  /// Serves until the caller half-closes or disconnects, or until Drain. Answers every observation
  /// that was read before it returns.
  grpc::Status Run();

  /// Stops reading, and ends when everything that was read is answered. Thread-safe.
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
  /// Observations that were read and not passed to the writer.
  size_t working_ ABSL_GUARDED_BY(mu_) = 0;
  /// Observations that were read and whose plans were not written.
  size_t outstanding_ ABSL_GUARDED_BY(mu_) = 0;
  bool broken_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  rpc::StreamWriter<v1::PlanStreamResponse> writer_;
};

}  // namespace xebec::planner
