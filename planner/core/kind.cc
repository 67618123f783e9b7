// SPDX-License-Identifier: Apache-2.0
#include "planner/core/kind.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xebec::planner {

const Child* View::Find(std::string_view child_kind, std::string_view child_name) const {
  for (auto type = children.begin(); type != children.end();) {
    const auto end =
        std::upper_bound(type, children.end(), type->type,
                         [](const ResourceType& a, const Child& child) { return a < child.type; });
    if (type->type.kind == child_kind) {
      const auto found = std::lower_bound(
          type, end, child_name,
          [](const Child& child, std::string_view wanted) { return child.name < wanted; });
      if (found != end && found->name == child_name) return &*found;
    }
    type = end;
  }
  return nullptr;
}

const Child* View::Find(const ResourceType& type, std::string_view child_ns,
                        std::string_view child_name) const {
  using Key = std::tuple<const ResourceType&, std::string_view, std::string_view>;
  const auto before = [](const Child& child, const Key& key) {
    return Key(child.type, child.name, child.ns) < key;
  };
  const auto found =
      std::lower_bound(children.begin(), children.end(), Key(type, child_name, child_ns), before);
  const bool same = found != children.end() && found->type == type && found->name == child_name &&
                    found->ns == child_ns;
  return same ? &*found : nullptr;
}

std::vector<const Child*> View::OfKind(std::string_view child_kind) const {
  std::vector<const Child*> found;
  for (const Child& child : children) {
    if (child.type.kind == child_kind) found.push_back(&child);
  }
  return found;
}

const Outcome* View::LastOutcome(std::string_view operation_id) const {
  const auto found = std::lower_bound(
      last_outcomes.begin(), last_outcomes.end(), operation_id,
      [](const Outcome& outcome, std::string_view id) { return outcome.operation < id; });
  return found != last_outcomes.end() && found->operation == operation_id ? &*found : nullptr;
}

std::string ChildNamespace(const View& view, const ResourceType& type, const std::string& wanted) {
  if (type.cluster_scoped) return "";
  return view.ns.empty() ? wanted : view.ns;
}

bool KindRegistry::Register(Kind kind) {
  for (const Kind& known : kinds_) {
    const ResourceType& parent = known.description.parent;
    if (known.description.controller == kind.description.controller) return false;
    if (parent.group == kind.description.parent.group &&
        parent.kind == kind.description.parent.kind) {
      return false;
    }
  }
  kinds_.push_back(std::move(kind));
  return true;
}

const Kind* KindRegistry::Find(std::string_view group, std::string_view kind) const {
  for (const Kind& known : kinds_) {
    const ResourceType& parent = known.description.parent;
    if (parent.group == group && parent.kind == kind) return &known;
  }
  return nullptr;
}

}  // namespace xebec::planner
