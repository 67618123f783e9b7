// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/telemetry/metrics.h"
#include "hooks/engine/gateway.h"
#include "hooks/engine/messages.h"

namespace xebec::gateway {

/// The metrics of the gateway. An operator has series while the gateway has a connection to its
/// hook or has had one recently; the series of further operators than kMostOperators are summed up
/// as "other". Thread-safe.
class GatewayMetrics {
 public:
  static constexpr size_t kMostOperators = 512;

  /// `registry` must not be scraped after the destructor.
  explicit GatewayMetrics(telemetry::Registry* registry);

  /// Counts the reply to a Sync call; ignores Describe calls.
  void Replied(const SendReply& reply) ABSL_LOCKS_EXCLUDED(mu_);
  /// Drops the series of an operator.
  void Forget(const std::string& operator_name) ABSL_LOCKS_EXCLUDED(mu_);
  void Set(const Gateway::Figures& figures) ABSL_LOCKS_EXCLUDED(mu_);

  /// Returns the families of the metrics.
  std::vector<telemetry::Family> Families() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  struct Series {
    std::map<std::string, uint64_t> results;
    std::vector<uint64_t> buckets;
    double seconds = 0;
  };

  mutable Mutex mu_;
  const std::vector<double> bounds_;
  std::map<std::string, Series> operators_ ABSL_GUARDED_BY(mu_);
  uint64_t hits_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t misses_ ABSL_GUARDED_BY(mu_) = 0;
  Gateway::Figures figures_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::gateway
