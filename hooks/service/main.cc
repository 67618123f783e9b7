// SPDX-License-Identifier: Apache-2.0
// xebec-hooks: calls the hooks of user-defined operators for the watcher.
#include "common/program/program.h"
#include "common/telemetry/process.h"
#include "hooks/service/settings.h"
#include "hooks/service/wiring.h"

namespace xebec::gateway {
namespace {

int Main(int argc, char** argv) {
  Settings settings;
  program::Program hooks{"xebec-hooks", "Calls the hooks of user-defined operators."};
  hooks.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  hooks.validate = [&settings] { return Resolve(settings, "").status(); };
  hooks.log = [&settings] { return service::LogOptionsOf(settings, "hooks"); };
  hooks.waits_for_stop = true;
  hooks.run = [&settings] { return RunGateway(settings, telemetry::WaitForStopSignal); };
  return program::Main(hooks, argc, argv);
}

}  // namespace
}  // namespace xebec::gateway

int main(int argc, char** argv) { return xebec::gateway::Main(argc, argv); }
