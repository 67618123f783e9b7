// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/discovery/address.h"

namespace xebec::rpc {

/// Resolves targets periodically on a thread of its own. If a target cannot be resolved, it keeps
/// its previous addresses. If all targets are literal addresses, they are resolved only once.
class AddressWatcher {
 public:
  struct Options {
    std::vector<Target> targets;
    ResolveFunction resolve = SystemResolve;
    absl::Duration interval = absl::Seconds(5);
    std::string thread_name = "resolver";
    /// Called after the first resolution and after each change with all addresses: sorted, without
    /// duplicates, at most kMaxAddresses.
    std::function<void(const std::vector<Address>&)> on_addresses;
    /// Called when a resolution fails, once per target and message. May be empty.
    std::function<void(const std::string& message)> on_error;
  };
  static constexpr size_t kMaxAddresses = 128;

  /// Starts the thread.
  explicit AddressWatcher(Options options);
  /// Waits for a running resolution.
  ~AddressWatcher();

 private:
  void Run();
  bool LookUpAll();
  void ReportError(size_t target, const std::string& message);
  std::vector<Address> Merged() const;
  /// Waits for the interval. Returns false if the watcher must end.
  bool Pause();

  const Options options_;
  // Used only by the thread.
  std::map<size_t, std::vector<Address>> found_;
  std::map<size_t, std::string> errors_;

  Mutex mu_;
  CondVar wake_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace xebec::rpc
