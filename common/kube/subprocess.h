// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::kube::internal {

struct ProcessSpec {
  std::vector<std::string> argv;         ///< argv[0] is searched in PATH if it contains no slash.
  std::vector<std::string> environment;  ///< The whole environment as "NAME=value".
  absl::Duration timeout;
  size_t max_output = 1024 * 1024;  ///< Limit for standard output in bytes.
  /// The program is killed when this file descriptor becomes readable; -1 for never.
  int cancel_fd = -1;
};

struct ProcessResult {
  int exit_code = 0;  ///< 128 plus the signal's number if a signal ended the program.
  std::string output;
  std::string error_tail;  ///< The end of standard error, at most 4 KiB.
};

/// Runs a program in its own process group with empty standard input, and waits until it ends.
/// Returns NOT_FOUND if the program does not exist. Kills the process group and returns
/// DEADLINE_EXCEEDED, CANCELLED, or RESOURCE_EXHAUSTED after too much output.
absl::StatusOr<ProcessResult> RunProcess(const ProcessSpec& spec);

}  // namespace xebec::kube::internal
