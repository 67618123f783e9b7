// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "applier/engine/dispatcher.h"
#include "applier/service/loop_mailbox.h"
#include "common/base/mutex.h"
#include "common/kube/api_request.h"

namespace xebec::applier {

/// Who hears about the plans of one stream; called from the loop's thread, must not block.
struct StreamSink {
  std::function<void(uint64_t ticket, Report report)> on_report;
  std::function<void(uint32_t count)> on_credits;
};

/// Figures for metrics and health.
struct LoopFigures {
  size_t plans = 0;
  size_t writes_in_flight = 0;
  size_t writes_allowed = 0;
  size_t waiting_events = 0;
  uint64_t dropped_events = 0;
  bool idle = true;
};

/// The thread around the dispatcher: plans and answers in, requests and reports out. Thread-safe.
class DispatchLoop {
 public:
  /// Sends a request; calls back exactly once, from any thread.
  using Sender = std::function<void(kube::ApiRequest, std::function<void(kube::ApiResponse)>)>;
  /// Hears of every plan that ended; called from the loop's thread.
  using Observer = std::function<void(const PlanEnded&)>;

  /// Starts the thread. `send` stays usable until Stop has returned.
  DispatchLoop(DispatcherOptions options, Sender send, Observer observer);
  ~DispatchLoop();

  /// A stream begins; its credits come through the sink.
  StreamKey Open(StreamSink sink);
  /// A stream ended. After the return its sink is not called any more.
  void Close(StreamKey stream);
  /// A plan arrived on a stream; its report comes through the sink with `ticket`.
  void Submit(StreamKey stream, uint64_t ticket, Plan plan);

  /// A plan of a unary call. Cancel starts nothing more of it; the report comes all the same.
  struct UnaryCall {
    uint64_t ticket;
    std::future<Report> report;
  };
  UnaryCall SubmitUnary(Plan plan);
  void Cancel(uint64_t ticket);

  /// Sends new plans back, waits for those that are here at most `patience`; after two thirds of it
  /// nothing more of them is started.
  void Drain(absl::Duration patience);
  /// Ends the thread. Answers that come later are dropped; unary calls that still wait get an empty
  /// report.
  void Stop();

  LoopFigures figures() const ABSL_LOCKS_EXCLUDED(mu_);
  /// "" once the API server has answered with something else than 401, else what is wrong.
  std::string ApiProblem() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  void Run();
  void Carry(DispatcherOutputs outputs);
  void SendOut(SendRequest request);
  void TellSink(PlanEnded ended);
  void Probe();
  void NoteAnswer(const kube::ApiResponse& response) ABSL_LOCKS_EXCLUDED(mu_);
  void Publish() ABSL_LOCKS_EXCLUDED(mu_);
  void AwaitIdle(absl::Duration until) ABSL_LOCKS_EXCLUDED(mu_);
  void OnLoop(LoopMailbox::Mail mail);

  const Sender send_;
  const Observer observer_;
  const kube::ApiRequest probe_;
  LoopMailbox mailbox_;
  std::atomic<uint64_t> next_key_{1};

  // The loop's thread alone.
  Dispatcher dispatcher_;
  std::map<StreamKey, StreamSink> sinks_;
  std::map<uint64_t, std::promise<Report>> unary_;
  bool probing_ = false;

  mutable Mutex mu_;
  CondVar published_;
  LoopFigures figures_ ABSL_GUARDED_BY(mu_);
  std::string api_problem_ ABSL_GUARDED_BY(mu_);

  std::thread thread_;
};

}  // namespace xebec::applier
