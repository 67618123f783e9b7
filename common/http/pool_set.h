// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>

#include "common/http/multi_pool.h"
#include "common/http/transfer.h"

namespace xebec::http::internal {

/// The current multi handle and its predecessors, which only finish their running transfers. HTTP
/// thread only.
class PoolSet {
 public:
  struct Ended {
    CURL* easy;
    CURLcode code;
  };
  using Running = std::map<CURL*, std::unique_ptr<Transfer>>;

  PoolSet(Poller& poller, PoolLimits limits);

  /// Starts a transfer that has an easy handle and takes it over. If libcurl returns an error, the
  /// transfer stays with the caller.
  CURLMcode Start(std::unique_ptr<Transfer>* transfer);
  /// Ends a running transfer and returns it.
  std::unique_ptr<Transfer> Detach(CURL* easy);
  const Running& running() const { return running_; }
  /// The number of running transfers that are reads.
  size_t reads() const { return reads_; }
  /// Later transfers use new connections, unless the transfer has an old one already.
  void RetireConnectionsOf(const Transfer& transfer);

  /// Returns a transfer that libcurl has finished and nobody has detached; nullopt if there is
  /// none.
  std::optional<Ended> NextEnded();
  /// The time of the next RunTimers; InfiniteDuration if none is due.
  absl::Duration timer() const;
  /// Runs the timers that are due, and closes connections that have no transfer any more.
  void RunTimers(absl::Duration now);

 private:
  Poller& poller_;
  const PoolLimits limits_;
  std::unique_ptr<MultiPool> current_;
  std::list<std::unique_ptr<MultiPool>> retired_;
  Running running_;
  size_t reads_ = 0;
};

}  // namespace xebec::http::internal
