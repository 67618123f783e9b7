// SPDX-License-Identifier: Apache-2.0
#include "common/kube/lease.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/json.h"

namespace xebec::kube {
namespace {

constexpr char kDomain[] = "xebec.dev/";
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

/// Returns a member of spec as a non-negative number. Absent and null count as 0.
absl::StatusOr<int64_t> ReadCount(const Json& lease, const char* key) {
  const Json* value = Find(lease, {"spec", key});
  if (value == nullptr || value->is_null()) return 0;
  const auto number = FindInt(lease, {"spec", key});
  if (!number || *number < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Lease: spec.", key, " is not a whole number of at least 0"));
  }
  return *number;
}

void ReadAnnotations(const Json& lease, std::map<std::string, std::string>* out) {
  const Json* annotations = Find(lease, {"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  for (const auto& [name, value] : annotations->items()) {
    if (absl::StartsWith(name, kDomain) && value.is_string()) (*out)[name] = value;
  }
}

}  // namespace

const ResourceType& LeaseType() {
  static const ResourceType* const type =
      new ResourceType{"coordination.k8s.io", "v1", "Lease", "leases", false};
  return *type;
}

absl::StatusOr<Lease> DecodeLease(std::string_view json) {
  const auto parsed = ParseJson(json);
  if (!parsed.ok()) return parsed.status();
  Lease lease;
  lease.ns = FindString(*parsed, {"metadata", "namespace"});
  lease.name = FindString(*parsed, {"metadata", "name"});
  if (lease.name.empty()) return absl::InvalidArgumentError("Lease: metadata.name is missing");
  lease.resource_version = FindString(*parsed, {"metadata", "resourceVersion"});
  lease.holder = FindString(*parsed, {"spec", "holderIdentity"});
  lease.renew_time = FindString(*parsed, {"spec", "renewTime"});
  lease.acquire_time = FindString(*parsed, {"spec", "acquireTime"});
  const auto transitions = ReadCount(*parsed, "leaseTransitions");
  if (!transitions.ok()) return transitions.status();
  lease.transitions = static_cast<uint64_t>(*transitions);
  const auto seconds = ReadCount(*parsed, "leaseDurationSeconds");
  if (!seconds.ok()) return seconds.status();
  lease.duration = absl::Seconds(*seconds);
  ReadAnnotations(*parsed, &lease.annotations);
  return lease;
}

std::string EncodeLease(const Lease& lease) {
  // Users find the Leases by this label, for example those of all releases in a cluster.
  Json metadata = {{"name", lease.name},
                   {"namespace", lease.ns},
                   {"labels", {{"app.kubernetes.io/part-of", "xebec"}}}};
  if (!lease.resource_version.empty()) metadata["resourceVersion"] = lease.resource_version;
  if (!lease.annotations.empty()) metadata["annotations"] = lease.annotations;
  const int64_t seconds = absl::ToInt64Seconds(lease.duration);
  Json spec = {{"leaseDurationSeconds", std::clamp<int64_t>(seconds, 1, kMaxInt32)},
               {"leaseTransitions", std::min<uint64_t>(lease.transitions, kMaxInt32)}};
  if (!lease.holder.empty()) spec["holderIdentity"] = lease.holder;
  if (!lease.renew_time.empty()) spec["renewTime"] = lease.renew_time;
  if (!lease.acquire_time.empty()) spec["acquireTime"] = lease.acquire_time;
  return DumpJson({{"apiVersion", ApiVersion(LeaseType())},
                   {"kind", LeaseType().kind},
                   {"metadata", std::move(metadata)},
                   {"spec", std::move(spec)}});
}

std::string FormatMicroTime(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

}  // namespace xebec::kube
