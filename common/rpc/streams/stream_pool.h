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
#include "common/rpc/discovery/address_watcher.h"
#include "common/rpc/streams/peer_stream.h"
#include "common/rpc/streams/stream_dispatcher.h"

namespace xebec::rpc {

/// Streams to all addresses of a target. Uses one thread to resolve addresses, one for deadlines,
/// and two per stream. Thread-safe.
class StreamPool {
 public:
  /// Returns INVALID_ARGUMENT for a malformed target.
  static absl::StatusOr<std::unique_ptr<StreamPool>> Start(
      const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol);
  ~StreamPool();

  /// See PlannerStreams::Send. `timeout` starts now.
  void Send(Request request, absl::Duration timeout) {
    dispatcher_.Send(std::move(request), timeout);
  }
  size_t InFlight() const { return dispatcher_.InFlight(); }
  /// See PlannerStreams::Stop. May be called again, but not concurrently.
  void Stop(absl::Duration timeout);

 private:
  StreamPool(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol,
             std::vector<Target> targets);

  void Reconcile(const std::vector<Address>& addresses) ABSL_LOCKS_EXCLUDED(mu_);
  void ClockLoop();
  absl::Duration CheckStreams(absl::Duration now) ABSL_LOCKS_EXCLUDED(mu_);
  void EndStreams() ABSL_LOCKS_EXCLUDED(mu_);

  StreamDispatcher dispatcher_;
  std::atomic<StreamId> ids_{0};
  Mutex mu_;
  std::mt19937 random_ ABSL_GUARDED_BY(mu_){std::random_device{}()};
  std::multimap<Address, std::shared_ptr<PeerStream>> streams_ ABSL_GUARDED_BY(mu_);
  std::vector<std::shared_ptr<PeerStream>> retired_ ABSL_GUARDED_BY(mu_);
  std::atomic<bool> ending_{false};
  std::thread clock_;
  std::unique_ptr<AddressWatcher> addresses_;
};

}  // namespace xebec::rpc
