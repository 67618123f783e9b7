// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::kube {

/// A coordination.k8s.io/v1 Lease as leader election needs it.
struct Lease {
  std::string ns;
  std::string name;
  std::string holder;  ///< Empty: nobody.
  uint64_t transitions = 0;
  absl::Duration duration;   ///< Whole seconds on the wire.
  std::string renew_time;    ///< As in the object; empty when absent.
  std::string acquire_time;  ///< As in the object; empty when absent.
  std::string resource_version;

  bool operator==(const Lease&) const = default;
};

/// coordination.k8s.io/v1 leases.
const ResourceType& LeaseType();

/// Reads the JSON of a Lease. INVALID_ARGUMENT when it is no JSON object with a name or a field has
/// the wrong type; a missing spec is a Lease that nobody holds.
absl::StatusOr<Lease> DecodeLease(std::string_view json);

/// Body of the POST (resource_version empty) or PUT that writes `lease`. An empty holder,
/// renew_time and acquire_time are left out; a duration below one second is written as one second,
/// which the server demands.
std::string EncodeLease(const Lease& lease);

/// The form in which Kubernetes takes times of a Lease: "2024-05-01T12:00:00.000000Z".
std::string FormatMicroTime(absl::Time time);

}  // namespace xebec::kube
