// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/resource.h"

namespace xebec {

/// One kind of children, or of related objects, of a controller. proto/xebec/v1/kinds.proto
/// documents the fields.
struct ChildRule {
  ResourceType type;
  std::string label_selector;
  /// Set for kinds without a controller reference to the parent: the label whose value is
  /// LabelValue(name of the parent).
  std::string parent_label;
  std::vector<std::string> fields;
  bool stateful = false;

  bool operator==(const ChildRule&) const = default;
};

/// One controller: the kind of its parents and the kinds of their children.
struct KindDescription {
  std::string controller;  ///< Unique name, also the field manager of the controller's writes.
  ResourceType parent;
  std::vector<std::string> parent_fields;
  std::vector<ChildRule> children;
  std::vector<ChildRule> related;
  std::string finalizer;  ///< Empty if the controller needs none.
  bool scalable = false;  ///< The parents' status contains the fields of the scale subresource.
  bool declares = false;  ///< Each parent declares a controller of its own.

  bool operator==(const KindDescription&) const = default;
};

/// The revision of a planner and the controllers that it plans.
struct PlannerDescription {
  std::string revision;
  std::vector<KindDescription> kinds;

  bool operator==(const PlannerDescription&) const = default;
};

}  // namespace xebec
