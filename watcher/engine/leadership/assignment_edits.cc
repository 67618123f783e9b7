// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_edits.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

std::string WithOthers(const std::vector<std::string>& edits) {
  const size_t others = edits.size() - 1;
  return absl::StrCat(edits.front(),
                      others > 0 ? absl::StrCat(" and of ", others, " other buckets") : "");
}

}  // namespace

bool MovedByHand(const BucketHolder& before, const BucketHolder& now) {
  return now.watcher != before.watcher && now.epoch <= before.epoch;
}

std::optional<std::string> DescribeEdit(const Assignment& before, const Assignment& now) {
  if (before.count() != now.count()) return std::nullopt;
  std::vector<std::string> lowered, moved;
  for (uint32_t bucket = 0; bucket < now.count(); ++bucket) {
    const BucketHolder &from = before.buckets[bucket], &to = now.buckets[bucket];
    if (to.epoch < from.epoch) {
      lowered.push_back(absl::StrCat(bucket, " from ", from.epoch, " to ", to.epoch));
    } else if (MovedByHand(from, to)) {
      moved.push_back(absl::StrCat(bucket, " to ", to.watcher.empty() ? "nobody" : to.watcher));
    }
  }
  if (lowered.empty() && moved.empty()) return std::nullopt;
  const std::string what =
      lowered.empty() ? "changed the holder, but not the epoch, of bucket " + WithOthers(moved)
                      : "lowered the epoch of bucket " + WithOthers(lowered);
  return absl::StrCat("another client ", what,
                      "; a higher epoch is written before their parents are planned again");
}

std::optional<std::string> DescribeRecount(uint32_t before, uint32_t now) {
  if (before == now || now == 0) return std::nullopt;
  return absl::StrCat("another client changed the number of buckets from ", before, " to ", now,
                      "; all buckets are assigned again, with higher epochs");
}

}  // namespace xebec::watcher
