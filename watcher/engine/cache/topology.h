// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/kind_description.h"
#include "watcher/engine/cache/resource_spec.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// An index into the controllers of a cache.
using ControllerId = uint32_t;

/// What an object means to a controller.
enum class Relation { kParent, kChild, kRelated };

/// What has to be watched, and for whom.
struct Topology {
  /// Each resource type once for each namespace that is looked at, sorted by type.
  std::vector<ResourceSpec> resources;
  std::vector<KindDescription> controllers;  ///< Of the first description, sorted by name.
  std::vector<std::string>
      refusals;  ///< Controllers that are left out, each with the reason, for people.
};

/// Computes what is watched when plans are made by `descriptions.front()`: the union of what all of
/// them need, less what `options` do not allow. One resource is watched once (in each namespace),
/// with a projection and selector wide enough for all. Refused are: a second controller for the
/// same parent resource, a second one of the same name, and one that needs another parent label of
/// a resource than those before it. Pure; the same input gives the same result.
Topology BuildTopology(const std::vector<const PlannerDescription*>& descriptions,
                       const Options& options);

}  // namespace xebec::watcher
