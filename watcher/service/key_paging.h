// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "xebec/v1/watcher.pb.h"

/// The pages of WatcherService.ListKeys, as proto/xebec/v1/watcher.proto documents them.
namespace xebec::watcher {

/// A page that a client requests.
struct KeyPaging {
  size_t limit = 0;   ///< The maximum number of keys.
  std::string token;  ///< For Engine::List.
};

/// Reads page_size and page_token. INVALID_ARGUMENT if the size is negative, or if the token is
/// malformed or belongs to another kind or namespace.
absl::StatusOr<KeyPaging> ReadPaging(const v1::ListKeysRequest& request);

/// Returns the token for the page after the one that ended with `next`, the token of Engine::List.
/// Empty if `next` is empty.
std::string PageToken(const v1::ListKeysRequest& request, const std::string& next);

}  // namespace xebec::watcher
