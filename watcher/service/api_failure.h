// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "common/kube/api_request.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Returns true if the API server has answered with 200.
bool Ok(const kube::ApiResponse& response);

/// Returns true if the API server has answered with 404.
bool Missing(const kube::ApiResponse& response);

/// Returns the failure that a body with this error means to the engine.
ApiFailure Unreadable(const absl::Status& status);

/// Returns the failure that an unsuccessful response means to the engine.
ApiFailure FailureOf(const kube::ApiResponse& response);

}  // namespace xebec::watcher
