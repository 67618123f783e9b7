// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "watcher/engine/cache/lists/list_merge.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/reflector/watch_run.h"
#include "watcher/engine/cache/reflector/widening.h"
#include "watcher/engine/cache/store/keep_rule.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/store/recent_names.h"
#include "watcher/engine/cache/store/removals.h"
#include "watcher/engine/cache/versions/cache_versions.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// The lists of a cache. They are numbered upwards from 1, without an end: a cleared cache goes on
/// counting, because a gate compares a list with those that had begun before a write.
struct ListNumbers {
  uint64_t begun = 0;  ///< The last list that was begun.
  uint64_t taken = 0;  ///< The list that the cache rests on; 0 before the first.
  /// When that list began (monotonic); negative InfiniteDuration before the first.
  absl::Duration taken_since = -absl::InfiniteDuration();

  bool operator==(const ListNumbers&) const = default;
};

/// The cache of one watched resource. It takes the events of a watch while lists are read, and
/// takes complete lists over in steps. The newer state of an object always wins. A value.
class ResourceCache {
 public:
  /// `lists_begun` lists were begun for an earlier cache of the resource.
  explicit ResourceCache(ResourceSpec spec, uint64_t lists_begun = 0)
      : scope_(std::move(spec)), lists_{.begun = lists_begun} {}

  /// What the caller does after Specify.
  enum class Respecified {
    kNothing,
    kListLater,  ///< Another list when the one that was begun is taken over: see list_due().
    kListNow,    ///< A list in place of any other one.
  };
  /// Changes what the cache should hold. It forgets objects of other buckets in steps (ForgetSome);
  /// whether a complete cache stays complete beside that: it does if it only gets wider. What only
  /// narrows otherwise is ignored.
  Respecified Specify(ResourceSpec spec, absl::Duration now);
  /// The cache does not count as complete until the next list. Its objects stay.
  void Invalidate();

  /// Begins a list of scope().wanted(), or what may turn out to be one, and returns its number.
  uint64_t BeginList();
  /// The list that was begun is certainly one. Streams up to `last_stream` may show too little.
  void BeginWidening(StreamId last_stream) { scope_.OnListBegun(last_stream); }
  /// Returns true if the cache lacks nothing but the objects of more buckets, so that another
  /// watcher can hand these over (BeginWidening) in place of a list.
  bool MayTakeOver() const;
  /// Returns true if the objects that have been handed over since can still be taken.
  bool MayAdoptPart() const { return complete_ && !unsure_; }
  /// Buckets were acquired whose objects are not here. Only a list that begins later contains all
  /// that was written before, so nothing is handed over until then.
  void RequireList() { unsure_ = true; }
  /// Another watcher that has handed objects over has lately not kept others with these parent
  /// labels.
  void TakeLeftOut(const std::vector<ObjectKey>& labels) {
    for (const ObjectKey& label : labels) left_out_.Add(label);
  }
  /// The list that was begun is not read any further.
  void EndList() { store_.EndList(); }
  /// Takes what the list that was begun shows of an object: a newer state of a stored object counts
  /// at once. Returns true if the cache needs nothing more of it: it is stored, or not to be
  /// stored, or removed since. Otherwise, the list has to be taken over with the object.
  bool TakeListed(const kube::DecodedObject& object, HoldsParent holds, StoreChanges* changes);
  /// Starts to take a list over. Events follow from its version on; after a part, from
  /// versions().cursor().
  void Adopt(CompleteList list, absl::Duration now);
  /// Takes over up to `limit` objects. Requires merging(). Returns true when the list is taken
  /// over.
  bool MergeSome(uint32_t limit, absl::Duration now, HoldsParent holds, StoreChanges* changes);
  /// Forgets the list that is being taken over, if any. Returns its objects that are not merged.
  Snapshot DropMerge();
  /// Returns all objects. Call nothing else afterwards.
  ObjectTable TakeObjects() && { return std::move(store_).TakeObjects(); }

