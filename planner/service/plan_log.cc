// SPDX-License-Identifier: Apache-2.0
#include "planner/service/plan_log.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xebec::planner {
namespace {

using telemetry::Level;

constexpr size_t kMaxNamed = 5;

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kRetry:
      return "retry";
    case Verdict::kInvalid:
      return "invalid";
  }
  return "unknown";
}

}  // namespace

Level LevelOf(const Plan& plan) {
  const bool news = plan.verdict == Verdict::kInvalid && !WritesNothing(plan);
  return news || plan.verdict == Verdict::kRetry ? Level::kInfo : Level::kDebug;
}

std::string Summary(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (parts.size() < kMaxNamed) parts.push_back(operation.id);
    }
  }
  const size_t more = CountOperations(plan) - parts.size();
  if (more > 0) parts.push_back(absl::StrCat("and ", more, " more"));
  if (plan.status.has_value() && plan.status->changed) parts.emplace_back("status");
  for (const EventFact& event : plan.events) parts.push_back(absl::StrCat("event ", event.reason));
  return absl::StrJoin(parts, "; ");
}

void LogPlan(const Plan& plan, absl::Duration took) {
  const Level level = LevelOf(plan);
  if (!telemetry::LogEnabled(level)) return;
  const Envelope& envelope = plan.envelope;
  const bool again = plan.verdict == Verdict::kRetry;
  telemetry::Log(level, "planner", "Planned",
                 {{"reconcileID", envelope.reconcile_id},
                  {"controller", envelope.controller},
                  {"kind", envelope.parent.ref.type.kind},
                  {"namespace", envelope.parent.ref.ns},
                  {"name", envelope.parent.ref.name},
                  {"verdict", Name(plan.verdict)},
                  {"operations", Summary(plan)},
                  {"notes", again ? absl::StrJoin(plan.notes, "; ") : ""},
                  {"ms", absl::ToDoubleMilliseconds(took)}});
}

}  // namespace xebec::planner
