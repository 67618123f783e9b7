// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "applier/service/apply_stream.h"
#include "applier/service/dispatch_loop.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"

namespace xebec::applier {

/// Serves ApplierService: decodes plans, passes them to the dispatch loop, and encodes reports.
/// Never blocks a thread of the server. Thread-safe.
class ApplierServiceImpl final : public rpc::Service {
 public:
  /// `loop` outlives this.
  explicit ApplierServiceImpl(DispatchLoop* loop) : loop_(loop) {}

  std::vector<rpc::Method> methods() override;

  /// From now on streams get no credits, and new streams are refused.
  void BeginDrain();

  /// Ends each stream after all its plans are reported. Waits at most `timeout`.
  void Drain(absl::Duration timeout);

 private:
  DispatchLoop* const loop_;
  rpc::OpenStreams<ApplyStream> streams_;
};

}  // namespace xebec::applier
