// SPDX-License-Identifier: Apache-2.0
// xebec-applier: carries plans out, within the limits of its own configuration.
#include <iostream>

#include "applier/service/settings.h"
#include "applier/service/wiring.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"

namespace xebec::applier {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

int Fail(int code, const absl::Status& why) {
  std::cerr << "xebec-applier: " << why.message() << "\n";
  return code;
}

int Main(int argc, char** argv) {
  Settings settings;
  config::Binder binder("xebec-applier",
                        "Carries plans out, within the limits of its own configuration.",
                        telemetry::Version());
  Bind(settings, binder);
  const absl::StatusOr<config::Next> next = binder.Load(argc, argv, config::ProcessEnvironment());
  if (!next.ok()) return Fail(kUsage, next.status());
  if (*next == config::Next::kExit) return 0;
  if (const auto valid = Resolve(settings); !valid.ok()) return Fail(kUsage, valid.status());
  const absl::Status log = telemetry::InitLog(
      {.component = "applier", .level = settings.log_level, .format = settings.log_format});
  if (!log.ok()) return Fail(kUsage, log);
  telemetry::BlockStopSignals();
  const absl::Status run = RunApplier(settings, telemetry::WaitForStopSignal);
  return run.ok() ? 0 : Fail(kFailure, run);
}

}  // namespace
}  // namespace xebec::applier

int main(int argc, char** argv) { return xebec::applier::Main(argc, argv); }
