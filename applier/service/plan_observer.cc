// SPDX-License-Identifier: Apache-2.0
#include "applier/service/plan_observer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "applier/engine/outcomes/outcome_text.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/telemetry/log.h"

namespace xebec::applier {
namespace {

using telemetry::Level;
using telemetry::Log;

constexpr size_t kMaxSummary = 4096;
constexpr size_t kMaxGvks = 200;
constexpr absl::Duration kRation = absl::Seconds(10);

constexpr char kRefused[] = "xebec_apply_refused_total";
constexpr char kRefusedHelp[] = "Operations that the applier itself refused.";
/// The reasons in the alerts XebecPlansRefused and XebecWritesRefused. Prometheus sees no increase
/// in a counter that begins with 1, so these counters begin with 0.
constexpr std::array kReportedRefusals = {
    "BodyNotTarget",    "BucketCount",         "DeletionDeferred", "FinalizerNotOurs",
    "ForeignOwner",     "KindForbidden",       "KindNotAllowed",   "NamespaceDenied",
    "NotOwned",         "NamespaceNotAllowed", "ObjectTooLarge",   "ParentDeletion",
    "TooManyOperations"};

/// "apply Deployment.apps default/web: Created; status: Changed".
std::string Summary(const Report& report) {
  std::string text;
  for (const Outcome& outcome : report.outcomes) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", outcome.operation, ": ",
                    ToAbsl(Name(outcome.code)));
    if (text.size() > kMaxSummary) break;
  }
  return Ellipsize(text, kMaxSummary);
}

/// A request was sent for the operation, or its effect was already there.
bool WasSent(const Outcome& outcome) {
  return outcome.certainty != Certainty::kRejected || outcome.http_status != 0;
}

bool WasRefused(const Outcome& outcome) {
  return outcome.code == OutcomeCode::kRefused || outcome.code == OutcomeCode::kFenced;
}

/// Failures that the next reconcile repairs are logged at info level.
Level LevelOfFailure(OutcomeCode code) {
  switch (code) {
    case OutcomeCode::kStale:
    case OutcomeCode::kTerminating:
    case OutcomeCode::kNotStarted:
    case OutcomeCode::kNamespaceTerminating:
      return Level::kInfo;
    default:
      return Level::kWarning;
  }
}

/// The operation created, changed or deleted an object other than the parent's status.
bool ChangedAnObject(const Outcome& outcome) {
  return outcome.operation != kStatusOperation &&
         (outcome.code == OutcomeCode::kCreated || outcome.code == OutcomeCode::kChanged ||
          outcome.code == OutcomeCode::kDeleted);
}

}  // namespace

Level LevelOf(const Report& report) {
  return std::ranges::any_of(report.outcomes, ChangedAnObject) ? Level::kInfo : Level::kDebug;
}

std::string GvkLabel(const ResourceType& type) {
  return absl::StrCat(ApiVersion(type), "/", type.kind);
}

PlanObserver::PlanObserver(telemetry::Registry* registry)
    : registry_(registry),
      duration_(registry->AddHistogram("xebec_apply_plan_duration_seconds",
                                       "From the arrival of a plan to its report.",
                                       telemetry::SecondsBuckets())) {
  for (const char* reason : kReportedRefusals) {
    Counter(kRefused, kRefusedHelp, {{"reason", reason}});
  }
}

telemetry::Counter& PlanObserver::Counter(const std::string& metric, const std::string& help,
                                          const telemetry::Labels& labels) {
  const auto [series, fresh] = counters_.try_emplace({metric, labels});
  if (fresh) series->second = registry_->AddCounter(metric, help, labels);
  return series->second;
}

void PlanObserver::Increment(const std::string& metric, const std::string& help,
                             const telemetry::Labels& labels) {
  Counter(metric, help, labels).Add();
}

/// Plans may name any kind: the number of series is bounded.
std::string PlanObserver::BoundedGvk(const ResourceType& type) {
  std::string gvk = GvkLabel(type);
  if (!gvks_.contains(gvk) && gvks_.size() >= kMaxGvks) return "other";
  gvks_.insert(gvk);
  return gvk;
}

