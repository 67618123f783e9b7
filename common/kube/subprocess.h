// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::kube::internal {

struct ProcessSpec {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH when it has no slash.
  std::vector<std::string> environment;  ///< "NAME=value", all of it.
  absl::Duration timeout;
  size_t max_output = 1024 * 1024;  ///< Bytes of standard output.
  int cancel_fd = -1;               ///< The run is cancelled once this is readable; -1 for never.
};

struct ProcessResult {
  int exit_code = 0;  ///< 128 + number when a signal ended it.
  std::string output;
  std::string error_tail;  ///< The end of standard error, at most 4 KiB.
};

/// Runs a program in its own process group with nothing on standard input and waits for its end.
/// NOT_FOUND when there is no such program, DEADLINE_EXCEEDED, CANCELLED and RESOURCE_EXHAUSTED
/// (too much output) after killing the group.
absl::StatusOr<ProcessResult> RunProcess(const ProcessSpec& spec);

}  // namespace xebec::kube::internal
