// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "applier/service/dispatch_loop.h"
#include "common/base/mutex.h"
#include "common/rpc/server/unary_method.h"

namespace xebec::applier {

/// One call of Apply. The thread of the dispatch loop answers it. If the caller is gone before, no
/// further operation of its plan is started.
class ApplyCall final : public rpc::UnaryHandler, public std::enable_shared_from_this<ApplyCall> {
 public:
  /// `loop` outlives this.
  ApplyCall(DispatchLoop* loop, std::shared_ptr<rpc::ServerStream> stream);

  void OnDone() override ABSL_LOCKS_EXCLUDED(mu_);

 private:
  void Answer(grpc::ByteBuffer* bytes) override ABSL_LOCKS_EXCLUDED(mu_);
  grpc::Status Submit(grpc::ByteBuffer* bytes) ABSL_LOCKS_EXCLUDED(mu_);
  void Report(const xebec::Report& report) ABSL_LOCKS_EXCLUDED(mu_);

  DispatchLoop* const loop_;
  Mutex mu_;
  uint64_t ticket_ ABSL_GUARDED_BY(mu_) = 0;  ///< 0 until the plan is submitted.
  bool reported_ ABSL_GUARDED_BY(mu_) = false;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::applier
