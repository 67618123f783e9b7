// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/envelope.h"

namespace xebec::applier {

/// What the operations of one plan share.
struct RunContext {
  ParentIdentity parent;
  std::string manager;  ///< Field manager: the controller's name.
  std::string random;   ///< Secret of at least 16 bytes where passwords are to be made.
  std::vector<std::string> parent_labels;  ///< As in Policy.
};

}  // namespace xebec::applier
