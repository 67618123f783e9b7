// SPDX-License-Identifier: Apache-2.0
#include "planner/service/plan_maker.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/telemetry/log.h"
#include "planner/core/make_plan.h"
#include "planner/service/plan_log.h"
#include "planner/service/revision.h"

namespace xebec::planner {
namespace {

using telemetry::Level;

constexpr char kLogger[] = "planner";

}  // namespace

PlanMaker::PlanMaker(KindRegistry kinds, std::string revision, const PlannerMetrics* metrics)
    : kinds_(std::move(kinds)), revision_(std::move(revision)), metrics_(metrics) {}

absl::Status PlanMaker::Make(const v1::Observation& observation, v1::Plan* plan) const {
  try {
    return MakeUnguarded(observation, plan);
  } catch (const std::exception& error) {
    return Panic(observation, error.what());
  } catch (...) {
    return Panic(observation, "an exception of unknown type");
  }
}

absl::Status PlanMaker::MakeUnguarded(const v1::Observation& observation, v1::Plan* plan) const {
  const absl::Duration begun = ReadClock().monotonic;
  const absl::StatusOr<Observation> decoded = codec::DecodeObservation(observation);
  if (!decoded.ok()) {
    metrics_->Unreadable();
    telemetry::Log(Level::kWarning, kLogger, "Could not read observation",
                   {{"reconcileID", observation.envelope().reconcile_id()},
                    {"error", ToStd(decoded.status().message())}});
    return decoded.status();
  }
  std::string kind_error;
  Plan made = MakePlan(*decoded, kinds_, &kind_error);
  made.planner_revision = revision_;
  codec::EncodePlan(made, codec::FormOf(observation), plan);
  codec::EncodeCapabilities({}, plan->mutable_capabilities());
  const absl::Duration took = ReadClock().monotonic - begun;
  metrics_->Planned(made, took);
  if (!kind_error.empty()) CountPanic(observation, kind_error);
  LogPlan(made, took);
  return absl::OkStatus();
}

void PlanMaker::CountPanic(const v1::Observation& observation, const std::string& what) const {
  metrics_->Panicked(observation.envelope().controller());
  telemetry::Log(Level::kError, kLogger, "Kind threw an exception",
                 {{"reconcileID", observation.envelope().reconcile_id()},
                  {"controller", observation.envelope().controller()},
                  {"error", what}});
}

absl::Status PlanMaker::Panic(const v1::Observation& observation, const std::string& what) const {
  CountPanic(observation, what);
  return absl::InternalError(absl::StrCat("planning failed on this observation: ", what,
                                          "; this is a bug of the planner"));
}

void PlanMaker::Describe(v1::DescribeKindsResponse* response) const {
  codec::EncodeDescription(planner::Describe(kinds_, revision_), response);
  codec::EncodeCapabilities({}, response->mutable_capabilities());
}

}  // namespace xebec::planner
