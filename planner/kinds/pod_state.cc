// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/pod_state.h"

#include <string>

namespace xebec::planner {

PodState StateOf(const Child& pod) {
  if (pod.deleting) return PodState::kTerminating;
  const std::string phase = FindString(pod.object, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return PodState::kFinished;
  if (phase.empty() || phase == "Pending" || phase == "Running") return PodState::kLive;
  return PodState::kUnknown;
}

}  // namespace xebec::planner
