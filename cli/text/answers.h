// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "xebec/v1/watcher.pb.h"

/// The answers of a watcher as text. Times are shown relative to `now`, the time of the client.
namespace xebec::cli {

/// A table with one line for each parent, or a sentence if there is none.
std::string KeysText(const v1::ListKeysResponse& answer, absl::Time now);

/// The state of the parent, its explanation, what the parent waits for, and the outcomes of its
/// last operations.
std::string ExplanationText(const v1::ExplainResponse& answer, absl::Time now);

/// One line, with the time of day in UTC as in the logs.
std::string ActivityText(const v1::WatchActivityResponse& activity);

}  // namespace xebec::cli
