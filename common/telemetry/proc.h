// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::telemetry {

/// What /proc says of this process.
struct ProcFigures {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double open_fds = 0;
  double start_time_seconds = 0;  ///< Since the epoch.
};

/// Reads /proc/self; figures that cannot be read stay 0.
ProcFigures ReadProc();

}  // namespace xebec::telemetry
