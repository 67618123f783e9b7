// SPDX-License-Identifier: Apache-2.0
// xebec-applier: carries plans out, within the limits of its own configuration.
#include "applier/service/settings.h"
#include "applier/service/wiring.h"
#include "common/program/program.h"
#include "common/telemetry/process.h"

namespace xebec::applier {
namespace {

int Main(int argc, char** argv) {
  Settings settings;
  program::Program applier{"xebec-applier",
                           "Applies plans within the limits of its own configuration."};
  applier.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  applier.validate = [&settings] { return Resolve(settings).status(); };
  applier.log = [&settings] { return service::LogOptionsOf(settings, "applier"); };
  applier.waits_for_stop = true;
  applier.run = [&settings] { return RunApplier(settings, telemetry::WaitForStopSignal); };
  return program::Main(applier, argc, argv);
}

}  // namespace
}  // namespace xebec::applier

int main(int argc, char** argv) { return xebec::applier::Main(argc, argv); }
