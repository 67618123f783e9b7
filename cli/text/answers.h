// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "xebec/v1/watcher.pb.h"

/// What a watcher answers, as people read it. `now` is the reader's: times are shown as distances.
namespace xebec::cli {

/// A table with one line for each parent; a sentence where there is none.
std::string KeysText(const v1::ListKeysResponse& answer, absl::Time now);

/// Where the parent is, why, what it waits for, and what became of its latest operations.
std::string ExplanationText(const v1::ExplainResponse& answer, absl::Time now);

/// One line, with the time of day in UTC as in the logs.
std::string ActivityText(const v1::WatchActivityResponse& activity);

}  // namespace xebec::cli
