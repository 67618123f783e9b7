// SPDX-License-Identifier: Apache-2.0
#include "common/http/pool_set.h"

#include <algorithm>
#include <utility>

namespace xebec::http::internal {

PoolSet::PoolSet(Poller& poller, PoolLimits limits)
    : poller_(poller), limits_(limits), current_(std::make_unique<MultiPool>(poller, limits)) {}

CURLMcode PoolSet::Start(std::unique_ptr<Transfer>* transfer) {
  CURL* easy = (*transfer)->easy;
  (*transfer)->pool = current_.get();
  const CURLMcode code = current_->Add(easy);
  if (code != CURLM_OK) return code;
  if ((*transfer)->is_read()) ++reads_;
  running_[easy] = std::move(*transfer);
  return code;
}

std::unique_ptr<Transfer> PoolSet::Detach(CURL* easy) {
  std::unique_ptr<Transfer> transfer = std::move(running_.extract(easy).mapped());
  transfer->pool->Remove(easy);
  if (transfer->is_read()) --reads_;
  return transfer;
}

void PoolSet::RetireConnectionsOf(const Transfer& transfer) {
  if (transfer.pool != current_.get()) return;
  retired_.push_back(std::move(current_));
  current_ = std::make_unique<MultiPool>(poller_, limits_);
}

std::optional<PoolSet::Ended> PoolSet::NextEnded() {
  Ended ended{nullptr, CURLE_OK};
  if (current_->NextEnded(&ended.easy, &ended.code)) return ended;
  for (const auto& pool : retired_) {
    if (pool->NextEnded(&ended.easy, &ended.code)) return ended;
  }
  return std::nullopt;
}

absl::Duration PoolSet::timer() const {
  absl::Duration next = current_->timer();
  for (const auto& pool : retired_) next = std::min(next, pool->timer());
  return next;
}

void PoolSet::RunTimers(absl::Duration now) {
  current_->RunTimer(now);
  for (const auto& pool : retired_) pool->RunTimer(now);
  retired_.remove_if([](const auto& pool) { return pool->size() == 0; });
}

}  // namespace xebec::http::internal
