// SPDX-License-Identifier: Apache-2.0
#include "planner/service/process.h"

#include "common/program/program.h"
#include "common/telemetry/process.h"
#include "planner/service/settings.h"

namespace xebec::planner {

int RunProcess(int argc, char** argv, const Release& release) {
  Settings settings;
  program::Program planner{"xebec-planner",
                           "Computes plans from the observations that it receives."};
  planner.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  planner.validate = [&settings] { return Validate(settings); };
  planner.log = [&settings] { return service::LogOptionsOf(settings, "planner"); };
  planner.waits_for_stop = true;
  planner.run = [&] { return RunPlanner(settings, release, telemetry::WaitForStopSignal); };
  return program::Main(planner, argc, argv);
}

}  // namespace xebec::planner
