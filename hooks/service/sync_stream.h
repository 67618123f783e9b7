// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "hooks/engine/failures.h"
#include "hooks/service/hook_link.h"

namespace xebec::gateway {

/// One SyncStream to a hook. It keeps itself alive until it has ended. All methods and events run
/// on the thread of the loop. It ends the stream at an answer for which no call waits.
class SyncStream final : public std::enable_shared_from_this<SyncStream> {
 public:
  struct Events {
    /// `response` is what the hook sent as SyncResponse.
    std::function<void(uint64_t call, std::string response)> on_answer;
    std::function<void(uint64_t call, const HookFailure&)> on_failure;
    /// The stream has ended. on_failure follows for its open calls. `too_large`: an answer was
    /// larger than the limit.
    std::function<void(bool too_large)> on_end;
  };
  static std::shared_ptr<SyncStream> Start(const LinkSite& site,
                                           const std::shared_ptr<grpc::Channel>& channel,
                                           const CallFacts& facts, Events events);

  void Send(uint64_t call, const std::string& request);
  /// One answer to this call is ignored.
  void Forget(uint64_t call);
  /// Ends the stream when all calls are answered.
  void Retire();
  /// Ends the stream without events.
  void Cancel();

 private:
  struct Tag final : rpc::Completion {
    using Handler = void (SyncStream::*)(bool ok);
    Tag(SyncStream* of, Handler what) : stream(of), handler(what) {}
    void Done(bool ok) override { (stream->*handler)(ok); }
    SyncStream* const stream;
    const Handler handler;
  };

  SyncStream(const LinkSite& site, const std::shared_ptr<grpc::Channel>& channel,
             const CallFacts& facts, Events events);
  void OnStarted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void Take();
  void EndAsMalformed(std::string why);
  void Read();
  void WriteNext();
  void Break();
  void EndIfRetired();

  const LinkSite site_;
  const CallFacts facts_;
  Events events_;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_;
  const std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  std::set<uint64_t> open_;       ///< Calls without answer.
  std::set<uint64_t> forgotten_;  ///< Calls whose answer is ignored; the latest ones.
  std::deque<grpc::ByteBuffer> unsent_;
  grpc::ByteBuffer read_;
  grpc::Status status_;
  std::string malformed_;  ///< The reason why the gateway ended it.
  bool writing_ = true;    ///< Until the stream has started.
  bool retired_ = false;
  bool broken_ = false;
  bool finishing_ = false;
  Tag start_tag_{this, &SyncStream::OnStarted};
  Tag read_tag_{this, &SyncStream::OnRead};
  Tag write_tag_{this, &SyncStream::OnWritten};
  Tag finish_tag_{this, &SyncStream::OnFinished};
  std::shared_ptr<SyncStream> self_;
};

}  // namespace xebec::gateway
