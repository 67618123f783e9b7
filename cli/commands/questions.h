// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "cli/commands/connection.h"

/// The requests to a watcher, which answers for all watchers. Each prints the answer to `out`, and
/// to `err` a warning for each other watcher whose part is missing. Errors name the watcher that
/// did not answer, or contain the error that it returned.
namespace xebec::cli {

/// A watcher, and the format of the output.
struct Asking {
  std::string watcher;  ///< Its address, in a form that rpc::ParseTargets accepts.
  Transport transport;
  bool json = false;  ///< Print the protocol messages as JSON instead of text.
};

/// A parent, named as in kubectl.
struct ParentName {
  std::string kind;  ///< Plural, kind or plural.group.
  std::string ns;    ///< Empty for cluster-scoped kinds.
  std::string name;
  std::string controller = "";  ///< Empty: the only one.
};

/// Parses ("iris/web", "") or ("iris", "web"). INVALID_ARGUMENT if kind or name is missing or given
/// twice.
absl::StatusOr<ParentName> ReadParentName(const std::string& kind, const std::string& name,
                                          const std::string& ns);

/// Lists the parents and their states page by page; an empty kind or namespace means all. If an
/// error ends the listing, `out` has the pages before it. INVALID_ARGUMENT if `kind` names one
/// parent.
absl::Status AskForKeys(const Asking& asking, const std::string& kind, const std::string& ns,
                        std::ostream& out, std::ostream& err);

/// Explains the state of the parent.
absl::Status AskWhy(const Asking& asking, const ParentName& parent, std::ostream& out,
                    std::ostream& err);

/// Prints the observation that a planner would receive now, as JSON that `xebec plan` and grpcurl
/// accept.
absl::Status AskForObservation(const Asking& asking, const ParentName& parent, std::ostream& out,
                               std::ostream& err);

/// Lists the watchers of the installation.
absl::Status AskForWatchers(const Asking& asking, std::ostream& out, std::ostream& err);

/// Prints the activity of all watchers from now on, one line each. Reconnects when the connection
/// ends and says so in `err`. Returns when `out` cannot be written, or when no watcher answers the
/// first request.
absl::Status FollowActivity(const Asking& asking, std::ostream& out, std::ostream& err);

}  // namespace xebec::cli
