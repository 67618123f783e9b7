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

/// The encoding of requests to hooks and of their answers (xebec.hooks.v1). Both functions are
/// pure, so that equal observations result in equal requests.
struct HookCodec {
  /// Returns the encoded SyncRequest.
  std::string (*encode)(const View& view, const Declaration& declaration);
  /// Reads an encoded SyncResponse. An error says what of the answer is wrong, for users.
  absl::StatusOr<HookDecision> (*decode)(const std::string& answer, const View& view);
};

}  // namespace xebec::planner
