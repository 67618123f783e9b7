// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "applier/engine/dispatcher.h"
#include "common/base/mutex.h"
#include "common/base/serial_queue.h"
#include "common/kube/api_request.h"

namespace xebec::applier {

/// Callbacks of one stream. They run in a turn of the loop and must not block.
struct StreamSink {
  /// The stream may send plans: its first credits, if there are any, have been granted.
  std::function<void()> on_open;
  std::function<void(const PlanEnded& ended)> on_ended;
  std::function<void(uint32_t count)> on_credits;
};

/// Values for metrics and readiness.
struct LoopFigures {
  size_t plans = 0;
  size_t requests_in_flight = 0;
  size_t requests_allowed = 0;
  bool budget_at_minimum = false;
  std::map<int, uint64_t> lease_errors;
  absl::Duration clock_skew;
  size_t waiting_events = 0;
  uint64_t dropped_events = 0;
  bool idle = true;
  std::string problem;  ///< The reason why the applier is not ready; empty if it is.
};

/// Owns the dispatcher. In each turn, it takes plans and answers, and sends requests and reports.
/// The thread that passes a plan or an answer may run the turn (SerialQueue). Thread-safe.
class DispatchLoop final : private SerialQueue<std::function<void()>>::Consumer {
 public:
  /// Sends a request and calls back exactly once, from any thread.
  using Sender = std::function<void(kube::ApiRequest, std::function<void(kube::ApiResponse)>)>;
  /// Called for every plan that ended, in a turn of the loop.
  using Observer = std::function<void(const PlanEnded&)>;

  /// Starts the thread. `send` stays usable until Stop has returned.
  DispatchLoop(DispatcherOptions options, Sender send, Observer observer);
  ~DispatchLoop();

  /// A stream begins. The sink gets its credits, not before the return.
  StreamKey Open(StreamSink sink);
  /// A stream ended: its plans start no further operation. Drops the sink soon.
  void Close(StreamKey stream);
  /// A plan arrived on a stream. The sink gets its report with `ticket`, perhaps before the return.
  void Submit(StreamKey stream, uint64_t ticket, Plan plan);

  /// Returns new plans as not started and waits at most `timeout` for the others. After two thirds
  /// of it, no further operation is started.
  void Drain(absl::Duration timeout);
  /// Ends the thread. Later answers are dropped.
  void Stop();

  LoopFigures figures() const ABSL_LOCKS_EXCLUDED(mu_);
  /// The classes of requests and their limits, as of the last second.
  std::vector<RequestBudget::Figures> classes() const ABSL_LOCKS_EXCLUDED(mu_);
  /// The reason why the applier cannot carry out plans; empty if it can (ApplierHealth).
  std::string Problem() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  /// Work for one turn.
  using Message = std::function<void()>;

  void Handle(Message message) override { message(); }
  absl::Duration EndTurn(absl::Duration heard) override;
  void Carry(DispatcherOutputs outputs);
  void SendOut(SendRequest request);
  void TellSink(const PlanEnded& ended);
  void Publish() ABSL_LOCKS_EXCLUDED(mu_);
  void PublishClasses() ABSL_LOCKS_EXCLUDED(mu_);
  void AwaitIdle(absl::Duration until) ABSL_LOCKS_EXCLUDED(mu_);
  void OnLoop(Message message);

  const Sender send_;
  const Observer observer_;
  /// Bounded by its producers: plans by credits, answers by the requests in flight.
  SerialQueue<Message> queue_;
  std::atomic<uint64_t> next_key_{1};

  // Used only in turns.
  absl::Duration next_tick_ = absl::ZeroDuration();
  Dispatcher dispatcher_;
  std::map<StreamKey, StreamSink> sinks_;

  mutable Mutex mu_;
  CondVar published_;
  LoopFigures figures_ ABSL_GUARDED_BY(mu_);
  std::vector<RequestBudget::Figures> classes_ ABSL_GUARDED_BY(mu_);

  std::thread thread_;
};

}  // namespace xebec::applier
