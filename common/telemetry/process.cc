// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/process.h"

#include <csignal>

namespace xebec::telemetry {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

std::string Version() { return XEBEC_VERSION; }

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::string WaitForStopSignal() {
  const sigset_t set = StopSignals();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return signal == SIGTERM ? "SIGTERM" : "SIGINT";
}

}  // namespace xebec::telemetry
