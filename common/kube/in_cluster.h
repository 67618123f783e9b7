// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/kube/credential_sources.h"

namespace xebec::kube::internal {

inline constexpr char kServiceAccountDirectory[] = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Like InCluster, with the directory, the host and the port as arguments.
absl::StatusOr<ClusterAccess> InClusterFrom(const std::string& directory, const std::string& host,
                                            const std::string& port, Clock clock);

}  // namespace xebec::kube::internal
