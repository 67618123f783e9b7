// SPDX-License-Identifier: Apache-2.0
// xebec-watcher: sees what changes, asks a planner, hands plans to an applier.
#include <iostream>
#include <string_view>

#include "common/program/program.h"
#include "common/rpc/grpc_log.h"
#include "watcher/service/check.h"
#include "watcher/service/process.h"
#include "watcher/service/settings.h"

namespace xebec::watcher {
namespace {

/// `xebec-watcher check`: one line, and ends.
int CheckMain(int argc, char** argv) {
  CheckSettings settings;
  program::Program check{"xebec-watcher check",
                         "Asks the three services for health, and the planner for one plan."};
  check.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  check.validate = [&settings] { return Validate(settings); };
  check.run = [&settings] {
    rpc::SilenceGrpc();
    const absl::StatusOr<std::string> found = Check(settings);
    if (found.ok()) std::cout << "xebec-watcher check: " << *found << "\n";
    return found.status();
  };
  return program::Main(check, argc, argv);
}

int WatcherMain(int argc, char** argv) {
  Settings settings;
  program::Program watcher{"xebec-watcher",
                           "Sees what changes, asks a planner, hands plans to an applier."};
  watcher.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  watcher.validate = [&settings] { return Validate(settings); };
  watcher.log = [&settings] {
    return telemetry::LogOptions{"watcher", settings.log_level, settings.log_format};
  };
  watcher.waits_for_stop = true;
  watcher.run = [&settings] { return RunWatcher(settings); };
  return program::Main(watcher, argc, argv);
}

}  // namespace
}  // namespace xebec::watcher

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::string_view(argv[1]) == "check";
  return check ? xebec::watcher::CheckMain(argc - 1, argv + 1)
               : xebec::watcher::WatcherMain(argc, argv);
}
