// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "applier/engine/testing/fake_api_server.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/model/plan.h"

/// Plans for tests: one parent with ConfigMaps as its children.
namespace xebec::applier::testing {

inline constexpr char kFinalizer[] = "xebec.dev/cleanup";

/// 2026-01-01T00:00:00Z on both clocks, plus `after`.
Instant At(absl::Duration after = absl::ZeroDuration());

ResourceType ConfigMapType();
ResourceType ParentType();
/// Iris default/iris, uid "parent-uid", version "10", generation 3; one bucket, epoch 5, sequence
/// 1, expiring 10 s after At().
Envelope ParentEnvelope();
/// The parent as the API server has it.
Json ParentObject();

/// A ConfigMap in default with the digest annotation and a controller reference to the parent.
Json ConfigMap(const std::string& name, const std::string& value = "v");
/// The path of a ConfigMap.
std::string PathOf(const std::string& config_map);
std::string ParentPath();

/// Create-only apply with an event for the creation.
Operation CreateOp(const Json& object);
/// Apply by uid with an event for the change.
Operation UpdateOp(const Json& object, const std::string& uid, const std::string& version);
/// Delete by uid with an event for the deletion.
Operation DeleteOp(const Json& object, const std::string& uid);
Operation FinalizerOp(Action action);
/// An ensure-secret operation with an event for the creation.
Operation SecretOp(const std::string& name);
/// A changed status with readyReplicas.
StatusIntent StatusOf(int ready);

/// A plan with one stage for each list, without status.
Plan MakePlan(std::vector<std::vector<Operation>> stages);

/// A server with the parent of ParentEnvelope.
FakeApiServer ServerWithParent();

}  // namespace xebec::applier::testing
