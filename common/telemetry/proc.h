// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::telemetry {

/// Figures of this process, from /proc and its cgroup.
struct ProcFigures {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double open_fds = 0;
  double start_time_seconds = 0;  ///< Since the epoch.
  double memory_limit_bytes = 0;  ///< Of the container (its cgroup); 0 without a limit.
};

/// The bytes in a cgroup's memory.max (or limit_in_bytes): 0 for "max", for the enormous number by
/// which cgroups v1 say the same, and for anything that is no number.
double ParseMemoryLimit(const std::string& text);

/// Reads /proc/self and /sys/fs/cgroup; figures that cannot be read stay 0.
ProcFigures ReadProc();

}  // namespace xebec::telemetry
