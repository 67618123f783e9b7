// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/envelope.h"

namespace xebec::applier {

/// The values that all operations of one plan use.
struct RunContext {
  ParentIdentity parent;
  std::string manager;  ///< Field manager: the controller's name.
  std::string random;   ///< Seed of passwords: at least 16 secret bytes, or empty.
  std::vector<std::string> parent_labels;  ///< As in Policy.
};

}  // namespace xebec::applier
