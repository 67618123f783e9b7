// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "applier/service/dispatch_loop.h"
#include "common/base/mutex.h"
#include "common/telemetry/metrics.h"

namespace xebec::applier {

/// Shows the state of the dispatch loop as metrics. Thread-safe: scrapes may run at the same time.
class LoopMetrics {
 public:
  /// `registry` outlives this.
  explicit LoopMetrics(telemetry::Registry* registry);

  /// Called before each scrape.
  void Update(const DispatchLoop& loop) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  struct ClassGauges {
    telemetry::Gauge allowed, at_minimum, latency;
  };

  void UpdateClass(const RequestBudget::Figures& figures) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  telemetry::Registry* const registry_;
  telemetry::Gauge plans_, in_flight_, allowed_, at_minimum_, unavailable_, waiting_events_,
      clock_skew_;
  telemetry::Counter dropped_events_;
  Mutex mu_;
  std::map<RequestClass, ClassGauges> classes_ ABSL_GUARDED_BY(mu_);
  std::map<int, telemetry::Counter> lease_errors_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::applier
