// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/http/http_client.h"
#include "common/http/testing/fake_server.h"

/// Fixtures that the tests of the HTTP client share.
namespace xebec::http::testing {

/// Returns access to `url` without credentials.
kube::ClusterAccess Access(const std::string& url);

kube::ApiRequest Get(const std::string& path);

/// Sends a request and waits for the response.
kube::ApiResponse Ask(ApiClient& client, kube::ApiRequest request);

/// Records the requests that a server received. Thread-safe.
class Recorder {
 public:
  void Add(const ServedRequest& request);
  std::vector<ServedRequest> All();
  ServedRequest Only();  ///< Fails the test unless there is exactly one.

 private:
  Mutex mu_;
  std::vector<ServedRequest> requests_ ABSL_GUARDED_BY(mu_);
};

/// A source of bearer tokens. Invalidate moves on to the next token. Thread-safe.
class FakeSource : public kube::CredentialSource {
 public:
  explicit FakeSource(std::string token) : tokens_{std::move(token)} {}
  explicit FakeSource(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  absl::StatusOr<kube::Credentials> Get() override;
  void Invalidate() override;
  void Interrupt() override;

  /// Makes Get block until Unblock or Interrupt.
  void Block();
  void Unblock();
  /// Waits until a Get has started.
  void AwaitGet();
  void FailWith(absl::Status error);
  int invalidations();
  int gets();

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<std::string> tokens_ ABSL_GUARDED_BY(mu_);
  absl::Status error_ ABSL_GUARDED_BY(mu_);
  int gets_ ABSL_GUARDED_BY(mu_) = 0;
  int invalidations_ ABSL_GUARDED_BY(mu_) = 0;
  bool blocked_ ABSL_GUARDED_BY(mu_) = false;
};

/// Watches that were started together.
struct ManyWatches {
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::future<int>> begun;  ///< The HTTP status, or 0 if the watch ended without one.
};
ManyWatches StartWatches(ApiClient& client, int count);
/// Returns how many of the watches get a status 200.
int CountBegun(ManyWatches* watches);

/// Records the events of a watch. Thread-safe.
class WatchLog {
 public:
  ApiClient::StreamEvents Events();

  void AwaitBytes(size_t bytes);
  void AwaitEnd();
  std::vector<int> statuses();
  std::string body();
  int ends();
  kube::ApiResponse end();

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<int> statuses_ ABSL_GUARDED_BY(mu_);
  std::string body_ ABSL_GUARDED_BY(mu_);
  std::vector<kube::ApiResponse> ends_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::http::testing
