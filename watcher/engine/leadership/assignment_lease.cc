// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_lease.h"

#include <algorithm>
#include <utility>

#include "common/base/strings.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {
namespace {

constexpr int kConflict = 409;
// Before the next write: the host lists the Leases meanwhile.
constexpr absl::Duration kAfterConflict = absl::Milliseconds(50);

bool Older(const std::string& a, const std::string& b) {
  const auto order = kube::CompareVersions(a, b);
  return order.has_value() && *order < 0;
}

}  // namespace

bool AssignmentLease::Take(const LeaseSeen& seen, Outputs* out) {
  if (Older(seen.resource_version, resource_version_)) return false;
  if (seen.resource_version != resource_version_) sent_.reset();  // it has arrived, or conflicts
  exists_ = seen.exists;
  resource_version_ = seen.resource_version;
  transitions_ = seen.transitions;
  failures_ = 0;
  if (text_ == seen.content) return true;
  text_ = seen.content;
  current_ = Assignment();
  if (text_.empty()) return true;
  auto assignment = DecodeAssignment(text_);
  if (assignment.ok()) {
    current_ = *std::move(assignment);
  } else {
    out->push_back(
        LeaseNote(Note::Level::kError, "Assignment unreadable",
                  std::string(ToStd(assignment.status().message())) + "; it is written again"));
  }
  return true;
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
