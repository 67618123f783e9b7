// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/freshness_barrier.h"

#include <algorithm>
#include <utility>

#include "common/kube/resource_version.h"
#include "watcher/engine/cache/versions/cursor.h"

namespace xebec::watcher {
namespace {

// How long the watch may take to reach a barrier before it is reopened. API servers send a bookmark
// two seconds before the time-out of a watch, and otherwise once a minute.
constexpr absl::Duration kReopenDelay = absl::Milliseconds(300);
constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr uint32_t kTries = 3;

}  // namespace

// A later version shows more than an earlier one.
void FreshnessBarrier::Require(const FreshnessRequired& required, absl::Duration now) {
  if (required.version && required.since <= seen_since()) return;
  if (!required.version || !kube::IsComparable(*required.version)) {
    wanted_ = std::max(wanted_, required.since);
    if (required.version) unstated_ = std::max(unstated_, required.since);
    return;
  }
  const bool shown = !stated_ || Reaches(*required.version, stated_->version);
  stated_ =
      Stated{shown ? *required.version : stated_->version, required.since, now + kReopenDelay};
}

bool FreshnessBarrier::Meet(absl::Duration since) {
  if (stated_ || fresh_since_ < unstated_) return false;
  seen_since_ = std::max(seen_since_, since);
  return true;
}

void FreshnessBarrier::OnListed(absl::Duration began) {
  fresh_since_ = std::max(fresh_since_, began);
  if (stated_ && fresh_since_ >= stated_->since) stated_.reset();
}

bool FreshnessBarrier::needed() const {
  const absl::Duration wanted =
      stated_ && stated_->overdue ? std::max(wanted_, stated_->since) : wanted_;
  return fresh_since_ < wanted && !(request_ && request_->list.began() >= wanted);
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
  if (stated_ && stated_->due <= now) {
    stated_->overdue = true;
    stated_->due = absl::InfiniteDuration();
    if (!request_ || request_->due > now) return needed() ? Next::kAsk : Next::kNothing;
  }
  if (request_->version.empty() && request_->tries < kTries) return Next::kAsk;
  if (!request_->version.empty() && request_->tries++ == 0) {
    request_->due = now + kTimeout;
    return Next::kReopenWatch;
  }
  Drop();
  return Next::kList;
}

void FreshnessBarrier::Pass(const std::string& watermark) {
  if (request_ && !request_->version.empty() && Reaches(watermark, request_->version)) {
    OnListed(request_->list.began());
    request_.reset();
  }
  if (!stated_ || fresh_since_ < unstated_ || !Reaches(watermark, stated_->version)) return;
  seen_since_ = std::max(seen_since_, stated_->since);
  stated_.reset();
}

uint32_t FreshnessBarrier::Drop() {
  return request_ ? std::exchange(request_, std::nullopt)->tries : 0;
}

}  // namespace xebec::watcher
