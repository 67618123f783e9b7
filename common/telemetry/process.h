// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Functions that all programs of the project use.
namespace xebec::telemetry {

/// Returns the version of this build: "0.1.0".
std::string Version();

/// Blocks SIGTERM and SIGINT for this thread and those it starts, and ignores SIGPIPE. Call first
/// in main.
void BlockStopSignals();

/// Waits for SIGTERM or SIGINT and returns its name. Whenever the process has become idle after its
/// start or other work, it releases the pages of code that it does not use now (file_pages.h).
std::string WaitForStopSignal();

}  // namespace xebec::telemetry
