// SPDX-License-Identifier: Apache-2.0
#include "planner/service/process.h"

#include <iostream>

#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "planner/service/settings.h"

namespace xebec::planner {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

int Fail(int code, const absl::Status& why) {
  std::cerr << "xebec-planner: " << why.message() << "\n";
  return code;
}

}  // namespace

int RunProcess(int argc, char** argv, const std::function<Release(const Settings&)>& release) {
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
  const absl::Status run = RunPlanner(settings, release(settings), telemetry::WaitForStopSignal);
  return run.ok() ? 0 : Fail(kFailure, run);
}

}  // namespace xebec::planner
