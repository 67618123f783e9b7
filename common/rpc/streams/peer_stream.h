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

/// Keeps one connection to one address: dials again with back-off and renews it when it is too old.
/// Owns a thread. Thread-safe.
class PeerStream {
 public:
  /// `seed` decides the jitter of ages and pauses. `ids` is shared by all streams of a dispatcher.
  PeerStream(StreamDispatcher* dispatcher, Address address, uint32_t seed,
             std::atomic<StreamId>* ids);
  /// Waits for the thread: Retire or Abort come first.
  ~PeerStream();

  /// Ends when what it carries is answered: the address is gone.
  void Retire();
  /// Ends at once.
  void Abort(const std::string& why);
  /// See StreamSession::Check.
  absl::Duration Check(absl::Duration now);
  bool finished() const { return finished_; }

 private:
  void Run();
  std::shared_ptr<StreamSession> NextSession();
  void Note(const absl::Status& status);
  /// False when the stream has to end.
  bool Pause(absl::Duration duration);
  absl::Duration NextPause(const StreamSession& session);
  double Jitter(double from, double to);

  StreamDispatcher* const dispatcher_;
  const Address address_;
  std::atomic<StreamId>* const ids_;
  std::mt19937 random_;     ///< Of the stream's thread.
  int failures_ = 0;        ///< In a row; of the stream's thread.
  std::string last_error_;  ///< Of the stream's thread.

  Mutex mu_;
  CondVar wake_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::shared_ptr<StreamSession> session_ ABSL_GUARDED_BY(mu_);
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

}  // namespace xebec::rpc
