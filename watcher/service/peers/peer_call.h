// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/rpc/client/context.h"
#include "common/rpc/status_map.h"
#include "common/rpc/telemetry/client_call.h"
#include "grpcpp/channel.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/async_unary_call.h"
#include "xebec/v1/watcher.grpc.pb.h"

namespace xebec::watcher {

using PeerStub = v1::WatcherService::Stub;
inline constexpr char kPeerService[] = "xebec.v1.WatcherService";

/// The context of a call.
struct PeerLine {
  std::shared_ptr<grpc::Channel> channel;
  grpc::CompletionQueue* queue;
  const rpc::CallObserver* observer;
};

/// One call of another watcher. Its operations run one after the other; their tag is the call.
/// Thread-compatible, except Cancel.
class PeerCall {
 public:
  explicit PeerCall(std::unique_ptr<grpc::ClientContext> context) : context_(std::move(context)) {}
  virtual ~PeerCall() = default;

  /// Starts the first operation.
  virtual void Start() = 0;
  /// The operation has completed. Starts the next one, or reports the end of the call and
  /// returns false.
  virtual bool OnEvent(bool ok) = 0;
  /// Ends a call that was started. Thread-safe.
  void Cancel() { context_->TryCancel(); }

 protected:
  grpc::ClientContext* context() { return context_.get(); }

 private:
  const std::unique_ptr<grpc::ClientContext> context_;
};

/// A unary method of the WatcherService.
template <typename Request, typename Response>
struct PeerMethod {
  const char* name;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (PeerStub::*prepare)(
      grpc::ClientContext*, const Request&, grpc::CompletionQueue*);
};

/// Tells what a unary call returned. Runs on the thread of the calls.
template <typename Response>
using OnPeerAnswer = std::function<void(absl::StatusOr<Response>)>;

/// A unary call.
template <typename Request, typename Response>
class PeerQuestion final : public PeerCall {
 public:
  PeerQuestion(PeerLine line, const PeerMethod<Request, Response>& method, const Request& request,
               absl::Duration timeout, OnPeerAnswer<Response> done)
      : PeerCall(rpc::MakeCallContext(timeout)),
        stub_(line.channel),
        call_(*line.observer, kPeerService, method.name, "unary"),
        done_(std::move(done)),
        reader_((stub_.*method.prepare)(context(), request, line.queue)) {}

  void Start() override {
    call_.Started();
    reader_->StartCall();
    reader_->Finish(&response_, &status_, static_cast<PeerCall*>(this));
  }

  bool OnEvent(bool) override {
    call_.Handled(status_);
    if (status_.ok()) {
      done_(std::move(response_));
    } else {
      done_(rpc::FromGrpc(status_));
    }
    return false;
  }

 private:
  PeerStub stub_;
  rpc::ClientCall call_;
  const OnPeerAnswer<Response> done_;
  Response response_;
  grpc::Status status_;
  const std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader_;
};

/// The callbacks of a call of WatchActivity. They run on the thread of the calls.
struct ActivityCallbacks {
  std::function<void(v1::WatchActivityResponse)> on_activity;
  std::function<void(const absl::Status&)> on_end;  ///< Last.
};

/// A call of WatchActivity.
class PeerActivityCall final : public PeerCall {
 public:
  PeerActivityCall(const PeerLine& line, const v1::WatchActivityRequest& request,
                   ActivityCallbacks callbacks);

  void Start() override;
  bool OnEvent(bool ok) override;

 private:
  enum class State { kStarting, kReading, kFinishing };
  void Read();

  PeerStub stub_;
  rpc::ClientCall call_;
  const ActivityCallbacks callbacks_;
  const std::unique_ptr<grpc::ClientAsyncReader<v1::WatchActivityResponse>> reader_;
  State state_ = State::kStarting;
  v1::WatchActivityResponse activity_;
  grpc::Status status_;
};

}  // namespace xebec::watcher
