// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "applier/service/dispatch_loop.h"
#include "common/base/mutex.h"
#include "common/model/report.h"
#include "common/rpc/server/stream_writer.h"
#include "grpcpp/server_context.h"
#include "xebec/v1/applier.grpc.pb.h"

namespace xebec::applier {

/// One ApplyStream of one watcher. It reads on the caller's thread and writes on a thread of its
/// own; plans run in the dispatch loop.
class ApplyStream {
 public:
  using Link = grpc::ServerReaderWriter<v1::ApplyStreamResponse, v1::ApplyStreamRequest>;

  /// All arguments outlive this.
  ApplyStream(DispatchLoop* loop, grpc::ServerContext* context, Link* link,
              size_t max_message_bytes);

  /// Serves until the caller half-closes the stream, the caller is gone, or the stream is drained.
  /// After a half-close, all plans that arrived are finished and reported. If the caller is gone,
  /// no further operation is started.
  grpc::Status Run();

  /// From now on the stream grants no credits. Plans that the watcher sends on the credits that it
  /// still has are read and reported. Thread-safe.
  void BeginDrain() ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends the stream if no report is outstanding and no plan can be on its way: the watcher has no
  /// credit left, or has sent nothing for a while. Called repeatedly after BeginDrain. Thread-safe.
  void EndIfQuiet() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  /// One message to write.
  struct Outgoing {
    enum class What { kHeartbeat, kCredits, kReport, kError } what = What::kHeartbeat;
    uint64_t sequence = 0;
    Report report;
    uint32_t credits = 0;
    std::string error;
  };

  bool Take(const v1::ApplyStreamRequest& request);
  void Answer(Outgoing outgoing);
  bool Write(const Outgoing& outgoing);
  v1::ApplyStreamResponse Encode(const Outgoing& outgoing) const;
  void OnCredits(uint32_t count) ABSL_LOCKS_EXCLUDED(mu_);
  bool MayTake() ABSL_LOCKS_EXCLUDED(mu_);
  void Complete(uint32_t credits) ABSL_LOCKS_EXCLUDED(mu_);
  void AwaitReports() ABSL_LOCKS_EXCLUDED(mu_);
  bool draining() const ABSL_LOCKS_EXCLUDED(mu_);

  DispatchLoop* const loop_;
  grpc::ServerContext* const context_;
  Link* const link_;
  const size_t max_message_bytes_;
  std::atomic<bool> heartbeat_queued_{false};
  StreamKey key_ = 0;

  mutable Mutex mu_;
  CondVar completed_;
  uint64_t granted_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t outstanding_ ABSL_GUARDED_BY(mu_) = 0;  ///< Plans that were read and not answered.
  bool broken_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  absl::Duration last_busy_
      ABSL_GUARDED_BY(mu_);  ///< Time of the last message in either direction.
  rpc::StreamWriter<Outgoing> writer_;
};

}  // namespace xebec::applier
