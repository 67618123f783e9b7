// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "cli/commands/connection.h"

/// What a watcher can be asked. Each prints the answer to `out`; errors say who did not answer, or
/// what the watcher said instead.
namespace xebec::cli {

/// A watcher, and how its answers are written.
struct Asking {
  std::string watcher;  ///< Its address, as rpc::ParseTargets reads it.
  Transport transport;
  bool json = false;  ///< The messages of the contract instead of text.
};

/// A parent in the words of kubectl.
struct ParentName {
  std::string kind;  ///< Plural, kind or plural.group.
  std::string ns;    ///< Empty for cluster-scoped kinds.
  std::string name;
};

/// ("iris/web", "") and ("iris", "web") name the same. INVALID_ARGUMENT when kind or name is
/// missing or given twice.
absl::StatusOr<ParentName> ReadParentName(const std::string& kind, const std::string& name,
                                          const std::string& ns);

/// Which parents there are and where each of them is; an empty kind or namespace means all.
/// INVALID_ARGUMENT when one parent is named.
absl::Status AskForKeys(const Asking& asking, const std::string& kind, const std::string& ns,
                        std::ostream& out);

/// Why the parent is where it is.
absl::Status AskWhy(const Asking& asking, const ParentName& parent, std::ostream& out);

/// What would be sent to a planner for it now, as JSON that `xebec plan` and grpcurl take.
absl::Status AskForObservation(const Asking& asking, const ParentName& parent, std::ostream& out);

/// What the watcher does from now on, line by line, for ever: when a connection ends another is
/// made, which `err` tells. Ends when `out` cannot be written, or when no watcher answers from the
/// beginning.
absl::Status FollowActivity(const Asking& asking, std::ostream& out, std::ostream& err);

}  // namespace xebec::cli
