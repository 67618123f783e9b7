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
#include "common/rpc/lane_session.h"

namespace xebec::rpc {

/// Keeps one connection to one address: dials again with back-off and renews it when it is too old.
/// Owns a thread. Thread-safe.
class Lane {
 public:
  /// `seed` decides the jitter of ages and pauses. `ids` is shared by all lanes of a hub.
  Lane(LaneHub* hub, Address address, uint32_t seed, std::atomic<LaneId>* ids);
  /// Waits for the thread: Retire or Abort come first.
  ~Lane();

  /// Ends when what it carries is answered: the address is gone.
  void Retire();
  /// Ends at once.
  void Abort(const std::string& why);
  /// See LaneSession::Check.
  absl::Duration Check(absl::Duration now);
  bool finished() const { return finished_; }

 private:
  void Run();
  std::shared_ptr<LaneSession> NextSession();
  void Note(const absl::Status& status);
  /// False when the lane has to end.
  bool Pause(absl::Duration duration);
  absl::Duration NextPause(const LaneSession& session);
  double Jitter(double from, double to);

  LaneHub* const hub_;
  const Address address_;
  std::atomic<LaneId>* const ids_;
  std::mt19937 random_;     ///< Of the lane's thread.
  int failures_ = 0;        ///< In a row; of the lane's thread.
  std::string last_error_;  ///< Of the lane's thread.

  Mutex mu_;
  CondVar wake_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::shared_ptr<LaneSession> session_ ABSL_GUARDED_BY(mu_);
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

}  // namespace xebec::rpc
