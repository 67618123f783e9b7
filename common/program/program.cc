// SPDX-License-Identifier: Apache-2.0
#include "common/program/program.h"

#include <iostream>

#include "common/telemetry/process.h"

namespace xebec::program {
namespace {

int Complain(const Program& program, ExitCode code, const absl::Status& why) {
  std::cerr << program.name << ": " << why.message() << "\n";
  return code;
}

}  // namespace

int Main(const Program& program, int argc, char** argv, const config::Environment& environment) {
  config::Binder binder(program.name, program.summary, telemetry::Version());
  program.bind(binder);
  const absl::StatusOr<config::Next> next = binder.Load(argc, argv, environment);
  if (!next.ok()) return Complain(program, kUsage, next.status());
  if (*next == config::Next::kExit) return kDone;
  if (program.validate) {
    if (const absl::Status valid = program.validate(); !valid.ok()) {
      return Complain(program, kUsage, valid);
    }
  }
  if (program.log) {
    if (const absl::Status log = telemetry::InitLog(program.log()); !log.ok()) {
      return Complain(program, kUsage, log);
    }
  }
  if (program.waits_for_stop) telemetry::BlockStopSignals();
  const absl::Status run = program.run();
  return run.ok() ? kDone : Complain(program, kFailed, run);
}

}  // namespace xebec::program
