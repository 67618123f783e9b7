// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/deletion_budget.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {

uint64_t DeletionBudget::OthersSince(KeyId key, absl::Duration since) const {
  uint64_t sum = 0;
  for (const Charged& c : charged_) {
    if (c.key != key && c.at > since) sum += c.deletions;
  }
  return sum;
}

bool DeletionBudget::Allows(KeyId key, absl::Duration now) const {
  return OthersSince(key, now - interval_) < LimitAt(now);
}

void DeletionBudget::Charge(KeyId key, uint64_t deletions, absl::Duration now) {
  while (!charged_.empty() && charged_.front().at <= now - interval_) charged_.pop_front();
  if (deletions > 0) charged_.push_back({now, key, deletions});
}

void DeletionBudget::Refund(KeyId key, uint64_t deletions) {
  const auto last = std::find_if(charged_.rbegin(), charged_.rend(),
                                 [key](const Charged& c) { return c.key == key; });
  if (last != charged_.rend()) last->deletions -= std::min(deletions, last->deletions);
}

absl::Duration DeletionBudget::AllowedAt(KeyId key, absl::Duration now) const {
  if (Allows(key, now)) return now;
  std::vector<absl::Duration> times;
  for (const Charged& c : charged_) times.push_back(c.at + interval_);
  for (const LimitShare::Step& step : share_.steps) times.push_back(step.from);
  std::sort(times.begin(), times.end());
  for (const absl::Duration at : times) {
    if (at > now && Allows(key, at)) return at;
  }
  return now + interval_;
}

uint64_t DeletionBudget::TakenSince(absl::Duration since) const {
  uint64_t sum = 0;
  for (const Charged& each : charged_) sum += each.at > since ? each.deletions : 0;
  for (auto it = reserved_.rbegin(); it != reserved_.rend() && it->at > since; ++it) {
    sum += it->count;
  }
  return sum;
}

absl::Duration DeletionBudget::Reserve(absl::Duration now) {
  while (!reserved_.empty() && reserved_.front().at <= now) reserved_.pop_front();
  absl::Duration at = reserved_.empty() ? now : reserved_.back().at;
  while (TakenSince(at - interval_) >= LimitAt(at)) {
    // When the oldest of these leaves the interval, or the share grows.
    absl::Duration next = share_.NextStep(at);
    for (const Charged& each : charged_) {
      if (each.at > at - interval_) next = std::min(next, each.at + interval_);
    }
    for (auto it = reserved_.rbegin(); it != reserved_.rend() && it->at > at - interval_; ++it) {
      next = std::min(next, it->at + interval_);
    }
    if (next == absl::InfiniteDuration()) return now + interval_;  // the budget is 0
    at = next;
  }
  if (reserved_.empty() || reserved_.back().at < at) reserved_.push_back({at, 0});
  ++reserved_.back().count;
  return at;
}

std::string DeletionBudget::Message(const std::string& controller, absl::Duration now) const {
  const uint32_t share = LimitAt(now);
  const std::string used_up =
      share == limit_ ? absl::StrCat("its budget of ", limit_)
                      : absl::StrCat("its share of ", share, " of the budget of ", limit_);
  return absl::StrCat("Deletions are deferred: ", controller, " has used up ", used_up,
                      " deletions within ", absl::FormatDuration(interval_),
                      ". Xebec continues them in the next interval. To allow more deletions, raise "
                      "the watcher's setting deletion.budget (in the chart: "
                      "watcher.config.deletion.budget).");
}

}  // namespace xebec::watcher
