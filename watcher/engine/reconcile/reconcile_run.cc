// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/reconcile_run.h"

#include <tuple>

namespace xebec::watcher {
namespace {

auto Fields(const Pass& p) {
  return std::tie(p.envelope, p.parent, p.triggered, p.started, p.timer, p.state, p.ending,
                  p.requirements, p.fates, p.live_parent, p.asked_live, p.parent_version,
                  p.read_failures, p.world, p.overtaken);
}

std::vector<ObjectGroup> Groups(const Pass& pass) {
  std::vector<ObjectGroup> groups;
  for (const auto& [type, objects] : pass.live) groups.push_back({type, objects, true});
  return groups;
}

}  // namespace

ParentStamp StampOf(const StoredObject& parent) {
  return {parent.uid, parent.generation, parent.deleting, parent.paused(), parent.reconcile_at()};
}

bool operator==(const Pass& a, const Pass& b) {
  return Fields(a) == Fields(b) && Groups(a) == Groups(b);
}

}  // namespace xebec::watcher
