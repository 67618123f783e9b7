// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/readiness.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

void Readiness::Update(const CachedControllers& controllers, const WatchPool& watches,
                       const std::vector<ResourceSpec>& needed, std::vector<Changed>* changes) {
  watches_.resize(watches.size());
  for (Watch& each : watches_) each.needed.reset();
  for (const ResourceSpec& spec : needed) {
    watches_[*watches.Find(spec.type, spec.ns)].needed = spec;
  }
  Review(controllers, watches, changes);
}

void Readiness::Review(const CachedControllers& controllers, const WatchPool& watches,
                       std::vector<Changed>* changes) {
  for (WatchId id = 0; id < watches_.size(); ++id) watches_[id].status = StatusOf(id, watches);
  controllers_.resize(controllers.all().size());
  for (ControllerId id = 0; id < controllers_.size(); ++id) ReviewOne(id, controllers, changes);
}

bool Readiness::Notice(WatchId watch, const CachedControllers& controllers,
                       const WatchPool& watches, std::vector<Changed>* changes) {
  Status& status = watches_[watch].status;
  const Status before = std::exchange(status, StatusOf(watch, watches));
  if (status == before) return false;
  for (const Role& role : controllers.RolesOf(watch)) {
    ReviewOne(role.controller, controllers, changes);
  }
  return true;
}

// A cache that is being widened is enough for a revision that does not need what it lacks.
Readiness::Status Readiness::StatusOf(WatchId watch, const WatchPool& watches) const {
  const Reflector& reflector = watches.reflector(watch);
  const std::optional<ResourceSpec>& needed = watches_[watch].needed;
  const bool enough =
      !reflector.cache().scope().active() || !needed || CoversInBucket(reflector.spec(), *needed);
  return {watches.Usable(watch) && enough,
          reflector.availability(),
          reflector.failing(),
          reflector.cache().scope().active(),
          reflector.spec().projection.keep,
          reflector.streams().barrier().fresh_since(),
          reflector.streams().barrier().seen_since()};
}

// A namespace that cannot be read does not stop the others. Returns true if any can be read.
bool Readiness::Add(const WatchSet& set, Common* common) const {
  bool any = false;
  for (const auto& [ns, id] : set.all()) {
    const Status& status = watches_[id].status;
    if (!status.ready) {
      common->ready &= status.availability == Availability::kUnavailable;
      common->hopeless |= status.failing;
      continue;
    }
    any = true;
    common->fresh_since = std::min(common->fresh_since, status.fresh_since);
    common->seen_since = std::min(common->seen_since, status.seen_since);
    if (!status.held.active()) continue;
    common->held = Intersect(common->held, {status.held.buckets, /*parents=*/true});
  }
  return any;
}

Readiness::Common Readiness::CommonOf(const CachedController& controller) const {
  Common common{.ready = controller.active && !controller.paused};
  const bool any = Add(controller.parent, &common);
  common.hopeless |= common.ready && !any;
  common.ready &= any;
  for (const WatchSet& set : controller.children) Add(set, &common);
  for (const WatchSet& set : controller.related) Add(set, &common);
  return common;
}

void Readiness::ReviewOne(ControllerId id, const CachedControllers& controllers,
                          std::vector<Changed>* changes) {
  const Common before = std::exchange(controllers_[id], CommonOf(controllers.all()[id]));
  const Common& now_is = controllers_[id];
  const bool fresher =
      now_is.fresh_since > before.fresh_since || now_is.seen_since > before.seen_since;
  const bool better = !before.ready || fresher || !before.held.Covers(now_is.held);
  const bool given_up = now_is.hopeless && !before.hopeless;
  if ((now_is.ready && better) || given_up) changes->emplace_back(BucketsReady{id});
}

BucketSet Readiness::Kept(BucketSet buckets, const CachedControllers& controllers) const {
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const CachedController& controller = controllers.all()[id];
    const Common& its = controllers_[id];
    if (!controller.active || controller.paused || its.hopeless) continue;
    if (!its.ready) return BucketSet(buckets.count());
    if (!its.held.active()) continue;
    for (const uint32_t bucket : buckets.ToVector()) {
      if (!its.held.buckets->Contains(bucket)) buckets.Remove(bucket);
    }
  }
  return controllers_.empty() ? BucketSet(buckets.count()) : buckets;
}

bool Readiness::Ready(ControllerId controller, uint32_t bucket,
                      const CacheFreshness& freshness) const {
  const Common& its = controllers_[controller];
  const absl::Duration since = freshness.stated ? its.seen_since : its.fresh_since;
  return its.ready && since >= freshness.since &&
         (!its.held.active() || its.held.buckets->Contains(bucket));
}

}  // namespace xebec::watcher
