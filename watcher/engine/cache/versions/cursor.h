// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::watcher {

/// Returns true if `version` must not follow `cursor`, the last resourceVersion that was seen: it
/// is older, or it is missing. Versions that cannot be compared may follow each other.
bool GoesBack(const std::string& version, const std::string& cursor);

/// Returns true if `seen` is `version` or later. Versions that cannot be compared prove nothing.
bool Reaches(const std::string& seen, const std::string& version);

}  // namespace xebec::watcher
