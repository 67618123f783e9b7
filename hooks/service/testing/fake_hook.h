// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/kube/testing/test_pki.h"
#include "grpcpp/grpcpp.h"
#include "xebec/hooks/v1/hook.grpc.pb.h"

namespace xebec::gateway::testing {

/// The answer of a fake hook to one call of Sync. A call without a value stays open until the hook
/// stops.
struct SyncReply {
  grpc::Status status;
  std::string bytes;  ///< Of the response, which need not be a SyncResponse.
  int pushback_ms = -1;
};
using SyncBehaviour = std::function<std::optional<SyncReply>(const std::string& request)>;

/// Returns a reply with a valid answer: `status` is the status of the parent.
SyncReply Desire(const std::string& status);
/// Returns the status in an answer.
std::string StatusIn(const std::string& answer);
/// Returns google.rpc.Status with RetryInfo, encoded.
std::string RetryInfoDetails(int seconds);

struct FakeHookOptions {
  std::string revision = "v1";
  bool sync_stream = false;
  /// What a SyncStream answers to a call beside the reply of `behaviour`, before and after it:
  /// numbers of calls, relative to this one.
  std::vector<int64_t> before, after;
  SyncBehaviour behaviour = [](const std::string&) { return Desire("{}"); };
  int port = 0;  ///< 0: a free one.
  std::optional<kube::testing::KeyPair> certificate;
  std::string client_ca;  ///< Not empty: clients need a certificate.
};

/// A hook over gRPC on 127.0.0.1. Thread-safe.
class FakeHook {
 public:
  explicit FakeHook(FakeHookOptions options);
  /// Breaks all connections.
  ~FakeHook();

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Waits until this many calls of Sync have arrived.
  void AwaitSyncs(size_t count);
  size_t syncs();
  size_t describes();

 private:
  class Service;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace xebec::gateway::testing
