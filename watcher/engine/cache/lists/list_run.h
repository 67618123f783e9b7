// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "watcher/engine/cache/lists/list_merge.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/store/removals.h"
#include "watcher/engine/cache/versions/cursor.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// The watcher that hands over its objects of some buckets, in place of a list.
struct Transfer {
  std::string address;
  kube::BucketFilter keep;

  bool operator==(const Transfer&) const = default;
};

/// A list while its pages are read. It keeps only the objects that the store does not have, so a
/// repeated list needs no memory. They reach the store when the list is complete. A value.
class ListRun {
 public:
  /// `began` is the current time (monotonic). `cursor` is the version up to which the cache has
  /// seen the resource: an older list is refused.
  ListRun(StreamId stream, bool selecting, uint64_t number, absl::Duration began,
          std::string cursor)
      : stream_(stream),
        selecting_(selecting),
        number_(number),
        began_(began),
        cursor_(std::move(cursor)) {}
  /// Objects that another watcher hands over, in whatever version.
  ListRun(StreamId stream, Transfer from, absl::Duration began)
      : ListRun(stream, /*selecting=*/false, /*number=*/0, began, /*cursor=*/"") {
    part_ = from.keep;
    from_ = std::move(from);
  }

  /// Takes an object. `known` is true if the store needs nothing more of it.
  void Take(const kube::DecodedObject& object, bool known);
  /// An event of the watch removed the object: older news of it do not count.
  void OnRemoved(const kube::ObjectHeader& header) { EraseRemoved(header, &news_); }
  /// The cache became narrower. What another watcher hands over does not count for the buckets that
  /// were lost, even if they come back before it is complete.
  void Narrow(const kube::BucketFilter& keep) {
    if (part_) part_ = kube::Intersect(*part_, keep);
  }
  /// A page has come, and the next one was requested.
  void NextPage(StreamId stream, bool selecting);
  /// Returns true if a list of this version must not be taken over.
  bool Refuses(const std::string& version) const { return GoesBack(version, cursor_); }
  /// Ends the run with the version of the list.
  CompleteList Complete(std::string version) &&;

  StreamId stream() const { return stream_; }
  /// True if the last page was requested with a shard selector.
  bool selecting() const { return selecting_; }
  /// The number of pages that have come, without the last.
  uint32_t pages() const { return pages_; }
  absl::Duration began() const { return began_; }
  const std::string& cursor() const { return cursor_; }
  /// The watcher that hands the objects over; null for a list of the API server.
  const Transfer* from() const { return from_ ? &*from_ : nullptr; }

  bool operator==(const ListRun&) const = default;

 private:
  StreamId stream_;
  bool selecting_;
  uint64_t number_;
  absl::Duration began_;
  std::string cursor_;
  uint32_t pages_ = 0;
  Snapshot news_;
  std::optional<Transfer> from_;
  std::optional<kube::BucketFilter> part_;  // of from_
};

}  // namespace xebec::watcher
