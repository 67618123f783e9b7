// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace xebec::kube::internal {

/// Returns the contents of a regular file of at most 1 MiB. Returns NOT_FOUND, PERMISSION_DENIED or
/// FAILED_PRECONDITION with the path, never with the contents.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

/// Returns `path` if it is absolute or empty, otherwise `path` relative to the directory of `file`.
std::string RelativeTo(const std::string& file, const std::string& path);

/// Returns the value of an environment variable, or "" if it is not set.
std::string Environment(const char* name);

/// Decodes base64 and ignores white space. `what` is the prefix of the INVALID_ARGUMENT message.
absl::StatusOr<std::string> DecodeBase64(const std::string& what, const std::string& text);

}  // namespace xebec::kube::internal
