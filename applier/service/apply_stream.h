// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "applier/service/dispatch_loop.h"
#include "common/base/mutex.h"
#include "common/model/report.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/server_stream.h"
#include "xebec/v1/applier.pb.h"

namespace xebec::applier {

/// One ApplyStream of one watcher. A thread of the server passes its plans to the dispatch loop one
/// by one; a turn of the loop sends the reports. After a half-close, all plans that arrived are
/// finished and reported. If the watcher is gone, no further operation is started. Thread-safe.
class ApplyStream final : public rpc::StreamHandler,
                          public std::enable_shared_from_this<ApplyStream> {
 public:
  /// `loop` and `open` outlive this.
  ApplyStream(DispatchLoop* loop, rpc::OpenStreams<ApplyStream>* open,
              std::shared_ptr<rpc::ServerStream> stream);

  void OnOpen() override;
  void OnRead(grpc::ByteBuffer* message) override ABSL_LOCKS_EXCLUDED(mu_);
  void OnWritten() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() override;

  /// From now on the stream grants no credits. Plans that the watcher sends on the credits that it
  /// still has are read and reported.
  void BeginDrain() ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends the stream if no report is outstanding and no plan can be on its way: the watcher has no
  /// credit left, or has sent nothing for a while. Called repeatedly after BeginDrain.
  void EndIfQuiet() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  bool Take(grpc::ByteBuffer* message);
  void ReadNext() ABSL_LOCKS_EXCLUDED(mu_);
  void Beat() ABSL_LOCKS_EXCLUDED(mu_);
  bool MayTake() ABSL_LOCKS_EXCLUDED(mu_);
  void OnEnded(const PlanEnded& ended);
  void OnCredits(uint32_t count) ABSL_LOCKS_EXCLUDED(mu_);
  void Answer(v1::ApplyStreamResponse response, bool returns_credit) ABSL_LOCKS_EXCLUDED(mu_);
  void Send(const v1::ApplyStreamResponse& response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndIfReported() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  DispatchLoop* const loop_;
  rpc::OpenStreams<ApplyStream>* const open_;
  const std::shared_ptr<rpc::ServerStream> stream_;
  const size_t max_message_bytes_;  ///< The server may be gone when a plan ends.
  StreamKey key_ = 0;               ///< Set by OnOpen; 0 if the stream was refused.

  Mutex mu_;
  uint64_t granted_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t outstanding_ ABSL_GUARDED_BY(mu_) = 0;  ///< Plans that were read and not answered.
  size_t unsent_ ABSL_GUARDED_BY(mu_) = 0;         ///< Messages that were not sent yet.
  bool must_read_ ABSL_GUARDED_BY(mu_) = false;    ///< After messages have been sent.
  bool half_closed_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  absl::Duration last_busy_ ABSL_GUARDED_BY(mu_);  ///< Time of the last plan or report.
};

}  // namespace xebec::applier
