// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/model/observation.h"
#include "planner/core/kind.h"

/// The observations in tests/interaction/testdata, each with the plan that was reviewed. Tests run
/// in the project's root.
namespace xebec::golden {

/// "iris_new", ... sorted.
std::vector<std::string> Names();

std::string ReadFile(const std::filesystem::path& path);
std::filesystem::path PlanFile(const std::string& name);
absl::StatusOr<Observation> ReadObservation(const std::string& name);

/// The built-in kinds and those of the tests.
planner::KindRegistry Kinds();

}  // namespace xebec::golden
