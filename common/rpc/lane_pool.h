// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/rpc/address_watcher.h"
#include "common/rpc/lane.h"
#include "common/rpc/lane_hub.h"

namespace xebec::rpc {

/// Lanes to all addresses of a target. Threads: one looks addresses up, one keeps deadlines, and
/// two per lane. Thread-safe.
class LanePool {
 public:
  /// INVALID_ARGUMENT for a target that cannot be read.
  static absl::StatusOr<std::unique_ptr<LanePool>> Start(const LaneOptions& options,
                                                         std::unique_ptr<LaneProtocol> protocol);
  ~LanePool();

  /// See PlannerLanes; `timeout` counts from now.
  void Send(Parcel parcel, absl::Duration timeout) { hub_.Send(std::move(parcel), timeout); }
  size_t InFlight() const { return hub_.InFlight(); }
  /// May be called more than once, not at once.
  void Stop(absl::Duration patience);

 private:
  LanePool(const LaneOptions& options, std::unique_ptr<LaneProtocol> protocol,
           std::vector<Target> targets);

  void Reconcile(const std::vector<Address>& addresses) ABSL_LOCKS_EXCLUDED(mu_);
  void ClockLoop();
  absl::Duration CheckLanes(absl::Duration now) ABSL_LOCKS_EXCLUDED(mu_);
  void EndLanes() ABSL_LOCKS_EXCLUDED(mu_);

  LaneHub hub_;
  std::atomic<LaneId> ids_{0};
  Mutex mu_;
  std::mt19937 random_ ABSL_GUARDED_BY(mu_){std::random_device{}()};
  std::multimap<Address, std::shared_ptr<Lane>> lanes_ ABSL_GUARDED_BY(mu_);
  std::vector<std::shared_ptr<Lane>> retired_ ABSL_GUARDED_BY(mu_);
  std::atomic<bool> ending_{false};
  std::thread clock_;
  std::unique_ptr<AddressWatcher> addresses_;
};

}  // namespace xebec::rpc
