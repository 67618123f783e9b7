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

/// Makes ObjectBytes of `json`.
ObjectBytes MakeObjectBytes(std::string json);

/// True when both are null or their bytes are equal.
bool SameBytes(const ObjectBytes& a, const ObjectBytes& b);

/// The objects of one kind in an observation, sorted by namespace and name.
struct ObjectGroup {
  ResourceType type;
  std::vector<ObjectBytes> objects;
  bool live = false;  ///< From a consistent list begun after the last report was settled.
};

/// Compares content, not addresses.
bool operator==(const ObjectGroup& a, const ObjectGroup& b);

}  // namespace xebec
