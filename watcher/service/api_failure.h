// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/kube/api_request.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Returns the failure that an unsuccessful response means to the engine.
ApiFailure FailureOf(const kube::ApiResponse& response);

}  // namespace xebec::watcher
