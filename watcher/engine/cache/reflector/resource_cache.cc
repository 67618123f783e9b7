// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/resource_cache.h"

#include "watcher/engine/cache/versions/cursor.h"

namespace xebec::watcher {
namespace {

// The same as `holds`, and remembers the labels of the others: a parent may appear after its
// objects, because each watch has its own pace.
auto NoteLeftOut(HoldsParent holds, RecentNames* left_out) {
  return [holds, left_out](const std::string& ns, const std::string& label) {
    const bool held = holds(ns, label);
    if (!held) left_out->Add({ns, label});
    return held;
  };
}

}  // namespace

bool Removes(const kube::WatchEvent& event) {
  if (event.type == kube::WatchEventType::kBookmark) return false;
  return event.type == kube::WatchEventType::kDeleted || event.object.json == nullptr;
}

// A wider cache goes on as it is; the events of the old watch are replaced by those of the new one.
ResourceCache::Respecified ResourceCache::Specify(ResourceSpec spec, absl::Duration now) {
  const ResourceSpec& wanted = scope_.wanted();
  const bool rests = complete_ || scope_.listing();
  if (rests && CoversInBucket(wanted, spec)) {
    const kube::BucketFilter keep = spec.projection.keep;
    spec = wanted;
    spec.projection.keep = keep;
  } else {
    refresh_ = true;
  }
  if (spec == wanted) return Respecified::kNothing;
  const bool forgets_lost = narrowed_;
  NarrowTo(spec.projection.keep, now);
  if (!rests || !Covers(spec, scope_.held())) {
    scope_.Replace(std::move(spec));
    complete_ = false;
    return Respecified::kListNow;
  }
  const bool restart = !scope_.MayList(spec);
  scope_.Want(std::move(spec));
  if (!scope_.active()) return Respecified::kNothing;
  unsure_ |= forgets_lost;
  const bool reads = scope_.listing() || merging();
  return reads && !restart ? Respecified::kListLater : Respecified::kListNow;
}

void ResourceCache::NarrowTo(const kube::BucketFilter& keep, absl::Duration now) {
  if (keep.Covers(scope_.wanted().projection.keep)) return;
  scope_.Narrow(keep);
  versions_.Narrow(keep);
  narrowed_ = true;
  ++rearranged_;
  shown_ = Intersect(shown_, keep);
  forget_next_ = 0;
  forget_due_ = now;
}

void ResourceCache::Prune(absl::Duration now) {
  if (!scope_.wanted().projection.keep.labels) return;
  forget_next_ = 0;
  forget_due_ = now;
}

void ResourceCache::ForgetSome(uint32_t limit, absl::Duration now, HoldsParent holds,
                               StoreChanges* changes) {
  const auto noted = NoteLeftOut(holds, &left_out_);
  const KeepRule keep(scope_.wanted().projection.keep, noted);
  const std::optional<Slot> next =
      store_.ForgetOthers(forget_next_, limit, keep, narrowed_, changes);
  narrowed_ &= next.has_value();
  forget_next_ = next.value_or(0);
  forget_due_ = next ? now : absl::InfiniteDuration();
}

void ResourceCache::Invalidate() {
  scope_.Finish();
  complete_ = false;
}

uint64_t ResourceCache::BeginList() {
  store_.BeginList(static_cast<uint32_t>(++lists_.begun));
  shown_ = scope_.wanted().projection.keep;
  return lists_.begun;
}

// An object that was removed for a narrower cache may be one of the objects that are handed over.
bool ResourceCache::MayTakeOver() const {
  if (!removed_.empty() && versions_.cursor() != store_.watermark()) return false;
  if (!complete_ || !scope_.active() || refresh_ || merging()) return false;
  if (unsure_ || narrowed_) return false;
  ResourceSpec held = scope_.held();
  if (!held.projection.keep.active()) return false;
  held.projection.keep.buckets = scope_.wanted().projection.keep.buckets;
  return held == scope_.wanted();
}

// A list for other fields waits: an event of the watch that runs beside it, which shows the same
// version with the old fields, would replace the new ones.
bool ResourceCache::TakeListed(const kube::DecodedObject& object, HoldsParent holds,
                               StoreChanges* changes) {
  if (object.json == nullptr || !Keeps(object.header, holds)) {
    store_.TakeBack(object.header);
    return true;
  }
  return removed_.Contain(object.header) || store_.Confirm(object, refresh_) ||
         (!refresh_ && store_.Update(object, changes));
}

// The cursor may go back to the list: the watch that ran beside it may have lost something, and
// what comes twice changes nothing.
void ResourceCache::Adopt(CompleteList list, absl::Duration now) {
  if (list.part) {
    versions_.AdoptPart(scope_.held().projection.keep, *list.part, list.version);
  } else {
    versions_.AdoptList(list.version);
    store_.EndList();
  }
  ++rearranged_;
  merge_.emplace(std::move(list), now);
}

bool ResourceCache::MergeSome(uint32_t limit, absl::Duration now, HoldsParent holds,
                              StoreChanges* changes) {
  const auto noted = NoteLeftOut(holds, &left_out_);
  const ListMerge::Scope scope{KeepRule(scope_.wanted().projection.keep, noted),
                               KeepRule(shown_, holds)};
  if (!merge_->Step(limit, now, scope, &store_, changes)) return false;
  store_.Advance(versions_.cursor());
  if (!merge_->part()) {
    store_.Advance(merge_->version());
    unsure_ &= !shown_.Covers(scope_.wanted().projection.keep);
    lists_.taken = merge_->number();
    lists_.taken_since = merge_->began();
    complete_ = true;
    versions_.OnListed();
  }
  merge_.reset();
  scope_.OnListed();
  CompleteWidening();
  return true;
}

Snapshot ResourceCache::DropMerge() {
  return merge_ ? std::move(*std::exchange(merge_, std::nullopt)).Drop() : Snapshot();
}

bool ResourceCache::Keeps(const kube::ObjectHeader& header, HoldsParent holds) {
  const auto noted = NoteLeftOut(holds, &left_out_);
  return KeepRule(scope_.wanted().projection.keep, noted).Keeps(header);
}

void ResourceCache::Filter(kube::WatchEvent* event, HoldsParent holds) {
  if (event->object.json != nullptr && !Keeps(event->object.header, holds)) {
    event->object.json = nullptr;
  }
}

// While a list is taken over, the watermark stays: the cache lacks what is still to be merged.
// After one, events that the cache has seen already may come again.
void ResourceCache::Take(const kube::WatchEvent& event, const WatchRun& watch, HoldsParent holds,
                         StoreChanges* changes) {
  if (!ComesAgain(event)) TakeObject(event, holds, changes);
  if (merge_ && Removes(event)) merge_->OnRemoved(event.object.header);
  const std::string& version = event.object.header.resource_version;
  const bool bookmark = event.type == kube::WatchEventType::kBookmark;
  versions_.OnEvent(version, bookmark);
  // What an API server has selected lacks events of other objects, too.
  if (watch.selecting() || !bookmark) scope_.OnEvent(watch.stream(), version);
  if (!merge_) store_.Advance(version);
}

// Of an object that is stored in a later state, an event tells nothing: then the object belonged to
// another watcher's parents, had another uid, or the watch is narrow.
bool ResourceCache::ComesAgain(const kube::WatchEvent& event) const {
  const kube::ObjectHeader& header = event.object.header;
  if (!Removes(event) || !store_.HasAsNew(header)) return false;
  return event.type != kube::WatchEventType::kDeleted ||
         store_.Find({header.ns, header.name})->uid != header.uid;
}

void ResourceCache::TakeObject(const kube::WatchEvent& event, HoldsParent holds,
                               StoreChanges* changes) {
  const kube::ObjectHeader& header = event.object.header;
  // Of an object that the cache does not hold, a narrow watch does not tell why it is foreign.
  if (Removes(event)) {
    const KeepRule held(scope_.held().projection.keep, holds);
    store_.ForgetOther({header.ns, header.name}, held, changes);
  }
  if (event.type == kube::WatchEventType::kDeleted) {
    store_.Remove(header, changes);
  } else if (event.type != kube::WatchEventType::kBookmark && !removed_.Contain(header) &&
             !versions_.parts().Contain(header)) {
    store_.Upsert(event.object, changes);
  }
}

void ResourceCache::ForgetRemovals() {
  if (versions_.cursor() == store_.watermark()) removed_.Clear();
}

void ResourceCache::CompleteWidening() {
  if (!merge_ && scope_.Complete(versions_.cursor())) refresh_ &= scope_.active();
}

}  // namespace xebec::watcher
