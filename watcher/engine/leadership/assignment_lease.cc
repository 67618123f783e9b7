// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_lease.h"

#include <algorithm>
#include <utility>

#include "common/base/strings.h"
#include "watcher/engine/leadership/lease_order.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {

void AssignmentLease::Take(const LeaseSeen& seen, Outputs* out) {
  if (IsOlder(seen, resource_version_)) return;
  if (seen.resource_version != resource_version_) sent_.reset();  // it has arrived, or conflicts
  exists_ = seen.exists;
  resource_version_ = seen.resource_version;
  transitions_ = seen.transitions;
  failures_ = 0;
  if (text_ == seen.content) return;
  text_ = seen.content;
  current_ = Assignment();
  if (text_.empty()) return;
  auto assignment = DecodeAssignment(text_);
  if (assignment.ok()) {
    current_ = *std::move(assignment);
  } else {
    out->push_back(
        LeaseNote(Note::Level::kError, "Assignment unreadable",
                  std::string(ToStd(assignment.status().message())) + "; it is written again"));
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