  /// Objects of parents that are not held are to be forgotten in steps (ForgetSome).
  void Prune(absl::Duration now);
  /// Forgets objects of other buckets and of parents that are not held. It checks no more than
  /// `limit`.
  void ForgetSome(uint32_t limit, absl::Duration now, HoldsParent holds, StoreChanges* changes);
  /// When ForgetSome is due; InfiniteDuration for never.
  absl::Duration forget_due() const { return merge_ ? absl::InfiniteDuration() : forget_due_; }

  /// Makes an event of an object that is not to be kept, although the watch shows it whole, that of
  /// a foreign object.
  void Filter(kube::WatchEvent* event, HoldsParent holds);
  /// Takes an event, or a bookmark, of the watch. Its version must not be older than the cursor.
  void Take(const kube::WatchEvent& event, const WatchRun& watch, HoldsParent holds,
            StoreChanges* changes);
  /// Returns true if an object with this parent label was lately not kept, although the buckets
  /// keep it: its parent was not held.
  bool HasLeftOut(const ObjectKey& label) const { return left_out_.Contains(label); }
  /// A list is read that may show older states of an object that an event removed.
  void NoteRemoval(const kube::ObjectHeader& header) { removed_.Note(header); }
  /// No list is read. Forgets removals as soon as nothing older than them can come again.
  void ForgetRemovals();
  /// The cache has seen the events of the last input: ends the widening if it may.
  void CompleteWidening();
  /// More is wanted than what the last list was for.
  bool list_due() const { return complete_ && scope_.active() && !scope_.listing() && !merging(); }

  const ObjectStore& store() const { return store_; }
  const CacheVersions& versions() const { return versions_; }
  /// Everything up to this version has been seen of all that scope().held() keeps.
  const std::string& seen() const { return versions_.Seen(store_.watermark()); }
  /// Everything up to this version has been seen of what concerns these buckets, which are held.
  const std::string& SeenOf(const BucketSet& buckets) const {
    return versions_.parts().Of(buckets, seen());
  }
  /// The parent labels of objects that were lately not kept.
  const RecentNames& left_out() const { return left_out_; }
  /// True if the cache holds all objects of scope().held().
  bool complete() const { return complete_; }
  bool merging() const { return merge_.has_value(); }
  /// Returns true if what another watcher has handed over is being taken over.
  bool merges_part() const { return merge_ && merge_->part(); }
  /// When MergeSome is due; InfiniteDuration for never.
  absl::Duration merge_due() const { return merge_ ? merge_->due() : absl::InfiniteDuration(); }
  const Widening& scope() const { return scope_; }
  /// Counts what adds and removes objects apart from events: lists, transfers and lost buckets.
  uint64_t rearranged() const { return rearranged_; }
  const ListNumbers& lists() const { return lists_; }

  bool operator==(const ResourceCache&) const = default;

 private:
  void NarrowTo(const kube::BucketFilter& keep, absl::Duration now);
  bool ComesAgain(const kube::WatchEvent& event) const;
  void TakeObject(const kube::WatchEvent& event, HoldsParent holds, StoreChanges* changes);
  bool Keeps(const kube::ObjectHeader& header, HoldsParent holds);

  Widening scope_;
  ObjectStore store_;
  Removals removed_;
  std::optional<ListMerge> merge_;
  CacheVersions versions_;
  ListNumbers lists_;
  bool complete_ = false;
  bool refresh_ = false;      // the next list replaces bytes of the same version
  kube::BucketFilter shown_;  // by the list that was begun last
  RecentNames left_out_;      // namespaces and parent labels
  Slot forget_next_ = 0;
  bool narrowed_ = false;  // the objects of buckets that were lost are to be forgotten
  bool unsure_ = false;    // only a list shows the objects of some bucket as they are now
  uint64_t rearranged_ = 0;
  absl::Duration forget_due_ = absl::InfiniteDuration();
};

/// Returns true if the event shows that an object is gone, or that it is not to be stored.
bool Removes(const kube::WatchEvent& event);

}  // namespace xebec::watcher
