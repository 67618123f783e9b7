// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/model/hook.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/server_stream.h"
#include "hooks/service/gateway_loop.h"
#include "xebec/v1/hook_gateway.pb.h"

namespace xebec::gateway {

/// One CallStream of one watcher. A thread of the server passes its calls to the loop one by one;
/// the thread of the loop sends the replies. A Describe call returns its credit at once, because it
/// waits for long. After a half-close, all Sync calls that arrived are answered. Of a watcher that
/// does not read its replies, nothing more is read. Thread-safe.
class CallStream final : public rpc::StreamHandler,
                         public std::enable_shared_from_this<CallStream> {
 public:
  /// `loop` and `open` outlive this.
  CallStream(GatewayLoop* loop, rpc::OpenStreams<CallStream>* open, uint32_t credits,
             std::shared_ptr<rpc::ServerStream> stream);

  void OnOpen() override;
  void OnRead(grpc::ByteBuffer* message) override ABSL_LOCKS_EXCLUDED(mu_);
  void OnWritten() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() override;

  /// From now on the stream grants no credits. Calls that the watcher sends on the credits that it
  /// still has are answered.
  void BeginDrain() ABSL_LOCKS_EXCLUDED(mu_);
  /// Ends the stream if no Sync call is open and none can be on its way: the watcher has no credit
  /// left, or has sent nothing for a while. Called repeatedly after BeginDrain.
  void EndIfQuiet() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  void ReadNext() ABSL_LOCKS_EXCLUDED(mu_);
  bool Take(grpc::ByteBuffer* message);
  void Submit(uint64_t sequence, const v1::HookCall& encoded);
  absl::Status MayTake(uint64_t sequence) ABSL_LOCKS_EXCLUDED(mu_);
  void Refuse(uint64_t sequence, const absl::Status& error) ABSL_LOCKS_EXCLUDED(mu_);
  void Beat() ABSL_LOCKS_EXCLUDED(mu_);
  void Reply(uint64_t sequence, const HookReply& reply) ABSL_LOCKS_EXCLUDED(mu_);
  void Answer(v1::CallStreamResponse response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Send(const v1::CallStreamResponse& response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndIfAnswered() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  GatewayLoop* const loop_;
  rpc::OpenStreams<CallStream>* const open_;
  const uint32_t credits_;
  const std::shared_ptr<rpc::ServerStream> stream_;
  uint64_t number_ = 0;  ///< Of the loop. Set by OnOpen; 0 if the stream was refused.

  Mutex mu_;
  uint32_t granted_ ABSL_GUARDED_BY(mu_) = 0;      ///< Credits that the watcher has or uses.
  std::set<uint64_t> syncs_ ABSL_GUARDED_BY(mu_);  ///< Sequences of calls without reply.
  std::set<uint64_t> polls_ ABSL_GUARDED_BY(mu_);  ///< The same, of Describe.
  size_t unsent_ ABSL_GUARDED_BY(mu_) = 0;         ///< Messages that were not sent yet.
  bool must_read_ ABSL_GUARDED_BY(mu_) = false;    ///< After messages have been sent.
  bool half_closed_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  absl::Duration last_busy_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::gateway
