// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec {

/// Optional features of the contract that a peer honours (xebec.v1.Capability); by default those of
/// this version. So that versions can work side by side, each service says its own.
struct Capabilities {
  bool live_list = true;      ///< Answers Plan::live_lists with groups marked live.
  bool ensure_secret = true;  ///< Carries EnsureSecret out, or passes it on.

  bool operator==(const Capabilities&) const = default;
};

}  // namespace xebec
