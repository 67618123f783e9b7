// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "grpcpp/completion_queue.h"
#include "watcher/service/peers/peer_call.h"
#include "watcher/service/peers/peer_channels.h"
#include "watcher/service/timers.h"

namespace xebec::watcher {

/// The calls of this watcher to other watchers. One thread, "peers", takes all their events; it
/// sleeps while no call is open. All callbacks run on it and never while a lock of this object is
/// held. Thread-safe.
class PeerCalls {
 public:
  struct Options {
    tls::Files files;  ///< See PeerChannels.
    rpc::CallObserver observer;
    absl::Duration timeout = absl::Seconds(3);  ///< Of a unary call.
  };
  explicit PeerCalls(Options options);
  /// Stops.
  ~PeerCalls();

  /// Calls a unary method of the watcher at `address`. `done` gets the answer; it runs before Ask
  /// returns if the call cannot be made.
  template <typename Request, typename Response>
  void Ask(const std::string& address, const PeerMethod<Request, Response>& method,
           const Request& request, OnPeerAnswer<Response> done) {
    absl::StatusOr<PeerLine> line = LineTo(address);
    if (!line.ok()) return done(line.status());
    const auto answer = [this, address, done](absl::StatusOr<Response> response) {
      if (response.ok()) return done(std::move(response));
      done(Failed(address, response.status()));
    };
    const auto call = std::make_shared<PeerQuestion<Request, Response>>(
        *std::move(line), method, request, options_.timeout, answer);
    if (!Start(call)) done(Stopping());
  }

  /// Follows what the watcher at `address` does itself. Returns the call, which the caller may
  /// cancel. If it cannot be made, calls `on_end` before it returns null.
  std::shared_ptr<PeerCall> Follow(const std::string& address, ActivityCallbacks callbacks);

  /// Runs `task` on the thread of the calls after a delay; never if Stop is called before.
  void Later(absl::Duration delay, Task task) ABSL_LOCKS_EXCLUDED(mu_);

  /// Cancels all calls and waits until their callbacks have returned. Calls that follow fail. Must
  /// not be called by a callback.
  void Stop() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  static absl::Status Stopping();
  absl::StatusOr<PeerLine> LineTo(const std::string& address);
  /// Returns the status with advice.
  absl::Status Failed(const std::string& address, const absl::Status& status);
  /// Returns false after Stop.
  bool Start(std::shared_ptr<PeerCall> call) ABSL_LOCKS_EXCLUDED(mu_);
  void Run() ABSL_LOCKS_EXCLUDED(mu_);
  bool TakeEvent() ABSL_LOCKS_EXCLUDED(mu_);
  /// Waits for the next event or task. Returns false once all is over.
  bool Wait(absl::Duration pause) ABSL_LOCKS_EXCLUDED(mu_);

  const Options options_;
  PeerChannels channels_;
  grpc::CompletionQueue queue_;

  Mutex mu_;
  CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  bool started_ ABSL_GUARDED_BY(mu_) = false;  ///< A call was started since the last Wait.
  std::map<PeerCall*, std::shared_ptr<PeerCall>> open_ ABSL_GUARDED_BY(mu_);
  Timers timers_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace xebec::watcher
