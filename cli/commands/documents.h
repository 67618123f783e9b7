// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"

namespace xebec::cli {

/// Reads a file. NOT_FOUND or INVALID_ARGUMENT names the file.
absl::StatusOr<std::string> ReadFile(const std::string& file);

/// Reads a file, or `in` for "-".
absl::StatusOr<std::string> ReadFileOr(const std::string& file, std::istream& in);

/// Parses the documents of a text: one JSON document, or one or more YAML documents.
/// INVALID_ARGUMENT contains the position in `file`. Also rejects valid YAML that is an error in a
/// manifest, such as a duplicate key, and documents beyond JsonLimits (3 MiB, 64 levels).
absl::StatusOr<std::vector<Json>> ReadDocuments(const std::string& text, const std::string& file);

}  // namespace xebec::cli
