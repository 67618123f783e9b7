// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace xebec::gateway {

/// The most redirects that one call follows.
inline constexpr int kMostRedirects = 3;

/// Returns the URL to which a redirect of `url` leads: an absolute URL of the same scheme, host and
/// port. `location` is the header of the answer. FAILED_PRECONDITION says why the gateway does not
/// follow it.
absl::StatusOr<std::string> FollowRedirect(const std::string& url, const std::string& location);

}  // namespace xebec::gateway
