// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "applier/engine/testing/fake_api_server.h"
#include "common/base/mutex.h"

namespace xebec::applier::testing {

/// A fake API server behind DispatchLoop::Sender. Answers at once, or when it is let go.
/// Thread-safe.
class FakeGateway {
 public:
  explicit FakeGateway(FakeApiServer server) : server_(std::move(server)) {}

  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
    {
      MutexLock lock(&mu_);
      ++sent_;
      arrived_.NotifyAll();
      if (held_) {
        waiting_.emplace_back(std::move(request), std::move(done));
        return;
      }
    }
    Answer(request, done);
  }

  /// From now on requests wait.
  void Hold() {
    MutexLock lock(&mu_);
    held_ = true;
  }
  /// Answers what waits, and everything from now on.
  void LetGo() {
    std::deque<std::pair<kube::ApiRequest, std::function<void(kube::ApiResponse)>>> waiting;
    {
      MutexLock lock(&mu_);
      held_ = false;
      waiting.swap(waiting_);
    }
    for (auto& [request, done] : waiting) Answer(request, done);
  }
  /// Blocks until `count` requests have come, whether they wait or not.
  void AwaitSent(size_t count) {
    MutexLock lock(&mu_);
    while (sent_ < count) arrived_.Wait(&mu_);
  }
  /// Blocks until `count` requests wait.
  void AwaitHeld(size_t count) {
    MutexLock lock(&mu_);
    while (waiting_.size() < count) arrived_.Wait(&mu_);
  }
  bool Has(const std::string& path) {
    MutexLock lock(&mu_);
    return server_.Get(path) != nullptr;
  }

 private:
  void Answer(const kube::ApiRequest& request, const std::function<void(kube::ApiResponse)>& done) {
    kube::ApiResponse response;
    {
      MutexLock lock(&mu_);
      response = server_.Handle(request);
    }
    done(std::move(response));
  }

  Mutex mu_;
  CondVar arrived_;
  FakeApiServer server_ ABSL_GUARDED_BY(mu_);
  std::deque<std::pair<kube::ApiRequest, std::function<void(kube::ApiResponse)>>> waiting_
      ABSL_GUARDED_BY(mu_);
  size_t sent_ ABSL_GUARDED_BY(mu_) = 0;
  bool held_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::applier::testing
