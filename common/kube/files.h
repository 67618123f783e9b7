// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace xebec::kube::internal {

/// Contents of a small regular file (at most 1 MiB). NOT_FOUND, PERMISSION_DENIED or
/// FAILED_PRECONDITION with the path in the text; the contents never are.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

/// `path` as it is when absolute or empty, else below the directory of `file`.
std::string RelativeTo(const std::string& file, const std::string& path);

/// The value of an environment variable; "" when it is not set.
std::string Environment(const char* name);

/// Decodes base64, white space allowed. INVALID_ARGUMENT that starts with `what`.
absl::StatusOr<std::string> DecodeBase64(const std::string& what, const std::string& text);

}  // namespace xebec::kube::internal
