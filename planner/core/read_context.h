// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "planner/core/kind.h"
#include "planner/core/parent.h"

namespace xebec::planner {

/// The objects of an observation that belong to its parent, parsed. The order and the repetition of
/// objects in the observation make no difference.
struct Context {
  std::vector<Child> children;  ///< Sorted by type, then name.
  std::vector<Child> related;
  std::optional<std::vector<Json>> events;  ///< Absent if the observation has none.
  /// Declared kinds without a group, and those whose group is not from a live list. Kinds for which
  /// IsShownOnly is true are in neither.
  std::vector<ResourceType> unread, not_live;
  /// Errors of unreadable objects: "children[1].objects[0]: ...".
  std::vector<std::string> unreadable;
};

Context ReadContext(const Observation& observation, const KindDescription& kind,
                    const Parent& parent);

/// Returns true for indirectly owned kinds without state, such as the Pods of a StatefulSet. They
/// explain the state of the parent. A plan neither needs nor mentions them.
bool IsShownOnly(const ChildRule& rule);

/// Returns true if the labels of the object match the selector of the rule.
bool IsSelected(const Json& object, const ChildRule& rule);

/// Returns the rule for children of this group and kind; null if the controller declares none.
const ChildRule* FindRule(const std::vector<ChildRule>& rules, const ResourceType& type);

/// Returns the uid of an object's controller reference; empty if it has none.
std::string ControllerUid(const Json& object);

}  // namespace xebec::planner
