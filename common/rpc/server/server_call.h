// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/server/server_stream.h"
#include "common/rpc/server/write_queue.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/impl/codegen/grpc_library.h"

namespace xebec::rpc {

class CallDesk;
struct ServedMethod;

/// One call, from before it arrives until gRPC has reported all its operations: runs the operations
/// on the completion queue and notifies the handler. It keeps itself alive while an operation runs.
/// Thread-safe.
class ServerCall final : public ServerStream, public std::enable_shared_from_this<ServerCall> {
 public:
  /// `desk` outlives the call.
  explicit ServerCall(CallDesk* desk) : desk_(desk) {}

  /// Waits for the next call of the server. Called once.
  void Await() ABSL_LOCKS_EXCLUDED(mu_);

  /// Handles an event of the completion queue, whose tag a ServerCall has made.
  static void OnEvent(void* tag, bool ok);

  void Read() override ABSL_LOCKS_EXCLUDED(mu_);
  void Write(grpc::ByteBuffer message) override ABSL_LOCKS_EXCLUDED(mu_);
  void Finish(const grpc::Status& status) override ABSL_LOCKS_EXCLUDED(mu_);
  void WriteAndFinish(grpc::ByteBuffer message, const grpc::Status& status) override
      ABSL_LOCKS_EXCLUDED(mu_);
  bool over() const override { return over_; }
  size_t max_message_bytes() const override;

 private:
  using Outgoing = WriteQueue<std::unique_ptr<grpc::ByteBuffer>>;
  /// The operations that may run at the same time, one of each.
  enum class Op { kArrive, kRead, kWrite, kDone };
  static constexpr size_t kOps = 4;

  /// A byte of this object, whose offset says which operation: the thread that takes the event
  /// learns both without reading memory of the thread that started it.
  void* TagOf(Op op);
  void Run(Op op, bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  void Started() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Ended(int count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  void OnArrive(bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  void OnRead(bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  void OnWrite(bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() ABSL_LOCKS_EXCLUDED(mu_);

  /// Opens the call, or refuses it.
  void Begin(const ServedMethod& method) ABSL_LOCKS_EXCLUDED(mu_);
  void Open(const ServedMethod& method) ABSL_LOCKS_EXCLUDED(mu_);
  void SendHeaders() ABSL_LOCKS_EXCLUDED(mu_);
  void Add(grpc::ByteBuffer* message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void End(const grpc::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  /// Ends the call for its handler when both flags are set, so that OnDone follows OnOpen.
  void Conclude(bool ServerCall::*flag) ABSL_LOCKS_EXCLUDED(mu_);
  void ObserveEnd(const ServedMethod& method) ABSL_LOCKS_EXCLUDED(mu_);

  /// Somebody may keep the call for longer than the server, and gRPC's part of it with it.
  const grpc::GrpcLibraryCodegen library_;
  CallDesk* const desk_;
  std::atomic<bool> over_{false};

  Mutex mu_;
  grpc::GenericServerContext context_ ABSL_GUARDED_BY(mu_);
  grpc::GenericServerAsyncReaderWriter stream_ ABSL_GUARDED_BY(mu_){&context_};
  std::shared_ptr<ServerCall> self_ ABSL_GUARDED_BY(mu_);  ///< While `running_` is not 0.
  int running_ ABSL_GUARDED_BY(mu_) = 0;                   ///< Operations without their event.
  const ServedMethod* method_ ABSL_GUARDED_BY(mu_) = nullptr;
  absl::Duration arrived_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<StreamHandler> handler_ ABSL_GUARDED_BY(mu_);
  bool opened_ ABSL_GUARDED_BY(mu_) = false;  ///< OnOpen has returned, or there is no handler.
  bool done_ ABSL_GUARDED_BY(mu_) = false;    ///< gRPC has reported the end of the call.
  grpc::ByteBuffer incoming_ ABSL_GUARDED_BY(mu_);
  Outgoing outgoing_ ABSL_GUARDED_BY(mu_);
  bool writing_message_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::rpc
