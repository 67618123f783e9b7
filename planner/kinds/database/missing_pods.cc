// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/missing_pods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "planner/core/conditions.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/reasons.h"

namespace xebec::planner {
namespace {

constexpr absl::Duration kLong = absl::Seconds(15);
constexpr absl::Duration kRefresh = absl::Minutes(1);
constexpr std::array kReasons = {kPodsNotCreated, kQuotaExceeded, kPodSecurityViolation};

std::optional<ShownCondition> FindFalse(const View& view, std::string_view type) {
  const std::vector<ShownCondition> all = ReadConditions(view.parent);
  const ShownCondition* shown = FindShown(all, type);
  if (shown == nullptr || shown->condition.status != "False") return std::nullopt;
  return *shown;
}

bool LacksPodsForLong(const View& view, const Child& workload,
                      const std::optional<ShownCondition>& shown, std::string_view reason,
                      DesiredState* state) {
  if (view.now == absl::InfinitePast()) return false;
  if (shown && std::count(kReasons.begin(), kReasons.end(), shown->condition.reason) != 0) {
    return true;
  }
  absl::Time since = view.now;
  if (shown && shown->condition.reason == reason) since = ReadTime(shown->since).value_or(view.now);
  const auto created = FindTime(workload.object, {"metadata", "creationTimestamp"});
  if (created.has_value()) since = std::max(since, *created);
  const absl::Duration left = since + kLong - view.now;
  if (left <= absl::ZeroDuration()) return true;
  ResyncAfter(left, state);
  return false;
}

// Clients of both APIs of Events set different times.
absl::Time LastSeen(const Json& event) {
  absl::Time last = absl::InfinitePast();
  for (const auto& time :
       {FindTime(event, {"metadata", "creationTimestamp"}), FindTime(event, {"lastTimestamp"}),
        FindTime(event, {"eventTime"}), FindTime(event, {"series", "lastObservedTime"})}) {
    if (time.has_value()) last = std::max(last, *time);
  }
  return last;
}

// Returns the message of the newest Event FailedCreate of the workload that is not older than
// `since`; empty if there is none.
std::string NewestFailure(const std::vector<Json>& events, const Child& workload,
                          absl::Time since) {
  std::pair<absl::Time, std::string> newest{since, ""};
  for (const Json& event : events) {
    const bool counts = FindString(event, {"reason"}) == "FailedCreate" &&
                        FindString(event, {"involvedObject", "uid"}) == workload.uid;
    if (counts) newest = std::max(newest, {LastSeen(event), FindString(event, {"message"})});
  }
  return newest.second;
}

std::string DescribeCommand(const Child& workload) {
  return absl::StrCat("kubectl describe ", absl::AsciiStrToLower(workload.type.kind), " ",
                      workload.name);
}

}  // namespace

std::optional<PodReason> FindMissingPodsReason(const View& view, const Child& workload,
                                               std::string_view condition, std::string_view reason,
                                               bool replaces, DesiredState* state) {
  const std::optional<ShownCondition> shown = FindFalse(view, condition);
  if (!LacksPodsForLong(view, workload, shown, reason, state)) return std::nullopt;
  ResyncAfter(kRefresh, state);
  if (!view.events.has_value()) {
    state->event_reads.push_back({workload.type, workload.ns, workload.name});
  }
  const absl::Time since =
      replaces ? ReadTime(shown->since).value_or(view.now) : absl::InfinitePast();
  std::string failure = view.events ? NewestFailure(*view.events, workload, since) : "";
  if (!failure.empty()) {
    return PodReason{std::string(RefusalReason(failure, kPodsNotCreated)), std::move(failure)};
  }
  if (replaces) return std::nullopt;
  return PodReason{std::string(kPodsNotCreated),
                   absl::StrCat("the controller of the ", workload.type.kind,
                                " has not created all Pods. A resource quota or Pod Security may "
                                "refuse them; see ",
                                DescribeCommand(workload))};
}

}  // namespace xebec::planner
