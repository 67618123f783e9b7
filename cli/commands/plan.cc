// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "cli/commands/message_json.h"
#include "cli/text/diff_text.h"
#include "cli/text/plan_text.h"
#include "cli/text/words.h"
#include "common/base/status.h"
#include "common/codec/codec.h"
#include "planner/core/make_plan.h"
#include "planner/kinds/built_in.h"

namespace xebec::cli {
namespace {

absl::StatusOr<std::string> ReadAll(const std::string& file, std::istream& in) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is a directory; pass the files in it"));
  }
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  std::istream& source = file == "-" ? in : opened;
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  if (!source || source.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", file));
  return text;
}

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

absl::StatusOr<std::vector<Observation>> ReadFiles(const PlanOptions& options, std::istream& in) {
  std::vector<Observation> observations;
  for (const std::string& file : options.files) {
    XEBEC_ASSIGN_OR_RETURN(const std::string text, ReadAll(file, in));
    XEBEC_ASSIGN_OR_RETURN(std::vector<Observation> read, ReadObservations(text, file));
    std::move(read.begin(), read.end(), std::back_inserter(observations));
  }
  return observations;
}

using Print = std::function<void(const Observation&, const Plan&)>;

/// Plans all parents in the files and prints each plan.
absl::Status PlanAll(const PlanOptions& options, std::istream& in, const Print& print) {
  XEBEC_ASSIGN_OR_RETURN(const std::vector<Observation> observations, ReadFiles(options, in));
  const planner::KindRegistry kinds = planner::BuiltInKinds();
  size_t invalid = 0;
  for (const Observation& each : observations) {
    absl::StatusOr<Plan> plan =
        options.planner.empty() ? planner::MakePlan(each, kinds) : AskForPlan(options, each);
    if (!plan.ok()) return About(each, plan.status());
    if (plan->verdict == Verdict::kInvalid) ++invalid;
    print(each, *plan);
  }
  if (invalid == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot plan ", invalid, " of ", Count(observations.size(), "parent")));
}

}  // namespace

absl::Status MakePlans(const PlanOptions& options, std::istream& in, std::ostream& out) {
  const char* gap = "";
  return PlanAll(options, in, [&](const Observation& observation, const Plan& plan) {
    out << gap << (options.json ? AsJson(plan) : PlanText(ParentOf(observation), plan));
    gap = options.json ? "" : "\n";
  });
}

absl::StatusOr<bool> MakeDiffs(const PlanOptions& options, std::istream& in, std::ostream& out) {
  bool differs = false;
  XEBEC_RETURN_IF_ERROR(PlanAll(options, in, [&](const Observation& observation, const Plan& plan) {
    const std::string text = DiffText(observation, plan);
    out << (differs && !text.empty() ? "\n" : "") << text;
    differs |= !text.empty();
  }));
  return differs;
}

}  // namespace xebec::cli
