// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "common/model/observation.h"

namespace xebec::cli {

/// Returns the observations of parents whose controllers Operators declare. `documents` are the
/// observations and manifests of a command's files, each as ReadObservations returns it: manifests
/// of parents, of Operators, and of CustomResourceDefinitions, which provide the kinds and scopes
/// of resources that do not belong to Kubernetes. A recorded observation has its Operator already.
/// INVALID_ARGUMENT says which document is missing.
absl::StatusOr<std::vector<Observation>> WithOperators(std::vector<Observation> documents);

}  // namespace xebec::cli
