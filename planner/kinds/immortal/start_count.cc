// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/immortal/start_count.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "planner/core/child_state.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// More starts than a container can have. An edited status or annotation causes no overflow.
constexpr int64_t kMostStarts = 1'000'000'000;

// Returns the last start according to the last write of the Pod, even if the Pod is gone. If that
// write failed, the last start is the one before it.
int64_t StartInMemory(const View& view) {
  const ObjectRef target{PodType(), view.ns, ImmortalPodName(view.name)};
  const Outcome* last = view.LastOutcome(OperationId(Apply{}, target));
  int64_t start = 0;
  if (last == nullptr || !absl::SimpleAtoi(last->memo, &start)) return 0;
  return last->certainty == Certainty::kDone ? start : start - 1;
}

}  // namespace

std::string ImmortalPodName(std::string_view parent) {
  return BoundedName(parent, "-immortalpod", kMaxLabel);
}

DesiredChild ImmortalPod(const View& view, const ImmortalSpec& spec, int64_t start,
                         const Child* live) {
  Json container = {{"name", "acontainer"}, {"image", spec.image}};
  DesiredChild child;
  child.type = PodType();
  Json& metadata = child.object["metadata"];
  metadata["name"] = ImmortalPodName(view.name);
  metadata["labels"]["app"] = LabelValue(view.name);
  metadata["annotations"][std::string(kTemplateAnnotation)] = TemplateDigest(container);
  metadata["annotations"][std::string(kStartAnnotation)] = absl::StrCat(start);
  child.object["spec"]["containers"] = Json::array({std::move(container)});
  SetPullSecrets(live, spec.pull_secrets, &child.object);
  child.memo = absl::StrCat(start);
  if (!spec.restart_policy.empty()) child.object["spec"]["restartPolicy"] = spec.restart_policy;
  return child;
}

int64_t StartOf(const Child& pod, const StartCount& starts) {
  const std::string text = FindString(pod.object, {"metadata", "annotations", kStartAnnotation});
  int64_t start = 0;
  const int64_t highest = starts.known > 0 ? starts.known + 1 : kMostStarts;
  if (absl::SimpleAtoi(text, &start) && start > 0 && start <= highest) return start;
  return std::max<int64_t>(1, starts.recorded);
}

StartCount CountStarts(const View& view) {
  StartCount starts;
  const int64_t recorded = FindInt(view.parent, {"status", "startTimes"}).value_or(0);
  starts.recorded = std::clamp<int64_t>(recorded, 0, kMostStarts);
  starts.known = std::max(starts.recorded, StartInMemory(view));
  starts.count = starts.known;
  for (const Child* pod : view.OfKind("Pod")) {
    starts.count = std::max(starts.count, StartOf(*pod, starts));
  }
  return starts;
}

}  // namespace xebec::planner
