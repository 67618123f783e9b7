// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"

namespace xebec::planner {

enum class PodState {
  kLive,         ///< Pending or Running, not being deleted. Counts as a replica.
  kFinished,     ///< Succeeded or Failed, not being deleted.
  kTerminating,  ///< Being deleted. Its name is in use until its containers have ended.
  /// The node does not report. The Pod does not count as a replica, and it may still be running.
  kUnknown,
};

PodState StateOf(const Child& pod);

}  // namespace xebec::planner
