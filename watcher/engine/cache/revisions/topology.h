// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/model/kind_description.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/revisions/declared_kind.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// Identifies a controller: its index in the controllers of a cache.
using ControllerId = uint32_t;

/// The role of an object for a controller.
enum class Relation { kParent, kChild, kRelated };

/// The resources to watch, and the controllers that need them.
struct Topology {
  /// Each resource type once for each watched namespace, sorted by type. `projection.keep` has the
  /// roles, and no buckets.
  std::vector<ResourceSpec> resources;
  /// By type of resources with a parent label: the types of the parents that the labels name.
  std::map<ResourceType, std::set<ResourceType>> label_parents;
  /// The controllers of the first description, sorted by name.
  std::vector<KindDescription> controllers;
  std::vector<std::string> refusals;  ///< The refused controllers with the reasons, for users.
  std::map<std::string, std::string> refused;    ///< The reasons by controller.
  std::map<std::string, DeclaredKind> declared;  ///< Those of the controllers that are declared.
};

/// Computes the resources to watch while `descriptions.front()` makes the plans: the union of the
/// needs of all descriptions, limited by `options`. Each resource is watched once (in each
/// namespace), with a projection and a selector that satisfy all controllers. Refuses a second
/// controller with the same name or parent resource, and a controller that needs another parent
/// label of a resource than an earlier one. Declared controllers come last; several of them may
/// have the same parents, of which one may write their status. Pure; the same input gives the same
/// result.
Topology BuildTopology(const std::vector<const PlannerDescription*>& descriptions,
                       const Options& options, const std::vector<DeclaredKind>& declared = {});

}  // namespace xebec::watcher
