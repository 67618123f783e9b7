// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/kube/api_request.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Returns the GET of one page of a list, a consistent read (without resourceVersion).
kube::ApiRequest ListRequest(const StartList& request);

/// Returns the GET of one page of a live list.
kube::ApiRequest ListRequest(const LiveList& request, const std::string& continue_token);

/// Returns the GET that opens a watch with bookmarks.
kube::ApiRequest WatchRequest(const StartWatch& request);

}  // namespace xebec::watcher