void PlanObserver::Count(const Outcome& outcome, std::string_view verb) {
  const std::string gvk = BoundedGvk(outcome.target.type);
  Increment("xebec_apply_total", "Operations by outcome.",
            {{"gvk", gvk}, {"op", std::string(verb)}, {"result", std::string(Name(outcome.code))}});
  if (outcome.code == OutcomeCode::kNameConflict) {
    Increment("xebec_apply_conflicts_total", "Creations that met an object of another owner.",
              {{"gvk", gvk}});
  } else if (outcome.code == OutcomeCode::kStale) {
    Increment("xebec_plan_stale_total", "Preconditions that did not hold.", {{"gvk", gvk}});
  } else if (WasRefused(outcome)) {
    Increment(kRefused, kRefusedHelp, {{"reason", outcome.reason}});
  } else if (outcome.code == OutcomeCode::kUnavailable) {
    Increment("xebec_apply_unavailable_total",
              "Operations that were not started because this applier cannot carry out any plan.",
              {{"reason", outcome.reason}});
  }
}

void PlanObserver::OnEnded(const PlanEnded& ended) {
  duration_.Observe(absl::ToDoubleSeconds(ended.took));
  const std::vector<Outcome>& outcomes = ended.report.outcomes;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const bool known = i < ended.verbs.size() && outcomes[i].operation != kStatusOperation;
    Count(outcomes[i], known ? ended.verbs[i] : kStatusOperation);
  }
  LogPlan(ended);
}

void PlanObserver::LogPlan(const PlanEnded& ended) {
  const Report& report = ended.report;
  if (report.outcomes.empty()) return;
  const Outcome& first = report.outcomes.front();
  if (first.code == OutcomeCode::kUnavailable) return LogUnavailable(report, first);
  LogOutcomes(ended);
  LogFailures(report);
}

void PlanObserver::LogOutcomes(const PlanEnded& ended) const {
  const Report& report = ended.report;
  const Level level = LevelOf(report);
  if (!telemetry::LogEnabled(level)) return;
  const Envelope& envelope = report.envelope;
  const bool applied = std::any_of(report.outcomes.begin(), report.outcomes.end(), WasSent);
  Log(level, "apply", applied ? "Applied plan" : "Did not apply plan",
      {{"reconcileID", envelope.reconcile_id},
       {"controller", envelope.controller},
       {"kind", envelope.parent.ref.type.kind},
       {"namespace", envelope.parent.ref.ns},
       {"name", envelope.parent.ref.name},
       {"operations", Summary(report)},
       {"ms", absl::ToDoubleMilliseconds(ended.took)}});
}

void PlanObserver::LogFailures(const Report& report) const {
  const Envelope& envelope = report.envelope;
  const std::string* last = nullptr;  // all operations of a refused plan have the same message
  for (const Outcome& outcome : report.outcomes) {
    if (Succeeded(outcome) || (last != nullptr && *last == outcome.message)) continue;
    last = &outcome.message;
    Log(LevelOfFailure(outcome.code), "apply", "Operation failed",
        {{"reconcileID", envelope.reconcile_id},
         {"controller", envelope.controller},
         {"operation", outcome.operation},
         {"target", Describe(outcome.target)},
         {"code", Name(outcome.code)},
         {"http", outcome.http_status},
         {"reason", outcome.reason},
         {"error", outcome.message}});
  }
}

void PlanObserver::LogUnavailable(const Report& report, const Outcome& outcome) {
  Ration& ration = rations_[outcome.reason];
  const absl::Duration now = ReadClock().monotonic;
  if (now < ration.next) {
    ++ration.omitted;
    return;
  }
  ration.next = now + kRation;
  Log(Level::kWarning, "apply", "Cannot carry out plans",
      {{"reconcileID", report.envelope.reconcile_id},
       {"reason", outcome.reason},
       {"error", outcome.message},
       {"omitted", std::exchange(ration.omitted, 0)}});
}

}  // namespace xebec::applier
