// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"
#include "common/kube/watch_event.h"

namespace xebec::bench {

/// Watches the Deployments of a namespace as a user would, and notes when each generation of one
/// arrives first. Thread-safe.
class ChildWatch {
 public:
  /// Opens the watch.
  ChildWatch(http::ApiClient* client, const std::string& ns);

  /// Waits until the API server has accepted the watch. Returns false after `timeout`.
  bool WaitOpen(absl::Duration timeout);
  /// Waits until the Deployment has that generation. Returns the monotonic time at which the
  /// generation arrived; nullopt after `timeout`.
  std::optional<absl::Duration> WaitFor(const std::string& name, int64_t generation,
                                        absl::Duration timeout);

 private:
  void OnStatus(int status);
  void OnChunk(std::string_view chunk);

  Mutex mu_;
  CondVar changed_;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
  // By name and generation.
  std::map<std::pair<std::string, int64_t>, absl::Duration> arrived_ ABSL_GUARDED_BY(mu_);
  kube::LineSplitter lines_;              // used on the HTTP thread alone
  std::unique_ptr<http::Stream> stream_;  // ends first: its callbacks use the other members
};

}  // namespace xebec::bench
