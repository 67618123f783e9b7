// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/resource_cache.h"

namespace xebec::watcher {

bool Removes(const kube::WatchEvent& event) {
  if (event.type == kube::WatchEventType::kBookmark) return false;
  return event.type == kube::WatchEventType::kDeleted || event.object.json == nullptr;
}

// A wider cache goes on as it is; the events of the old watch are replaced by those of the new one.
bool ResourceCache::Specify(ResourceSpec spec, StreamId watch) {
  refresh_ = true;
  if (complete_ && Covers(spec, scope_.held())) {
    scope_.Begin(std::move(spec), watch);
    return true;
  }
  scope_.Replace(std::move(spec));
  complete_ = false;
  return false;
}

void ResourceCache::Invalidate() {
  scope_.Finish();
  complete_ = false;
}

uint64_t ResourceCache::BeginList() {
  store_.BeginList(static_cast<uint32_t>(++lists_.begun));
  return lists_.begun;
}

bool ResourceCache::Knows(const kube::DecodedObject& object) {
  return object.json == nullptr || removed_.Contain(object.header) ||
         store_.Confirm(object, refresh_);
}

// The cursor may go back to the list: the watch that ran beside it may have lost something, and
// what comes twice changes nothing.
void ResourceCache::Adopt(CompleteList list, absl::Duration now) {
  cursor_ = list.version;
  store_.EndList();
  merge_.emplace(std::move(list), now);
}

bool ResourceCache::MergeSome(uint32_t limit, absl::Duration now, StoreChanges* changes) {
  if (!merge_->Step(limit, now, &store_, changes)) return false;
  store_.Advance(merge_->version());
  store_.Advance(cursor_);
  lists_.taken = merge_->number();
  lists_.taken_since = merge_->began();
  merge_.reset();
  complete_ = true;
  refresh_ = scope_.active();
  scope_.OnListed();
  CompleteWidening();
  return true;
}

Snapshot ResourceCache::DropMerge() {
  return merge_ ? std::move(*std::exchange(merge_, std::nullopt)).Drop() : Snapshot();
}

// While a list is taken over, the watermark stays: the cache lacks what is still to be merged.
// After one, events that the cache has seen already may come again.
void ResourceCache::Take(const kube::WatchEvent& event, StreamId watch, StoreChanges* changes) {
  const kube::ObjectHeader& header = event.object.header;
  if (event.type == kube::WatchEventType::kDeleted) {
    store_.Remove(header, changes);
  } else if (event.type != kube::WatchEventType::kBookmark && !removed_.Contain(header)) {
    store_.Upsert(event.object, changes);
  }
  if (merge_ && Removes(event)) merge_->OnRemoved(header);
  cursor_ = header.resource_version;
  if (event.type != kube::WatchEventType::kBookmark) scope_.OnEvent(watch, cursor_);
  if (!merge_) store_.Advance(cursor_);
}

void ResourceCache::ForgetRemovals() {
  if (cursor_ == store_.watermark()) removed_.Clear();
}

void ResourceCache::CompleteWidening() {
  if (!merge_ && scope_.Complete(cursor_)) refresh_ = false;
}

}  // namespace xebec::watcher
