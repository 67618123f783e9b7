// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/resource.h"

namespace xebec {

/// Children of one kind that a controller makes; proto/xebec/v1/kinds.proto has the fields'
/// meaning.
struct ChildRule {
  ResourceType type;
  std::string label_selector;
  std::string
      parent_label;  ///< Set for indirectly owned kinds: label with LabelValue(parent name).
  std::vector<std::string> fields;
  bool stateful = false;

  bool operator==(const ChildRule&) const = default;
};

/// One controller: a parent kind and what is made of it.
struct KindDescription {
  std::string controller;  ///< Unique; also the field manager of its writes.
  ResourceType parent;
  std::vector<std::string> parent_fields;
  std::vector<ChildRule> children;
  std::vector<ChildRule> related;
  std::string finalizer;  ///< Empty when it needs none.
  bool scalable = false;  ///< Its status is what the scale subresource of its parents shows.

  bool operator==(const KindDescription&) const = default;
};

/// What a planner says of itself.
struct PlannerDescription {
  std::string revision;
  std::vector<KindDescription> kinds;

  bool operator==(const PlannerDescription&) const = default;
};

}  // namespace xebec
