// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/commands/connection.h"
#include "common/model/hook.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "hooks/service/hook_caller.h"
#include "planner/core/kind.h"

namespace xebec::cli {

/// The flags of commands that call a hook.
struct HookOptions {
  std::string address;  ///< Instead of the Operator's. Empty: no hook is called.
  /// The name in the certificate. Empty: what the Operator says if it declares TLS, otherwise the
  /// host of the address.
  std::string server_name;
};

/// Returns INVALID_ARGUMENT unless the address is host:port or, for HTTP, host:port/path.
absl::Status CheckHookAddress(const std::string& address);

/// Calls the hooks of Operators at an address that a flag names. All methods block.
class HookClient {
 public:
  /// Reads the files of the flags. Without files, the Operator decides on TLS.
  static absl::StatusOr<HookClient> Make(const HookOptions& options, const Transport& transport);

  gateway::OpenResult Describe(const HookCall& call);
  /// Calls Sync.
  HookAnswer Answer(const HookRequest& request);

  /// Plans, and calls the hook for the requests of the plan. The answers become part of the
  /// observation.
  Plan MakePlan(const planner::KindRegistry& kinds, Observation* observation);

 private:
  HookClient() = default;
  HookEndpoint EndpointOf(const HookEndpoint& declared) const;

  HookOptions options_;
  bool plaintext_ = false;
  bool has_certificate_ = false;
  std::string ca_;  ///< Empty: what the Operator says.
  std::unique_ptr<gateway::HookCaller> caller_;
};

}  // namespace xebec::cli
