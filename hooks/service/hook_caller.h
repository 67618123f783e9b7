// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/model/hook.h"
#include "common/telemetry/metrics.h"
#include "hooks/engine/messages.h"
#include "hooks/service/credentials.h"
#include "hooks/service/gateway_loop.h"
#include "hooks/service/gateway_metrics.h"

namespace xebec::gateway {

struct CallerOptions {
  absl::Duration connect_timeout = absl::Seconds(5);  ///< Of the connection and Describe together.
  /// Shown to hooks whose endpoint names a credential.
  std::optional<ClientCertificate> certificate;
};

/// Calls hooks as a gateway does, in this process and without its policy: for programs that a user
/// runs. Keeps no answers. All methods block. Thread-safe.
class HookCaller {
 public:
  explicit HookCaller(const CallerOptions& options);
  ~HookCaller();
  HookCaller(const HookCaller&) = delete;
  HookCaller& operator=(const HookCaller&) = delete;

  /// Connects to the hook of an Operator and returns its description.
  OpenResult Describe(const std::string& operator_name, const HookEndpoint& endpoint);

  /// Calls Sync and returns the encoded xebec.hooks.v1.SyncResponse.
  std::variant<std::string, HookFailure> Sync(HookCall call);

 private:
  LoopOptions OptionsOf(const CallerOptions& options);
  HookReply Call(HookCall call) ABSL_LOCKS_EXCLUDED(mu_);

  const absl::Duration connect_timeout_;
  Mutex mu_;
  CondVar replied_;
  uint64_t sequence_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<uint64_t, HookReply> replies_ ABSL_GUARDED_BY(mu_);
  std::optional<OpenResult> opened_ ABSL_GUARDED_BY(mu_);
  telemetry::Registry registry_;
  GatewayMetrics metrics_;
  GatewayLoop loop_;
  uint64_t stream_ = 0;
};

}  // namespace xebec::gateway
