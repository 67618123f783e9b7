// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "applier/service/apply_stream.h"
#include "applier/service/dispatch_loop.h"
#include "common/base/mutex.h"
#include "xebec/v1/applier.grpc.pb.h"

namespace xebec::applier {

/// Serves ApplierService: decodes plans, passes them to the dispatch loop, and encodes reports.
class ApplierServiceImpl final : public v1::ApplierService::Service {
 public:
  /// `loop` outlives this.
  explicit ApplierServiceImpl(DispatchLoop* loop, size_t max_message_bytes = 16 << 20)
      : loop_(loop), max_message_bytes_(max_message_bytes) {}

  grpc::Status Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                     v1::ApplyResponse* response) override;
  grpc::Status ApplyStream(grpc::ServerContext* context, ApplyStream::Link* link) override;

  /// From now on streams get no credits, and new streams are refused.
  void BeginDrain() ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends each stream after all its plans are reported. Waits at most `timeout`.
  void Drain(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  bool Enter(applier::ApplyStream* stream) ABSL_LOCKS_EXCLUDED(mu_);
  void Leave(applier::ApplyStream* stream) ABSL_LOCKS_EXCLUDED(mu_);

  DispatchLoop* const loop_;
  const size_t max_message_bytes_;
  Mutex mu_;
  CondVar left_;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  std::set<applier::ApplyStream*> streams_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::applier
