// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/freshness_barrier.h"

#include <algorithm>
#include <utility>

#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

// How long the watch may take to reach a barrier before it is reopened. API servers send a bookmark
// two seconds before the time-out of a watch, and otherwise once a minute.
constexpr absl::Duration kReopenDelay = absl::Milliseconds(300);
constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr uint32_t kTries = 3;

}  // namespace

bool FreshnessBarrier::needed() const {
  return fresh_since_ < wanted_ && !(request_ && request_->list.began() >= wanted_);
}

void FreshnessBarrier::Ask(ListRun list, uint32_t tries) {
  request_ = Request{.list = std::move(list), .tries = tries};
}

ListRun FreshnessBarrier::TakeList() {
  return std::move(std::exchange(request_, std::nullopt)->list);
}

void FreshnessBarrier::OnVersion(const std::string& version, absl::Duration now) {
  request_->sent = false;
  request_->version = version;
  request_->due = now + kReopenDelay;
  request_->tries = 0;
}

void FreshnessBarrier::OnFailed(absl::Duration now, absl::Duration at_least, const Backoff& backoff,
                                uint64_t seed) {
  request_->sent = false;
  request_->due = now + std::max(BackoffDelay(backoff, request_->tries++, seed), at_least);
}

// Either the request failed and is repeated, or the watch has not reached the version. In the end a
// list tells.
FreshnessBarrier::Next FreshnessBarrier::OnTick(absl::Duration now) {
  if (request_->version.empty() && request_->tries < kTries) return Next::kAsk;
  if (!request_->version.empty() && request_->tries++ == 0) {
    request_->due = now + kTimeout;
    return Next::kReopenWatch;
  }
  Drop();
  return Next::kList;
}

void FreshnessBarrier::Pass(const std::string& watermark) {
  if (!request_ || request_->version.empty()) return;
  const auto order = kube::CompareVersions(watermark, request_->version);
  if (!order.has_value() || *order < 0) return;
  OnListed(request_->list.began());
  request_.reset();
}

uint32_t FreshnessBarrier::Drop() {
  return request_ ? std::exchange(request_, std::nullopt)->tries : 0;
}

}  // namespace xebec::watcher
