// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/http/credential_cache.h"
#include "common/http/credential_worker.h"
#include "common/http/easy_handles.h"
#include "common/http/inbox.h"
#include "common/http/pool_set.h"
#include "common/http/transfer.h"
#include "common/http/wake_pace.h"

namespace xebec::http::internal {

/// The HTTP thread. It receives commands from other threads, drives the pools and delivers
/// responses. All private members belong to that thread unless they are atomic or constant.
class ClientLoop {
 public:
  ClientLoop(kube::ClusterAccess access, ApiClientOptions options);
  /// Ends all transfers and joins the thread.
  ~ClientLoop();
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;

  /// Thread-safe; see ApiClient.
  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done,
            absl::Duration timeout);
  std::unique_ptr<Stream> Watch(kube::ApiRequest request, absl::Duration timeout,
                                ApiClient::StreamEvents events);
  size_t InFlight() const { return in_flight_; }
  const kube::ClusterConfig& config() const { return access_.config; }

 private:
  using Owned = std::unique_ptr<Transfer>;

  void Run();
  bool Gather();
  void Handle(StartTransfer command);
  void Handle(RefuseTransfer command);
  void Handle(CancelStream command);
  void Handle(CredentialsArrived command);
  void Begin(Owned transfer);
  void BeginOrPark(Owned transfer, CredentialCache::Answer answer);
  void Launch(Owned transfer);
  void Ask(CredentialCache::Question question);

  void RunTimers();
  void EndBatches();
  void CollectEnded();
  void OnEnded(PoolSet* set, CURL* easy, CURLcode code);
  Owned Detach(PoolSet* set, CURL* easy);
  bool Retry(Owned* transfer, const kube::ApiResponse& response, CURLcode code);
  void Answer(Owned transfer, kube::ApiResponse response);
  void EndIdleWatches();
  void EndParked();
  void EndRunning(PoolSet* set);
  void EndEverything();
  void AnswerClosed(Command* command);

  absl::Duration NextTimer();
  absl::Duration IdleDeadline(const Transfer& watch) const;
  absl::Duration ParkedDeadline(const Transfer& transfer) const;

  const kube::ClusterAccess access_;
  const ApiClientOptions options_;
  const std::string host_;  // host and port of the API server
  std::atomic<size_t> in_flight_ = 0;
  const std::shared_ptr<Inbox> inbox_;
  std::atomic<bool> stopping_ = false;

  absl::Duration now_;  // monotonic; read once per iteration
  WakePace pace_;
  Poller poller_;
  EasyHandles easies_;
  CredentialCache credentials_;
  PoolSet requests_;
  PoolSet watches_;
  std::vector<Owned> parked_;  // waiting for credentials

  std::unique_ptr<CredentialWorker> worker_;  // null without a credential source
  std::thread thread_;
};

}  // namespace xebec::http::internal
