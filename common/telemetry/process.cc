// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/process.h"

#include <csignal>
#include <ctime>
#include <string>

#include "absl/time/time.h"
#include "common/telemetry/file_pages.h"
#include "common/telemetry/idle_after_work.h"
#include "common/telemetry/proc.h"

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

}  // namespace

std::string Version() { return XEBEC_VERSION; }

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::string WaitForStopSignal() {
  const sigset_t set = StopSignals();
  const timespec period = absl::ToTimespec(IdleAfterWork::kPeriod);
  IdleAfterWork idle;
  while (true) {
    if (const int signal = sigtimedwait(&set, nullptr, &period); signal > 0) return NameOf(signal);
    if (idle.OnPeriod(absl::Seconds(ReadProc().cpu_seconds))) ReleaseFilePages();
  }
}

}  // namespace xebec::telemetry
