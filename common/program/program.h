// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "common/config/config.h"
#include "common/telemetry/log.h"

/// The main() that all programs of the project share.
namespace xebec::program {

/// The exit codes of the programs.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,  ///< The program failed.
  kUsage = 2,   ///< The settings or arguments are invalid.
};

/// The parts that differ between programs. Main calls the functions in this order.
struct Program {
  std::string name;     ///< "xebec-planner": used in --help and as the prefix of error messages.
  std::string summary;  ///< One sentence for --help.
  std::function<void(config::Binder&)> bind;
  std::function<absl::Status()> validate;      ///< Checks the settings; may be empty.
  std::function<telemetry::LogOptions()> log;  ///< If empty, the program writes no log.
  std::function<absl::Status()> run;
  bool waits_for_stop = false;  ///< True if run() waits for SIGTERM and SIGINT.
};

/// Loads the settings from file, environment and flags, sets up the log and calls run(). If
/// `waits_for_stop` is true, blocks SIGTERM and SIGINT in this thread and all later threads before
/// run(). Writes an error as one line to standard error. Returns the exit code.
int Main(const Program& program, int argc, char** argv,
         const config::Environment& environment = config::ProcessEnvironment());

}  // namespace xebec::program
