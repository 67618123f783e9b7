// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "common/config/config.h"
#include "common/telemetry/log.h"

/// The main() that all programs of the project share.
namespace xebec::program {

/// Why a program ended, as its exit code says it.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,  ///< It could not do what it is for.
  kUsage = 2,   ///< It was told something that cannot be meant.
};

/// What is a program's own; called in this order.
struct Program {
  std::string name;     ///< "xebec-planner": in --help and before every complaint.
  std::string summary;  ///< One sentence for --help.
  std::function<void(config::Binder&)> bind;
  std::function<absl::Status()> validate;      ///< Whether the settings can be meant; may be empty.
  std::function<telemetry::LogOptions()> log;  ///< Empty: writes no log.
  std::function<absl::Status()> run;
  bool waits_for_stop = false;  ///< run() itself waits for SIGTERM and SIGINT.
};

/// Settings from file, environment and flags; then the log; then run(), where it waits for signals
/// with these blocked in this and all later threads. Errors go to standard error as one line.
/// Returns the exit code.
int Main(const Program& program, int argc, char** argv,
         const config::Environment& environment = config::ProcessEnvironment());

}  // namespace xebec::program
