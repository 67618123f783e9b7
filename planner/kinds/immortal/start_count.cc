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

// More starts than that are never unrecorded at once.
constexpr int64_t kUnrecordedAtMost = 4;

int64_t StartWithDigest(const View& view, const ImmortalSpec& spec, int64_t recorded,
                        const std::string& digest) {
  for (int64_t start = recorded + 1; start <= recorded + kUnrecordedAtMost; ++start) {
    const Json object = CompleteObject(view, ImmortalPod(view, spec, start));
    if (FindString(object, {"metadata", "annotations", kDigestAnnotation}) == digest) return start;
  }
  return 0;
}

// The start whose creation was answered although neither status nor view show it; 0 when there is
// none.
int64_t UnseenStart(const View& view, const ImmortalSpec& spec, int64_t recorded) {
  const ObjectRef target{PodType(), view.ns, ImmortalPodName(view.name)};
  const Outcome* created = view.LastOutcome(OperationId(Apply{}, target));
  if (created == nullptr || created->code != OutcomeCode::kCreated) return 0;
  ImmortalSpec before = spec;  // The image may have changed since.
  before.image = FindString(view.parent, {"status", "image"});
  return std::max(StartWithDigest(view, spec, recorded, created->digest),
                  StartWithDigest(view, before, recorded, created->digest));
}

}  // namespace

std::string ImmortalPodName(std::string_view parent) {
  return BoundedName(parent, "-immortalpod", kMaxLabel);
}

DesiredChild ImmortalPod(const View& view, const ImmortalSpec& spec, int64_t start) {
  Json container = {{"name", "acontainer"}, {"image", spec.image}};
  DesiredChild child;
  child.type = PodType();
  Json& metadata = child.object["metadata"];
  metadata["name"] = ImmortalPodName(view.name);
  metadata["labels"]["app"] = LabelValue(view.name);
  metadata["annotations"][std::string(kTemplateAnnotation)] = TemplateDigest(container);
  metadata["annotations"][std::string(kStartAnnotation)] = absl::StrCat(start);
  child.object["spec"]["containers"] = Json::array({std::move(container)});
  if (!spec.restart_policy.empty()) child.object["spec"]["restartPolicy"] = spec.restart_policy;
  return child;
}

int64_t StartOf(const Child& pod, int64_t recorded) {
  const std::string text = FindString(pod.object, {"metadata", "annotations", kStartAnnotation});
  int64_t start = 0;
  if (absl::SimpleAtoi(text, &start) && start > 0) return start;
  return std::max<int64_t>(1, recorded);
}

StartCount CountStarts(const View& view, const ImmortalSpec& spec) {
  StartCount starts;
  const int64_t recorded = FindInt(view.parent, {"status", "startTimes"}).value_or(0);
  starts.recorded = std::max<int64_t>(0, recorded);
  starts.count = starts.recorded;
  const std::vector<const Child*> pods = view.OfKind("Pod");
  for (const Child* pod : pods) {
    starts.count = std::max(starts.count, StartOf(*pod, starts.recorded));
  }
  if (pods.empty()) {
    starts.count = std::max(starts.count, UnseenStart(view, spec, starts.recorded));
  }
  return starts;
}

}  // namespace xebec::planner
