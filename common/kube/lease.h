// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::kube {

/// The fields of a coordination.k8s.io/v1 Lease that leader election needs.
struct Lease {
  std::string ns;
  std::string name;
  std::string holder;  ///< Empty if nobody holds the Lease.
  uint64_t transitions = 0;
  absl::Duration duration;   ///< Whole seconds in the API.
  std::string renew_time;    ///< As in the object; empty when absent.
  std::string acquire_time;  ///< As in the object; empty when absent.
  std::string resource_version;
  /// The annotations of the domain xebec.dev; others are not kept.
  std::map<std::string, std::string> annotations;

  bool operator==(const Lease&) const = default;
};

/// Returns the resource type of Leases.
const ResourceType& LeaseType();

/// Parses the JSON of a Lease. Returns INVALID_ARGUMENT if `json` is not an object with a name, or
/// if a field has the wrong type. A Lease without a spec has no holder.
absl::StatusOr<Lease> DecodeLease(std::string_view json);

/// Returns the body of the POST (if resource_version is empty) or PUT that writes `lease`. Omits an
/// empty holder, renew_time and acquire_time. Writes durations below one second as one second, the
/// minimum of the API.
std::string EncodeLease(const Lease& lease);

/// Formats a time as a MicroTime: "2024-05-01T12:00:00.000000Z".
std::string FormatMicroTime(absl::Time time);

}  // namespace xebec::kube
