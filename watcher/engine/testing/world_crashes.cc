// SPDX-License-Identifier: Apache-2.0
// Processes of the simulated world that are killed, and what happens at a chosen input.
#include <utility>

#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {

// kill -9. What appliers have been sent is carried out or not, and nobody learns of it: without
// election at once (the new process begins with consistent lists), else at any time.
void World::Crash(const std::function<bool()>& carries_out) {
  for (Waiting& each : std::exchange(me_->plans, {})) {
    if (!carries_out()) continue;
    if (Elects()) {
      const absl::Duration life = each.send.plan->envelope.not_after - Now().wall;
      orphans_.push_back({std::move(each.send), now_.monotonic + life});
    } else {
      Apply(*each.send.plan, {});
    }
  }
  Begin();
}

void World::Restart() {
  Crash([this] { return Chance(50); });
}

void World::Kill(bool carried) {
  Trace("  kill -9");
  Crash([carried] { return carried; });
}

void World::Want(const std::string& widget, int parts, int value) {
  if (cluster_.SetWidget(widget, parts, value)) wanted_[widget] = {parts, value};
}

void World::Before(uint64_t input, std::function<void()> act) {
  interrupted_at_ = input;
  interruption_ = std::move(act);
}

// True if the process that should get the next input is gone.
bool World::Interrupted() {
  if (++inputs_ != interrupted_at_) return false;
  const uint64_t incarnation = incarnation_;
  interruption_();
  return incarnation_ != incarnation;
}

}  // namespace xebec::watcher::testing
