// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_lease.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "watcher/engine/leadership/lease_order.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {
namespace {

/// Which epochs are lower than before, which no watcher writes, or nullopt.
std::optional<std::string> DescribeLowered(const Assignment& before, const Assignment& now) {
  if (before.count() != now.count()) return std::nullopt;
  std::vector<std::string> lowered;
  for (uint32_t bucket = 0; bucket < now.count(); ++bucket) {
    const uint64_t from = before.buckets[bucket].epoch, to = now.buckets[bucket].epoch;
    if (to < from) lowered.push_back(absl::StrCat(bucket, " from ", from, " to ", to));
  }
  if (lowered.empty()) return std::nullopt;
  const size_t others = lowered.size() - 1;
  return absl::StrCat("another client lowered the epoch of bucket ", lowered.front(),
                      others > 0 ? absl::StrCat(" and of ", others, " other buckets") : "",
                      "; a higher epoch is written before their parents are planned again");
}

}  // namespace

void AssignmentLease::Take(const LeaseSeen& seen, Outputs* out) {
  if (IsOlder(seen, resource_version_)) return;
  if (seen.resource_version != resource_version_) sent_.reset();  // it has arrived, or conflicts
  const bool deleted = exists_ && !seen.exists;
  exists_ = seen.exists;
  resource_version_ = seen.resource_version;
  transitions_ = seen.transitions;
  failures_ = 0;
  if (deleted) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Assignment deleted",
                             "another client deleted its Lease; it is written again"));
  }
  if (text_ == seen.content) return;
  text_ = seen.content;
  Read(out);
}

void AssignmentLease::Read(Outputs* out) {
  const Assignment before = std::exchange(current_, Assignment());
  if (!exists_) return;
  auto assignment = DecodeAssignment(text_);
  if (!assignment.ok()) {
    const std::string why =
        text_.empty() ? "the annotation " + std::string(kAssignmentAnnotation) + " is gone"
                      : std::string(ToStd(assignment.status().message()));
    out->push_back(
        LeaseNote(Note::Level::kError, "Assignment unreadable", why + "; it is written again"));
    return;
  }
  current_ = *std::move(assignment);
  if (auto lowered = DescribeLowered(before, current_)) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Assignment edited", *std::move(lowered)));
  }
}

void AssignmentLease::OnWriteFailed(const ApiFailure& failure, absl::Duration now, Outputs* out) {
  if (!sent_) return;
  sent_.reset();
  const bool conflict = failure.http_status == kConflict;
  next_try_ = now + (conflict ? kAfterConflict : policy_.retry_period);
  if (conflict) return;  // another watcher was faster
  ++failures_;
  out->push_back(LeaseNote(Note::Level::kWarning, "Assignment not written", Describe(failure)));
}

void AssignmentLease::Write(const Assignment& next, const std::string& identity, absl::Duration now,
                            Outputs* out) {
  sent_ = now;
  out->push_back(WriteLease{.lease = kAssignmentLease,
                            .create = !exists_,
                            .holder = identity,
                            .transitions = std::min(transitions_ + 1, kMaxEpoch),
                            .duration = policy_.duration,
                            .acquire = true,
                            .content = EncodeAssignment(next),
                            .resource_version = exists_ ? resource_version_ : ""});
}

absl::Duration AssignmentLease::NextWrite() const {
  return sent_ ? *sent_ + policy_.renew_deadline : next_try_;
}

}  // namespace xebec::watcher
