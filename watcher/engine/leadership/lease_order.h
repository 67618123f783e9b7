// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "common/kube/resource_version.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What a Lease says, without its version.
inline auto LeaseFields(const LeaseSeen& s) {
  return std::tie(s.lease, s.exists, s.holder, s.transitions, s.duration, s.renew_time, s.content);
}

/// Returns true if `a` is an earlier state than `b` of the same Lease.
inline bool IsOlder(const LeaseSeen& a, const LeaseSeen& b) {
  const auto order = kube::CompareVersions(a.resource_version, b.resource_version);
  return order.has_value() && *order < 0;
}

}  // namespace xebec::watcher
