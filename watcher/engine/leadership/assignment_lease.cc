// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_lease.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "watcher/engine/leadership/assignment_edits.h"
#include "watcher/engine/leadership/lease_order.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {

void AssignmentLease::Take(const LeaseSeen& seen, Outputs* out) {
  if (IsOlder(seen, resource_version_)) return;
  if (seen.resource_version != resource_version_) sent_.reset();  // it has arrived, or conflicts
  const bool deleted = exists_ && !seen.exists;
  exists_ = seen.exists;
  resource_version_ = seen.resource_version;
  if (exists_) transitions_ = seen.transitions;
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
  if (auto edit = DescribeEdit(before, current_)) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Assignment edited", *std::move(edit)));
  }
  version_ = transitions_;
  const uint32_t counted = std::exchange(last_, current_).count();
  recounted_ |= counted != 0 && counted != last_.count();
  if (before.count() == 0) return;
  std::set<std::string> earlier = {""};
  for (const BucketHolder& each : before.buckets) earlier.insert(each.watcher);
  for (const BucketHolder& each : current_.buckets) {
    if (!earlier.contains(each.watcher)) newcomers_.insert(each.watcher);
  }
}

void AssignmentLease::NoteUnknown(const Members& members, Outputs* out) {
  for (const std::string& each : std::exchange(newcomers_, {})) {
    if (members.Find(each) != nullptr) continue;
    out->push_back(LeaseNote(
        Note::Level::kWarning, "Assigned to nobody",
        absl::StrCat("the assignment names ", each,
                     ", which has no member Lease; its buckets are given to other watchers")));
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

void AssignmentLease::Write(const Assignment& next, const std::string& identity, uint64_t version,
                            absl::Duration now, Outputs* out) {
  sent_ = now;
  out->push_back(WriteLease{.lease = kAssignmentLease,
                            .create = !exists_,
                            .holder = identity,
                            .transitions = std::min(std::max(transitions_, version) + 1, kMaxEpoch),
                            .duration = policy_.duration,
                            .acquire = true,
                            .content = EncodeAssignment(next),
                            .resource_version = exists_ ? resource_version_ : ""});
}

absl::Duration AssignmentLease::NextWrite() const {
  return sent_ ? *sent_ + policy_.renew_deadline : next_try_;
}

}  // namespace xebec::watcher
