// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>

#include "common/kube/resource_version.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What a Lease says, without its version.
inline auto LeaseFields(const LeaseSeen& s) {
  return std::tie(s.lease, s.exists, s.holder, s.transitions, s.duration, s.renew_time, s.content);
}

/// The HTTP status of a write that another client preceded, and the time until the next attempt:
/// the host lists the Leases meanwhile.
inline constexpr int kConflict = 409;
inline constexpr absl::Duration kAfterConflict = absl::Milliseconds(50);

/// Returns true if `seen` is a lower version than `version`.
inline bool IsOlder(const std::string& seen, const std::string& version) {
  const auto order = kube::CompareVersions(seen, version);
  return order.has_value() && *order < 0;
}

/// Returns true if `seen` is an earlier state of a Lease than the one with this version.
inline bool IsOlder(const LeaseSeen& seen, const std::string& version) {
  return IsOlder(seen.resource_version, version);
}

}  // namespace xebec::watcher
