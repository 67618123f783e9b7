// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/model/assignment.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/member.h"

namespace xebec::watcher::testing {

inline const ApiFailure kConflict = {409, "Conflict", "", std::nullopt};

/// The Leases of an installation as an API server keeps them.
class FakeLeases {
 public:
  /// Carries a write out. The answer that the writer gets.
  Input Write(const WriteLease& write) {
    const LeaseSeen& now = at(write.lease);
    if (write.create ? now.exists : write.resource_version != now.resource_version) {
      return LeaseWriteFailed{write.lease, kConflict};
    }
    return LeasesSeen{{Set({.lease = write.lease,
                            .exists = true,
                            .holder = write.holder,
                            .transitions = write.transitions,
                            .duration = write.duration,
                            .renew_time = absl::StrCat("t", version_ + 1),
                            .content = write.content})}};
  }

  /// Somebody else writes the Lease. Its new state.
  LeaseSeen Set(LeaseSeen state) {
    ++version_;
    state.resource_version = std::to_string(version_);
    leases_[state.lease] = state;
    return state;
  }
  /// Another watcher holds a member Lease and renews it.
  LeaseSeen Renew(LeaseNumber lease, const std::string& identity, const MemberFacts& facts) {
    return Set({.lease = lease,
                .exists = true,
                .holder = identity,
                .transitions = 1,
                .duration = absl::Seconds(15),
                .renew_time = absl::StrCat("t", version_ + 1),
                .content = EncodeMember(facts)});
  }
  /// Nobody holds the member Lease any more.
  LeaseSeen Release(LeaseNumber lease) {
    LeaseSeen state = at(lease);
    state.holder.clear();
    return Set(state);
  }
  LeaseSeen Delete(LeaseNumber lease) { return Set({.lease = lease}); }
  LeaseSeen Assign(const Assignment& assignment) {
    return AssignText(EncodeAssignment(assignment));
  }
  LeaseSeen AssignText(const std::string& text) {
    return Set({.lease = kAssignmentLease,
                .exists = true,
                .holder = "somebody",
                .transitions = 1,
                .duration = absl::Seconds(15),
                .content = text});
  }

  const LeaseSeen& at(LeaseNumber lease) {
    LeaseSeen& state = leases_[lease];
    state.lease = lease;
    return state;
  }
  /// The assignment; without buckets if there is none that can be read.
  Assignment assignment() const {
    const auto found = leases_.find(kAssignmentLease);
    if (found == leases_.end()) return Assignment();
    return DecodeAssignment(found->second.content).value_or(Assignment());
  }
  LeasesSeen List() const {
    LeasesSeen list{.complete = true, .resource_version = std::to_string(version_)};
    for (const auto& [lease, state] : leases_) {
      if (state.exists) list.leases.push_back(state);
    }
    return list;
  }
  int64_t version() const { return version_; }

 private:
  std::map<LeaseNumber, LeaseSeen> leases_;
  int64_t version_ = 100;
};

}  // namespace xebec::watcher::testing
