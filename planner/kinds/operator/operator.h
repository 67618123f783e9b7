// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Operator (xebec.dev, v1alpha1): declares a controller whose desired state a hook decides. It has
/// no children. Its status shows what the watcher knows about the controller
/// (Observation::declaration_facts). Its finalizer stays until no parent has the finalizer of the
/// controller.
std::vector<Kind> OperatorKinds();

}  // namespace xebec::planner
