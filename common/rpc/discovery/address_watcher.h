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

/// Looks targets up again and again on a thread of its own. A target that cannot be looked up keeps
/// the addresses it had. Targets that are literal addresses throughout are looked up once.
class AddressWatcher {
 public:
  struct Options {
    std::vector<Target> targets;
    ResolveFunction resolve = SystemResolve;
    absl::Duration interval = absl::Seconds(5);
    std::string thread_name = "resolver";
    /// All addresses, sorted, without duplicates, at most kMaxAddresses; called at the first
    /// look-up and on changes.
    std::function<void(const std::vector<Address>&)> on_addresses;
    /// A look-up failed; told once per target and message. May be empty.
    std::function<void(const std::string& message)> on_error;
  };
  static constexpr size_t kMaxAddresses = 128;

  /// Starts the thread.
  explicit AddressWatcher(Options options);
  /// Waits for a look-up that is on its way.
  ~AddressWatcher();

 private:
  void Run();
  bool LookUpAll();
  void Tell(size_t target, const std::string& message);
  std::vector<Address> Merged() const;
  /// False when the watcher has to end.
  bool Pause();

  const Options options_;
  // Of the thread.
  std::map<size_t, std::vector<Address>> found_;
  std::map<size_t, std::string> errors_;

  Mutex mu_;
  CondVar wake_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace xebec::rpc
