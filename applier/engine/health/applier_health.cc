// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/health/applier_health.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/kube/api_status.h"

namespace xebec::applier {
namespace {

bool Answers(const kube::ApiResponse& response) {
  return response.error == kube::TransportError::kNone && response.status != 401;
}

}  // namespace

void ApplierHealth::OnAnswer(const kube::ApiResponse& response, absl::Duration latency,
                             const Instant& now) {
  LearnClock(response, latency, now);
  const bool well = api_problem_.empty();
  // Every answer proves that the API server is there. To end a problem, it must also be a good one.
  const std::string problem =
      well && Answers(response) ? std::string() : kube::WhyUnusable(response);
  if (problem.empty()) {
    api_problem_.clear();
    failing_since_.reset();
    last_answer_ = now.monotonic;
    return;
  }
  if (!failing_since_) failing_since_ = now.monotonic;
  if (!well || now.monotonic - *failing_since_ >= kGrace) api_problem_ = problem;
}

void ApplierHealth::LearnClock(const kube::ApiResponse& response, absl::Duration latency,
                               const Instant& now) {
  if (!response.date) return;
  const absl::Time earliest = *response.date - now.monotonic;
  server_clock_ = ServerClock{earliest, earliest + latency + absl::Seconds(1)};
  if (ClockSkew(now) < kSkew) skew_matters_ = false;
}

absl::Duration ApplierHealth::ClockSkew(const Instant& now) const {
  if (!server_clock_) return absl::ZeroDuration();
  const absl::Time local = now.wall - now.monotonic;
  const absl::Duration ahead = std::max(local - server_clock_->latest, absl::ZeroDuration());
  const absl::Duration behind = std::max(server_clock_->earliest - local, absl::ZeroDuration());
  return ahead - behind;
}

std::optional<std::string> ApplierHealth::OnExpiredPlan(const Instant& now) {
  skew_matters_ = ClockSkew(now) >= kSkew;
  if (!skew_matters_) return std::nullopt;
  return ClockProblem(now);
}

std::string ApplierHealth::ClockProblem(const Instant& now) const {
  return absl::StrCat("the clock of this applier is ", absl::FormatDuration(ClockSkew(now)),
                      " or more ahead of the API server's: correct the time of its node");
}

std::string ApplierHealth::Problem(const Instant& now) const {
  if (!api_problem_.empty()) return api_problem_;
  if (failing_since_ && now.monotonic - *failing_since_ >= kGrace) {
    return "the API server does not answer";
  }
  if (!lease_problem_.empty()) return lease_problem_;
  return skew_matters_ && ClockSkew(now) >= kSkew ? ClockProblem(now) : "";
}

bool ApplierHealth::NeedsProbe(const Instant& now) const {
  return !Problem(now).empty() || failing_since_ || now.monotonic - last_answer_ >= kQuiet;
}

}  // namespace xebec::applier
