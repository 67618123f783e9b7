// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::telemetry {

/// Resource usage of this process, from /proc and its cgroup.
struct ProcFigures {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double open_fds = 0;
  double start_time_seconds = 0;  ///< Since the Unix epoch.
  double memory_limit_bytes = 0;  ///< Memory limit of the container's cgroup; 0 without a limit.
};

/// Parses a cgroup's memory.max (or limit_in_bytes) in bytes. Returns 0 for "max", for the huge
/// number that means "no limit" in cgroups v1, and for text that is not a number.
double ParseMemoryLimit(const std::string& text);

/// Reads /proc/self and /sys/fs/cgroup. Values that cannot be read are 0.
ProcFigures ReadProc();

}  // namespace xebec::telemetry
