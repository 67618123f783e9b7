// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/streams/stream_session.h"

namespace xebec::rpc {

/// Keeps one connection to one address: connects again with back-off, and renews a connection that
/// is too old. Owns a thread. Thread-safe.
class PeerStream {
 public:
  /// `seed` determines the jitter of ages and pauses. All streams of a dispatcher share `ids`.
  PeerStream(StreamDispatcher* dispatcher, Address address, uint32_t seed,
             std::atomic<StreamId>* ids);
  /// Waits for the thread. Call Retire or Abort before.
  ~PeerStream();

  /// Ends the stream when its requests are answered. Used when the address no longer exists.
  void Retire();
  /// Ends the stream at once.
  void Abort(const std::string& why);
  /// See StreamSession::Check.
  absl::Duration Check(absl::Duration now);
  bool finished() const { return finished_; }

 private:
  void Run();
  std::shared_ptr<StreamSession> NextSession();
  void Note(const absl::Status& status);
  /// Waits. Returns false if the stream must end.
  bool Pause(absl::Duration duration);
  absl::Duration NextPause(const StreamSession& session);
  double Jitter(double from, double to);

  StreamDispatcher* const dispatcher_;
  const Address address_;
  std::atomic<StreamId>* const ids_;
  std::mt19937 random_;     ///< Used by the stream's thread.
  int failures_ = 0;        ///< In a row. Used by the stream's thread.
  std::string last_error_;  ///< Used by the stream's thread.

  Mutex mu_;
  CondVar wake_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::shared_ptr<StreamSession> session_ ABSL_GUARDED_BY(mu_);
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

}  // namespace xebec::rpc
