// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// What every process of the project does the same way.
namespace xebec::telemetry {

/// "0.1.0": the version that was built.
std::string Version();

/// Blocks SIGTERM and SIGINT for this thread and those it starts, and ignores SIGPIPE. Call first
/// in main.
void BlockStopSignals();

/// Waits for SIGTERM or SIGINT; returns its name.
std::string WaitForStopSignal();

}  // namespace xebec::telemetry
