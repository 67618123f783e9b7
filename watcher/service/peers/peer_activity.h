// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "watcher/service/peers/fan_out.h"
#include "watcher/service/peers/peer_calls.h"

namespace xebec::watcher {

/// Follows the activity of all other watchers for one caller of WatchActivity, including watchers
/// that join later, and says once which of them does not answer. Thread-safe.
class PeerActivity : public std::enable_shared_from_this<PeerActivity> {
 public:
  /// Gets the activities of the other watchers. Runs on the thread of the calls.
  using Sink = std::function<void(v1::WatchActivityResponse)>;

  /// `calls` outlives this. `members` must not need the thread of the calls.
  PeerActivity(PeerCalls* calls, MembersSource members, Sink sink)
      : calls_(calls), members_(std::move(members)), sink_(std::move(sink)) {}

  /// Begins. Called once.
  void Start();
  /// Ends all calls. An activity may still be on its way to the sink.
  void End() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  struct Followed {
    bool running = false;
    bool told = false;  ///< The caller knows that the watcher does not answer.
    std::shared_ptr<PeerCall> call;
  };
  void Look() ABSL_LOCKS_EXCLUDED(mu_);
  void LookLater(absl::Duration delay);
  void Follow(const MemberView& member) ABSL_LOCKS_EXCLUDED(mu_);
  void OnActivity(const MemberView& member, v1::WatchActivityResponse activity)
      ABSL_LOCKS_EXCLUDED(mu_);
  void OnEnd(const MemberView& member, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mu_);
  /// Returns the members that are not followed, and forgets those that have left.
  std::vector<MemberView> TakeNew(const std::vector<MemberView>& others) ABSL_LOCKS_EXCLUDED(mu_);

  PeerCalls* const calls_;
  const MembersSource members_;
  const Sink sink_;

  Mutex mu_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::map<std::string, Followed> followed_ ABSL_GUARDED_BY(mu_);  // by identity
};

}  // namespace xebec::watcher
