// SPDX-License-Identifier: Apache-2.0
// xebec-watcher: sees what changes, asks a planner, hands plans to an applier.
#include "common/program/program.h"
#include "watcher/service/process.h"
#include "watcher/service/settings.h"

int main(int argc, char** argv) {
  using xebec::watcher::Settings;
  Settings settings;
  xebec::program::Program watcher{
      "xebec-watcher",
      "Watches the API server, requests plans from planners and sends them to appliers."};
  watcher.bind = [&settings](xebec::config::Binder& binder) { Bind(settings, binder); };
  watcher.validate = [&settings] { return Validate(settings); };
  watcher.log = [&settings] { return xebec::service::LogOptionsOf(settings, "watcher"); };
  watcher.waits_for_stop = true;
  watcher.run = [&settings] { return xebec::watcher::RunWatcher(settings); };
  return xebec::program::Main(watcher, argc, argv);
}
