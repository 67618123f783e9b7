// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/rpc/discovery/address_watcher.h"
#include "common/rpc/streams/stream_calls.h"
#include "common/rpc/streams/stream_loop.h"
#include "common/rpc/streams/stream_machine.h"

namespace xebec::rpc {

/// Streams to all addresses of a target: carries out the actions of a StreamMachine. Uses one
/// thread to resolve addresses, and the thread of its loop. Thread-safe.
class StreamPool final : private StreamLoop::Client, private StreamCalls::Owner {
 public:
  /// Returns INVALID_ARGUMENT for a malformed target.
  static absl::StatusOr<std::unique_ptr<StreamPool>> Start(
      const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol);
  ~StreamPool();

  /// See PlannerStreams::Send. `timeout` starts now. The calling thread writes the request if a
  /// stream is free.
  void Send(Request request, absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);
  size_t InFlight() const ABSL_LOCKS_EXCLUDED(mu_);
  /// See PlannerStreams::Stop. May be called again, but not concurrently.
  void Stop(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  StreamPool(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol,
             std::vector<Target> targets);

  absl::Duration Due() override ABSL_LOCKS_EXCLUDED(mu_);
  void Tick() override ABSL_LOCKS_EXCLUDED(mu_);
  void Completed(StreamCalls* calls, StreamCalls::Operation operation, bool ok) override
      ABSL_LOCKS_EXCLUDED(mu_);
  Actions Feed(StreamCalls* calls, StreamCalls::Operation operation, bool ok)
      ABSL_LOCKS_EXCLUDED(mu_);
  Actions FeedHandshake(StreamCalls* calls) ABSL_LOCKS_EXCLUDED(mu_);
  Actions FeedAnswer(StreamCalls* calls) ABSL_LOCKS_EXCLUDED(mu_);
  Actions FeedEnd(StreamCalls* calls) ABSL_LOCKS_EXCLUDED(mu_);

  /// Runs an input of the machine that takes the current time as its last argument.
  template <typename... Parameters, typename... Arguments>
  Actions Step(Actions (StreamMachine::*input)(Parameters...), Arguments&&... arguments)
      ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return (machine_.*input)(std::forward<Arguments>(arguments)..., ReadClock().monotonic);
  }
  void CarryOut(Actions actions) ABSL_LOCKS_EXCLUDED(mu_);
  Actions Do(Connect& action);
  Actions Do(OpenCall& action);
  Actions Do(StartRead& action);
  Actions Do(StartWrite& action);
  Actions Do(EndWrites& action);
  Actions Do(CancelCalls& action);
  Actions Do(FinishCall& action);
  Actions Do(Forget& action);
  Actions Do(DeliverAnswer& action);
  Actions Do(DeliverLosses& action);
  Actions Do(DeliverCredits& action);
  Actions Do(StreamNote& action);
  StreamCalls* CallsOf(StreamId stream) ABSL_LOCKS_EXCLUDED(mu_);
  void Wake() ABSL_LOCKS_EXCLUDED(mu_);
  void NoticeProgress() ABSL_LOCKS_EXCLUDED(mu_);

  const StreamOptions options_;
  const std::unique_ptr<StreamProtocol> protocol_;
  const std::shared_ptr<StreamLoop> loop_;

  mutable Mutex mu_;
  StreamMachine machine_ ABSL_GUARDED_BY(mu_);
  std::map<StreamId, std::unique_ptr<StreamCalls>> calls_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  CondVar progress_;  ///< Only while stopping.
  bool stopped_ = false;
  std::unique_ptr<AddressWatcher> addresses_;
};

}  // namespace xebec::rpc
