// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/process.h"

#include <csignal>
#include <ctime>
#include <string>

#include "common/telemetry/file_pages.h"

namespace xebec::telemetry {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

std::string NameOf(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

// How long a service may need to connect to its peers and to read what it watches.
constexpr timespec kStart = {.tv_sec = 10, .tv_nsec = 0};

}  // namespace

std::string Version() { return XEBEC_VERSION; }

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::string WaitForStopSignal() {
  const sigset_t set = StopSignals();
  if (const int early = sigtimedwait(&set, nullptr, &kStart); early > 0) return NameOf(early);
  ReleaseFilePages();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return NameOf(signal);
}

}  // namespace xebec::telemetry
