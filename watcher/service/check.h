// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/rpc/tls_settings.h"

namespace xebec::watcher {

/// What `xebec-watcher check` is told.
struct CheckSettings {
  std::string watcher;  ///< Empty: is not asked.
  std::string planner = "127.0.0.1:7443";
  std::string applier = "127.0.0.1:7444";
  absl::Duration timeout = absl::Seconds(5);  ///< Of each call.
  absl::Duration wait;  ///< How long it is tried anew: Pods come and go, and DNS tells it later.
  rpc::TlsSettings tls;
};

/// Gives every setting its key, flag and variable.
void Bind(CheckSettings& settings, config::Binder& binder);

/// Whether they can be meant: addresses that can be read, certificates that fit and are valid now.
absl::Status Validate(const CheckSettings& settings);

/// Asks the services at all their addresses whether they serve, and each planner for one plan, as a
/// watcher would; while something is wrong, after each `pause` until settings.wait is over. Blocks.
/// The answer says for people what was found; an error, who does not do what. `settings` are valid.
absl::StatusOr<std::string> Check(const CheckSettings& settings,
                                  absl::Duration pause = absl::Seconds(1));

}  // namespace xebec::watcher
