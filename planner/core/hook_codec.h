// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/declare/declaration.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// The decision of a hook: a desired state or an error.
struct HookDecision {
  DesiredState state;
  std::string error;  ///< The reason why the hook cannot decide, or empty.
  std::optional<absl::Duration> retry_after;
};

/// The encoding of requests to hooks and of their answers (xebec.hooks.v1). All functions are
/// pure, so that equal observations result in equal requests.
struct HookCodec {
  /// Returns the encoded SyncRequest.
  std::string (*encode)(const View& view, const Declaration& declaration);
  /// Reads an encoded SyncResponse. An error says what of the answer is wrong, for users.
  absl::StatusOr<HookDecision> (*decode)(const std::string& answer, const View& view);
  /// Returns the first field in which two encoded SyncResponses differ, with both values, for
  /// users: "desired.children[0].object.spec.replicas is 1, then 2". Empty if the answers mean the
  /// same, whatever the order of the members of their JSON objects is.
  std::string (*difference)(const std::string& first, const std::string& second);
};

}  // namespace xebec::planner
