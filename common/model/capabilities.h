// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec {

/// The optional features of the contract that a service supports (xebec.v1.Capability). The
/// defaults are the features of this version. Services exchange them so that different versions can
/// work together.
struct Capabilities {
  bool live_list = true;      ///< Answers Plan::live_lists with groups marked live.
  bool ensure_secret = true;  ///< Carries out EnsureSecret operations, or passes them on.
  bool hooks = true;          ///< Answers Plan::hook_requests.
  bool event_reads = true;    ///< Answers Plan::event_reads.

  bool operator==(const Capabilities&) const = default;
};

}  // namespace xebec
