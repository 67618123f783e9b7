// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/model/resource.h"

namespace xebec {

/// The bytes of one object as compact JSON. Immutable and shared: copying an observation copies no
/// bytes.
using ObjectBytes = std::shared_ptr<const std::string>;

/// Returns ObjectBytes that contain `json`.
ObjectBytes MakeObjectBytes(std::string json);

/// Returns true if both are null or their bytes are equal.
bool SameBytes(const ObjectBytes& a, const ObjectBytes& b);

/// The objects of one kind in an observation, sorted by namespace and name. A group without objects
/// means that none exist.
struct ObjectGroup {
  ResourceType type;
  std::vector<ObjectBytes> objects;
  /// The objects come from a consistent list that began after the last report on the parent was
  /// complete. False means that they come from the watch cache.
  bool live = false;
};

/// Compares the contents of the objects, not their addresses.
bool operator==(const ObjectGroup& a, const ObjectGroup& b);

}  // namespace xebec
