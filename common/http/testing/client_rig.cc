// SPDX-License-Identifier: Apache-2.0
#include "common/http/testing/client_rig.h"

#include <cstdlib>
#include <future>
#include <mutex>
#include <utility>

namespace xebec::http::testing {

kube::ClusterAccess Access(const std::string& url) {
  kube::ClusterAccess access;
  access.config.server = url;
  return access;
}

kube::ApiRequest Get(const std::string& path) { return {"GET", path, "", ""}; }

kube::ApiResponse Ask(ApiClient& client, kube::ApiRequest request) {
  std::promise<kube::ApiResponse> promise;
  client.Send(std::move(request),
              [&](kube::ApiResponse response) { promise.set_value(std::move(response)); });
  return promise.get_future().get();
}

void Recorder::Add(const ServedRequest& request) {
  MutexLock lock(&mu_);
  requests_.push_back(request);
}

std::vector<ServedRequest> Recorder::All() {
  MutexLock lock(&mu_);
  return requests_;
}

ServedRequest Recorder::Only() {
  const auto all = All();
  if (all.size() != 1) abort();
  return all.front();
}

absl::StatusOr<kube::Credentials> FakeSource::Get() {
  MutexLock lock(&mu_);
  ++gets_;
  changed_.NotifyAll();
  while (blocked_) changed_.Wait(&mu_);
  if (!error_.ok()) return error_;
  kube::Credentials credentials;
  credentials.bearer_token = tokens_.front();
  return credentials;
}

void FakeSource::Invalidate() {
  MutexLock lock(&mu_);
  ++invalidations_;
  if (tokens_.size() > 1) tokens_.erase(tokens_.begin());
}

void FakeSource::Interrupt() { Unblock(); }

void FakeSource::Block() {
  MutexLock lock(&mu_);
  blocked_ = true;
}

void FakeSource::Unblock() {
  MutexLock lock(&mu_);
  blocked_ = false;
  changed_.NotifyAll();
}

void FakeSource::AwaitGet() {
  MutexLock lock(&mu_);
  while (gets_ == 0) changed_.Wait(&mu_);
}

void FakeSource::FailWith(absl::Status error) {
  MutexLock lock(&mu_);
  error_ = std::move(error);
}

int FakeSource::invalidations() {
  MutexLock lock(&mu_);
  return invalidations_;
}

int FakeSource::gets() {
  MutexLock lock(&mu_);
  return gets_;
}

ApiClient::StreamEvents WatchLog::Events() {
  ApiClient::StreamEvents events;
  events.on_status = [this](int status) {
    MutexLock lock(&mu_);
    statuses_.push_back(status);
    changed_.NotifyAll();
  };
  events.on_chunk = [this](std::string_view chunk) {
    MutexLock lock(&mu_);
    body_ += chunk;
    changed_.NotifyAll();
  };
  events.on_end = [this](kube::ApiResponse response) {
    MutexLock lock(&mu_);
    ends_.push_back(std::move(response));
    changed_.NotifyAll();
  };
  return events;
}

void WatchLog::AwaitBytes(size_t bytes) {
  MutexLock lock(&mu_);
  while (body_.size() < bytes) changed_.Wait(&mu_);
}

void WatchLog::AwaitEnd() {
  MutexLock lock(&mu_);
  while (ends_.empty()) changed_.Wait(&mu_);
}

std::vector<int> WatchLog::statuses() {
  MutexLock lock(&mu_);
  return statuses_;
}

std::string WatchLog::body() {
  MutexLock lock(&mu_);
  return body_;
}

int WatchLog::ends() {
  MutexLock lock(&mu_);
  return static_cast<int>(ends_.size());
}

kube::ApiResponse WatchLog::end() {
  MutexLock lock(&mu_);
  return ends_.at(0);
}

ManyWatches StartWatches(ApiClient& client, int count) {
  ManyWatches watches;
  for (int i = 0; i < count; ++i) {
    const auto told = std::make_shared<std::promise<int>>();
    const auto once = std::make_shared<std::once_flag>();
    watches.begun.push_back(told->get_future());
    const auto tell = [=](int status) { std::call_once(*once, [&] { told->set_value(status); }); };
    ApiClient::StreamEvents events;
    events.on_status = tell;
    events.on_end = [=](const kube::ApiResponse&) { tell(0); };
    watches.streams.push_back(client.Watch(Get("/watch"), absl::Seconds(20), events));
  }
  return watches;
}

int CountBegun(ManyWatches* watches) {
  int count = 0;
  for (std::future<int>& each : watches->begun) count += each.get() == 200 ? 1 : 0;
  return count;
}

}  // namespace xebec::http::testing
