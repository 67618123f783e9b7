// SPDX-License-Identifier: Apache-2.0
#include "planner/core/read_context.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/label_selector.h"
#include "common/model/names.h"

namespace xebec::planner {
namespace {

using GroupFilter = bool (*)(const Json& object, const ChildRule& rule, const Parent& parent);

bool BelongsToParent(const Json& object, const ChildRule& rule, const Parent& parent) {
  const bool beside = !rule.type.cluster_scoped && !parent.ns.empty();
  if (beside && FindString(object, {"metadata", "namespace"}) != parent.ns) return false;
  if (!rule.parent_label.empty()) {
    return FindString(object, {"metadata", "labels", rule.parent_label}) == LabelValue(parent.name);
  }
  return !parent.uid.empty() && ControllerUid(object) == parent.uid;
}

// The watcher watches a resource once for all controllers, so other objects may be among them.
bool IsRelated(const Json& object, const ChildRule& rule, const Parent&) {
  return IsSelected(object, rule);
}

Child MakeChild(const ResourceType& type, Json object) {
  Child child;
  child.type = type;
  if (!type.cluster_scoped) child.ns = FindString(object, {"metadata", "namespace"});
  child.name = FindString(object, {"metadata", "name"});
  child.uid = FindString(object, {"metadata", "uid"});
  child.resource_version = FindString(object, {"metadata", "resourceVersion"});
  child.deleting = Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  child.object = std::move(object);
  return child;
}

absl::StatusOr<Child> ReadChild(const ResourceType& type, const ObjectBytes& bytes) {
  if (bytes == nullptr) return absl::InvalidArgumentError("is missing");
  absl::StatusOr<Json> json = ParseJson(*bytes);
  if (!json.ok()) return json.status();
  Child child = MakeChild(type, *std::move(json));
  if (child.name.empty()) return absl::InvalidArgumentError("metadata.name is missing");
  return child;
}

struct GroupReader {
  const Parent& parent;
  Context* out;

  void Read(const ObjectGroup& group, const ChildRule& rule, GroupFilter belongs,
            const std::string& where, std::vector<Child>* into) {
    for (size_t i = 0; i < group.objects.size(); ++i) {
      absl::StatusOr<Child> child = ReadChild(rule.type, group.objects[i]);
      if (!child.ok()) {
        out->unreadable.push_back(
            absl::StrCat(where, ".objects[", i, "]: ", child.status().message()));
      } else if (belongs(child->object, rule, parent)) {
        into->push_back(*std::move(child));
      }
    }
  }
};

// Newer versions are larger if both are numbers. The order is total and does not depend on the
// order of the input.
auto SortKey(const Child& child) {
  return std::make_tuple(std::cref(child.type), std::cref(child.name), std::cref(child.ns),
                         child.resource_version.size(), std::cref(child.resource_version),
                         std::cref(child.uid));
}

bool SameObject(const Child& a, const Child& b) {
  return a.type == b.type && a.name == b.name && a.ns == b.ns;
}

// Sorts the objects and keeps the newest version of duplicates.
void Normalize(std::vector<Child>* children) {
  std::sort(children->begin(), children->end(), [](const Child& a, const Child& b) {
    const auto ka = SortKey(a), kb = SortKey(b);
    if (ka != kb) return ka < kb;
    return DumpJson(a.object) < DumpJson(b.object);
  });
  std::vector<Child> unique;
  for (Child& child : *children) {
    if (!unique.empty() && SameObject(unique.back(), child)) unique.pop_back();
    unique.push_back(std::move(child));
  }
  *children = std::move(unique);
}

const ObjectGroup* FindGroup(const std::vector<ObjectGroup>& groups, const ResourceType& type) {
  for (const ObjectGroup& group : groups) {
    if (group.type.group == type.group && group.type.kind == type.kind) return &group;
  }
  return nullptr;
}

// An unreadable Event explains nothing, but it must not prevent a plan.
std::vector<Json> ReadEvents(const ObjectGroup& group) {
  std::vector<Json> events;
  for (const ObjectBytes& bytes : group.objects) {
    absl::StatusOr<Json> event = ParseJson(*bytes);
    if (event.ok() && event->is_object()) events.push_back(*std::move(event));
  }
  return events;
}

}  // namespace

bool IsShownOnly(const ChildRule& rule) { return !rule.parent_label.empty() && !rule.stateful; }

bool IsSelected(const Json& object, const ChildRule& rule) {
  if (rule.label_selector.empty()) return true;
  const auto selector = LabelSelector::Parse(rule.label_selector);
  return selector.ok() && selector->Matches(Find(object, {"metadata", "labels"}));
}

const ChildRule* FindRule(const std::vector<ChildRule>& rules, const ResourceType& type) {
  for (const ChildRule& rule : rules) {
    if (rule.type.group == type.group && rule.type.kind == type.kind) return &rule;
  }
  return nullptr;
}

std::string ControllerUid(const Json& object) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return "";
  for (const Json& owner : *owners) {
    if (FindBool(owner, {"controller"}).value_or(false)) return FindString(owner, {"uid"});
  }
  return "";
}

Context ReadContext(const Observation& observation, const KindDescription& kind,
                    const Parent& parent) {
  Context out;
  GroupReader reader{parent, &out};
  for (size_t i = 0; i < observation.children.size(); ++i) {
    const ObjectGroup& group = observation.children[i];
    const ChildRule* rule = FindRule(kind.children, group.type);
    if (rule == nullptr) continue;
    reader.Read(group, *rule, BelongsToParent, absl::StrCat("children[", i, "]"), &out.children);
  }
  for (size_t i = 0; i < observation.related.size(); ++i) {
    const ObjectGroup& group = observation.related[i];
    const ChildRule* rule = FindRule(kind.related, group.type);
    if (rule == nullptr) continue;
    reader.Read(group, *rule, IsRelated, absl::StrCat("related[", i, "]"), &out.related);
  }
  if (observation.events) out.events = ReadEvents(*observation.events);
  for (const ChildRule& rule : kind.children) {
    if (IsShownOnly(rule)) continue;
    const ObjectGroup* group = FindGroup(observation.children, rule.type);
    if (group == nullptr) out.unread.push_back(rule.type);
    if (group == nullptr || !group->live) out.not_live.push_back(rule.type);
  }
  Normalize(&out.children);
  Normalize(&out.related);
  return out;
}

}  // namespace xebec::planner
