// SPDX-License-Identifier: Apache-2.0
// xebec-watcher: sees what changes, asks a planner, hands plans to an applier.
#include <iostream>
#include <string_view>

#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "watcher/service/check.h"
#include "watcher/service/process.h"
#include "watcher/service/settings.h"

namespace xebec::watcher {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

int Fail(int code, const absl::Status& why) {
  std::cerr << "xebec-watcher: " << why.message() << "\n";
  return code;
}

/// `xebec-watcher check`: one line, and ends.
int CheckMain(int argc, char** argv) {
  CheckSettings settings;
  config::Binder binder("xebec-watcher check",
                        "Asks the three services for health, and the planner for one plan.",
                        telemetry::Version());
  Bind(settings, binder);
  const absl::StatusOr<config::Next> next = binder.Load(argc, argv, config::ProcessEnvironment());
  if (!next.ok()) return Fail(kUsage, next.status());
  if (*next == config::Next::kExit) return 0;
  const absl::StatusOr<std::string> found = Check(settings);
  if (!found.ok()) return Fail(kFailure, found.status());
  std::cout << "xebec-watcher check: " << *found << "\n";
  return 0;
}

int Main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "check") return CheckMain(argc - 1, argv + 1);
  Settings settings;
  config::Binder binder("xebec-watcher",
                        "Sees what changes, asks a planner, hands plans to an applier.",
                        telemetry::Version());
  Bind(settings, binder);
  const absl::StatusOr<config::Next> next = binder.Load(argc, argv, config::ProcessEnvironment());
  if (!next.ok()) return Fail(kUsage, next.status());
  if (*next == config::Next::kExit) return 0;
  if (const absl::Status valid = Validate(settings); !valid.ok()) return Fail(kUsage, valid);
  const absl::Status log = telemetry::InitLog(
      {.component = "watcher", .level = settings.log_level, .format = settings.log_format});
  if (!log.ok()) return Fail(kUsage, log);
  telemetry::BlockStopSignals();
  if (const absl::Status run = RunProcess(settings); !run.ok()) return Fail(kFailure, run);
  return 0;
}

}  // namespace
}  // namespace xebec::watcher

int main(int argc, char** argv) { return xebec::watcher::Main(argc, argv); }
