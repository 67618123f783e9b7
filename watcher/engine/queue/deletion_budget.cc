// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/deletion_budget.h"

#include <algorithm>

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
  return OthersSince(key, now - interval_) < limit_;
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
  for (const Charged& c : charged_) {
    if (c.key != key && OthersSince(key, c.at) < limit_) return c.at + interval_;
  }
  return now + interval_;
}

std::string DeletionBudget::Message(const std::string& controller) const {
  return absl::StrCat("Deletions are held: ", controller, " has used up its budget of ", limit_,
                      " deletions within ", absl::FormatDuration(interval_),
                      ". They go on by themselves when it is free again; the watcher's setting "
                      "deletion.budget raises it.");
}

}  // namespace xebec::watcher
