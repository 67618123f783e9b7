// SPDX-License-Identifier: Apache-2.0
// xebec-planner: decides what should be written, from what it is shown alone.
#include <iostream>

#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "planner/service/settings.h"
#include "planner/service/wiring.h"

namespace xebec::planner {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

int Fail(int code, const absl::Status& why) {
  std::cerr << "xebec-planner: " << why.message() << "\n";
  return code;
}

int Main(int argc, char** argv) {
  Settings settings;
  config::Binder binder("xebec-planner",
                        "Decides what should be written, from what it is shown alone.",
                        telemetry::Version());
  Bind(settings, binder);
  const absl::StatusOr<config::Next> next = binder.Load(argc, argv, config::ProcessEnvironment());
  if (!next.ok()) return Fail(kUsage, next.status());
  if (*next == config::Next::kExit) return 0;
  if (const absl::Status valid = Validate(settings); !valid.ok()) return Fail(kUsage, valid);
  const absl::Status log = telemetry::InitLog(
      {.component = "planner", .level = settings.log_level, .format = settings.log_format});
  if (!log.ok()) return Fail(kUsage, log);
  telemetry::BlockStopSignals();
  const absl::Status run = RunPlanner(settings, telemetry::WaitForStopSignal);
  return run.ok() ? 0 : Fail(kFailure, run);
}

}  // namespace
}  // namespace xebec::planner

int main(int argc, char** argv) { return xebec::planner::Main(argc, argv); }
