// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/hook_check.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/commands/check_report.h"
#include "cli/commands/declared_parents.h"
#include "cli/commands/plan.h"
#include "cli/text/objects.h"
#include "cli/text/plan_text.h"
#include "cli/text/words.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/declare/declaration.h"
#include "planner/core/make_plan.h"
#include "planner/hooks/hook_codec.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::cli {
namespace {

namespace wire = ::xebec::hooks::v1;

constexpr int kRepeats = 2;              // further calls with the same request
constexpr double kShareOfTimeout = 0.5;  // that a call may take on an idle machine

wire::SyncResponse Decode(const HookAnswer& answer) {
  wire::SyncResponse response;
  response.ParseFromString(std::get<std::string>(answer.result));
  return response;
}

std::string Notes(const Plan& plan) {
  return plan.notes.empty() ? "no reason is given" : plan.notes.back();
}

std::string SummaryOf(const wire::DesiredState& desired) {
  return absl::StrCat(Count(desired.children_size(), "object"), " to apply, ",
                      Count(desired.deletions_size(), "object"), " to delete, ",
                      Count(desired.conditions_size(), "condition"));
}

/// Checks a hook with the request for one parent.
class ParentCheck {
 public:
  ParentCheck(HookClient* client, CheckReport* report, Observation observation)
      : client_(client), report_(report), observation_(std::move(observation)) {}

  void Run() {
    observation_.hook_answers.clear();
    const Plan asks = planner::MakePlan(observation_, kinds_);
    if (asks.hook_requests.empty()) {
      return report_->Fail("request", absl::StrCat("the planner does not call the hook for this "
                                                   "parent: ",
                                                   Notes(asks)));
    }
    const HookRequest& request = asks.hook_requests.front();
    report_->Pass("request", absl::StrCat(request.call.sync_request.size(), " bytes"));
    if (!Call(request)) return;
    Repeat(request);
    CheckSpeed(request.call.timeout);
    CheckDecision();
  }

 private:
  absl::Duration Timed(const HookRequest& request, HookAnswer* answer) {
    const absl::Duration begin = ReadClock().monotonic;
    *answer = client_->Answer(request);
    const absl::Duration took = ReadClock().monotonic - begin;
    slowest_ = std::max(slowest_, took);
    return took;
  }

  bool Call(const HookRequest& request) {
    const absl::Duration took = Timed(request, &answer_);
    if (const auto* failure = std::get_if<HookFailure>(&answer_.result)) {
      report_->Fail("answer", failure->message);
      return false;
    }
    report_->Pass("answer", absl::StrCat(std::get<std::string>(answer_.result).size(),
                                         " bytes after ", absl::ToInt64Milliseconds(took), "ms"));
    return true;
  }

  void Repeat(const HookRequest& request) {
    for (int i = 0; i < kRepeats; ++i) {
      HookAnswer again;
      Timed(request, &again);
      if (const auto* failure = std::get_if<HookFailure>(&again.result)) {
        return report_->Fail("repeat", failure->message);
      }
      const std::string difference = planner::HooksV1()->difference(
          std::get<std::string>(answer_.result), std::get<std::string>(again.result));
      if (difference.empty()) continue;
      return report_->Fail(
          "repeat", absl::StrCat("equal requests have different answers: ", difference,
                                 "; decide from the request only, without a clock, random numbers "
                                 "or the order of a set"));
    }
    report_->Pass("repeat", absl::StrCat(kRepeats + 1, " equal requests have equal answers"));
  }

  void CheckSpeed(absl::Duration timeout) {
    const std::string took =
        absl::StrCat("the slowest call took ", absl::ToInt64Milliseconds(slowest_),
                     "ms, the timeout is ", absl::FormatDuration(timeout));
    if (slowest_ <= kShareOfTimeout * timeout) return report_->Pass("speed", took);
    report_->Fail(
        "speed", absl::StrCat(took, "; decide faster, or raise spec.hook.timeout of the Operator"));
  }

  /// Plans with the answer, so that the production decoder reads it.
  void CheckDecision() {
    observation_.hook_answers = {answer_};
    const Plan plan = planner::MakePlan(observation_, kinds_);
    const wire::SyncResponse response = Decode(answer_);
    if (!response.error().empty()) {
      return report_->Fail("decision", absl::StrCat("the hook cannot decide: ", response.error()));
    }
    if (plan.verdict == Verdict::kRetry || !plan.hook_requests.empty()) {
      return report_->Fail("decision", Notes(plan));
    }
    if (!response.desired().invalid().empty()) {
      return report_->Pass("decision",
                           absl::StrCat("the parent is invalid: ", response.desired().invalid()));
    }
    report_->Pass("decision", SummaryOf(response.desired()));
    report_->Pass("plan", Count(CountOperations(plan), "operation"));
  }

  HookClient* const client_;
  CheckReport* const report_;
  const planner::KindRegistry kinds_ = AllKinds();
  Observation observation_;
  HookAnswer answer_;
  absl::Duration slowest_;
};

/// The Operator's hook, also if the planner calls it for none of the parents.
absl::StatusOr<HookCall> DeclaredCall(const Observation& parent) {
  XEBEC_ASSIGN_OR_RETURN(Declaration declaration, ReadDeclaration(Parsed(parent.declaration)));
  HookCall call;
  call.operator_name = std::move(declaration.name);
  call.endpoint = std::move(declaration.hook);
  return call;
}

bool Describe(const HookCall& call, HookClient* client, CheckReport* report) {
  const gateway::OpenResult opened = client->Describe(call);
  if (const auto* failure = std::get_if<HookFailure>(&opened)) {
    report->Fail("describe", failure->message);
    return false;
  }
  const auto& description = std::get<gateway::HookDescription>(opened);
  report->Pass(
      "describe",
      absl::StrCat("revision ", description.revision, ", library ",
                   description.library.empty() ? "unknown" : description.library,
                   description.sync_stream ? ", with SyncStream" : ", without SyncStream"));
  return true;
}

}  // namespace

absl::Status CheckHook(const HookCheckOptions& options, std::istream& in, std::ostream& out) {
  XEBEC_ASSIGN_OR_RETURN(std::vector<Observation> documents, ReadFiles(options.files, in));
  XEBEC_ASSIGN_OR_RETURN(std::vector<Observation> parents, WithOperators(std::move(documents)));
  XEBEC_ASSIGN_OR_RETURN(HookClient client, HookClient::Make(options.hook, options.transport));
  XEBEC_ASSIGN_OR_RETURN(const HookCall call, DeclaredCall(parents.front()));
  CheckReport report;
  if (Describe(call, &client, &report)) {
    for (const Observation& each : parents) {
      report.Begin(ParentOf(each));
      ParentCheck(&client, &report, each).Run();
    }
  }
  out << (options.json ? report.Json() : report.Text());
  if (report.failed() == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(report.failed(), " of ", Count(report.size(), "check"), " failed"));
}

}  // namespace xebec::cli
