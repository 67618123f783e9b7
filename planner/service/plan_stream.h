// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/server_stream.h"
#include "planner/service/plan_maker.h"
#include "xebec/v1/planner.pb.h"

namespace xebec::planner {

/// One PlanStream of one caller. The thread that takes an observation plans it and writes the plan;
/// meanwhile other threads take the next observations. Thread-safe.
class PlanStream final : public rpc::StreamHandler,
                         public std::enable_shared_from_this<PlanStream> {
 public:
  /// `maker` and `open` must outlive this object.
  PlanStream(const PlanMaker* maker, rpc::OpenStreams<PlanStream>* open,
             std::shared_ptr<rpc::ServerStream> stream);

  void OnOpen() override;
  void OnRead(grpc::ByteBuffer* message) override ABSL_LOCKS_EXCLUDED(mu_);
  void OnWritten() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() override;

  /// Stops reading, and ends the stream when everything that was read is answered.
  void Drain() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  bool Admit() ABSL_LOCKS_EXCLUDED(mu_);
  void Answer(grpc::ByteBuffer* bytes);
  v1::PlanStreamResponse Respond(const v1::PlanStreamRequest& request) const;
  void EndIfAnswered() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const PlanMaker* const maker_;
  rpc::OpenStreams<PlanStream>* const open_;
  const std::shared_ptr<rpc::ServerStream> stream_;

  Mutex mu_;
  size_t unanswered_ ABSL_GUARDED_BY(mu_) = 0;  ///< Requests that were read; answers not sent.
  bool reading_ ABSL_GUARDED_BY(mu_) = true;    ///< A read is requested or about to be.
  bool half_closed_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::planner
