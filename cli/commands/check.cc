// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "cli/text/words.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/rpc/server/health.h"

namespace xebec::cli {
namespace {

/// A parent that exists in no cluster. Its plan is not executed.
constexpr char kParent[] =
    R"({"apiVersion":"example.com/v1alpha1","kind":"Iris","metadata":{"name":"check"},)"
    R"("spec":{"replicas":1}})";

/// The number of operations in the planner's plan for a parent without children.
absl::StatusOr<size_t> AskForSize(const Peer& planner, absl::Duration timeout) {
  Observation observation;
  observation.parent = MakeObjectBytes(kParent);
  XEBEC_ASSIGN_OR_RETURN(const Plan plan, AskPlanner(planner, observation, timeout));
  const size_t operations = CountOperations(plan);
  if (operations == 0) return absl::InternalError("the plan for a test Iris is empty");
  return operations;
}

class Checker {
 public:
  explicit Checker(const CheckOptions& options) : options_(options) {}

  /// Returns all replicas of the service at `where` after each has reported that it is serving.
  absl::StatusOr<std::vector<Peer>> Serving(const std::string& name, const std::string& where) {
    absl::StatusOr<std::vector<Peer>> peers = PeersAt(name, where, options_.transport);
    if (!peers.ok()) return peers;
    for (const Peer& peer : *peers) {
      const absl::Status health = rpc::CheckHealth(peer.channel, options_.transport.timeout);
      if (!health.ok()) return Complaint(peer, health);
    }
    absl::StrAppend(&found_, found_.empty() ? "" : ", ", name, " (", peers->size(), ")");
    return peers;
  }

  /// Asks every planner for a plan and returns the number of operations.
  absl::StatusOr<size_t> Planned(const std::vector<Peer>& planners) const {
    size_t operations = 0;
    for (const Peer& planner : planners) {
      const absl::StatusOr<size_t> planned = AskForSize(planner, options_.transport.timeout);
      if (!planned.ok()) return Complaint(planner, planned.status());
      operations = *planned;
    }
    return operations;
  }

  const std::string& found() const { return found_; }

 private:
  const CheckOptions& options_;
  std::string found_;
};

absl::StatusOr<std::string> CheckOnce(const CheckOptions& options) {
  Checker checker(options);
  if (!options.watcher.empty()) {
    const auto watchers = checker.Serving("watcher", options.watcher);
    if (!watchers.ok()) return watchers.status();
  }
  const auto planners = checker.Serving("planner", options.planner);
  if (!planners.ok()) return planners.status();
  const auto appliers = checker.Serving("applier", options.applier);
  if (!appliers.ok()) return appliers.status();
  if (!options.hooks.empty()) {
    const auto gateways = checker.Serving("gateway", options.hooks);
    if (!gateways.ok()) return gateways.status();
  }
  const absl::StatusOr<size_t> operations = checker.Planned(*planners);
  if (!operations.ok()) return operations.status();
  return absl::StrCat(checker.found(), " are serving; the plan for a test Iris has ",
                      Count(*operations, "operation"));
}

}  // namespace

absl::StatusOr<std::string> Check(const CheckOptions& options, absl::Duration pause) {
  const absl::Duration end = ReadClock().monotonic + options.wait;
  absl::StatusOr<std::string> found = CheckOnce(options);
  while (!found.ok() && ReadClock().monotonic < end) {
    absl::Notification().WaitForNotificationWithTimeout(pause);
    found = CheckOnce(options);
  }
  return found;
}

}  // namespace xebec::cli
