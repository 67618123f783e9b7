// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan.h"

#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands/declared_parents.h"
#include "cli/commands/documents.h"
#include "cli/commands/hook_client.h"
#include "cli/commands/message_json.h"
#include "cli/commands/recording.h"
#include "cli/text/diff_text.h"
#include "cli/text/plan_text.h"
#include "cli/text/words.h"
#include "common/base/status.h"
#include "common/codec/codec.h"
#include "planner/core/make_plan.h"
#include "planner/hooks/hook_codec.h"
#include "planner/kinds/built_in.h"

namespace xebec::cli {
namespace {

absl::StatusOr<Plan> AskForPlan(const PlanOptions& options, const Observation& observation) {
  absl::StatusOr<Plan> plan;
  XEBEC_RETURN_IF_ERROR(
      AtFirstThatAnswers("planner", options.planner, options.transport, [&](const Peer& peer) {
        plan = AskPlanner(peer, observation, options.transport.timeout);
        return plan.status();
      }));
  return plan;
}

absl::Status About(const Observation& observation, const absl::Status& status) {
  return {status.code(), absl::StrCat(ParentOf(observation), ": ", status.message())};
}

std::string AsJson(const Plan& plan) {
  v1::PlanResponse response;
  codec::EncodePlan(plan, codec::ObjectForm::kObject, response.mutable_plan());
  return MessageJson(response);
}

/// Plans parents in the way that the flags choose.
class Planning {
 public:
  explicit Planning(const PlanOptions& options) : options_(options), kinds_(AllKinds()) {}

  /// Reads the files of the flags.
  absl::Status Begin() {
    if (options_.hook.address.empty()) return absl::OkStatus();
    XEBEC_ASSIGN_OR_RETURN(hook_, HookClient::Make(options_.hook, options_.transport));
    return absl::OkStatus();
  }

  absl::StatusOr<Plan> MakePlan(Observation* observation) {
    if (hook_) return hook_->MakePlan(kinds_, observation);
    if (options_.planner.empty()) return planner::MakePlan(*observation, kinds_);
    return AskForPlan(options_, *observation);
  }

  /// Returns true if the plan does not say what would be written. A hook that fails is a failure of
  /// the command that calls it.
  bool IsFailed(const Plan& plan) const {
    return plan.verdict == Verdict::kInvalid || (hook_ && plan.verdict == Verdict::kRetry);
  }

 private:
  const PlanOptions& options_;
  const planner::KindRegistry kinds_;
  std::optional<HookClient> hook_;
};

/// Prints a plan. Returns false if the command fails because of the plan.
using Print = std::function<bool(const Planning&, const Observation&, const Plan&)>;

/// Plans all parents in the files and prints each plan.
absl::Status PlanAll(const PlanOptions& options, std::istream& in, const Print& print) {
  XEBEC_ASSIGN_OR_RETURN(std::vector<Observation> observations, ReadFiles(options.files, in));
  if (!options.hook.address.empty()) {
    XEBEC_ASSIGN_OR_RETURN(observations, WithOperators(std::move(observations)));
  }
  Planning planning(options);
  XEBEC_RETURN_IF_ERROR(planning.Begin());
  Recording recording;
  size_t failed = 0;
  for (Observation& each : observations) {
    each.capabilities.event_reads = false;  // plan without the Events that nobody reads here
    const absl::StatusOr<Plan> plan = planning.MakePlan(&each);
    if (!plan.ok()) return About(each, plan.status());
    if (!print(planning, each, *plan)) ++failed;
    if (!options.record.empty()) recording.Add(each);
  }
  if (!options.record.empty()) XEBEC_RETURN_IF_ERROR(recording.Write(options.record));
  if (failed == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot plan ", failed, " of ", Count(observations.size(), "parent")));
}

}  // namespace

planner::KindRegistry AllKinds() {
  planner::KindRegistry kinds = planner::BuiltInKinds();
  kinds.SetHookCodec(planner::HooksV1());
  return kinds;
}

absl::StatusOr<std::vector<Observation>> ReadFiles(const std::vector<std::string>& files,
                                                   std::istream& in) {
  std::vector<Observation> observations;
  for (const std::string& file : files) {
    XEBEC_ASSIGN_OR_RETURN(const std::string text, ReadFileOr(file, in));
    XEBEC_ASSIGN_OR_RETURN(std::vector<Observation> read, ReadObservations(text, file));
    std::move(read.begin(), read.end(), std::back_inserter(observations));
  }
  return observations;
}

absl::Status MakePlans(const PlanOptions& options, std::istream& in, std::ostream& out) {
  const char* gap = "";
  const auto print = [&](const Planning& planning, const Observation& observation,
                         const Plan& plan) {
    out << gap << (options.json ? AsJson(plan) : PlanText(ParentOf(observation), plan));
    gap = options.json ? "" : "\n";
    return !planning.IsFailed(plan);
  };
  return PlanAll(options, in, print);
}

absl::StatusOr<bool> MakeDiffs(const PlanOptions& options, std::istream& in, std::ostream& out) {
  bool differs = false;
  const auto print = [&](const Planning&, const Observation& observation, const Plan& plan) {
    const std::string text = DiffText(observation, plan);
    out << (differs && !text.empty() ? "\n" : "") << text;
    differs |= !text.empty();
    return UndecidedText(plan).empty();
  };
  XEBEC_RETURN_IF_ERROR(PlanAll(options, in, print));
  return differs;
}

}  // namespace xebec::cli
