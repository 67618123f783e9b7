// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/model/bucket.h"

namespace xebec::kube {

/// Selects the objects of a resource that concern the parents of some buckets. Without a role, all
/// objects concern all parents. A value; copies share the buckets.
struct BucketFilter {
  std::shared_ptr<const BucketSet> buckets;  ///< Null means that all objects are kept.
  bool parents = false;                      ///< The objects are parents: their own uid decides.
  bool children = false;  ///< The objects are children: the uid of their controller decides.
  /// An object with a parent label, which names a parent without a uid, is kept only if the caller
  /// holds that parent. The filter cannot know, and keeps it.
  bool labels = false;

  /// Returns true if the filter keeps some objects only.
  bool active() const { return buckets != nullptr && (parents || children); }
  /// The share of the buckets that it keeps, in [0, 1].
  double share() const;
  /// Returns true if an API server can filter too, by the uids of the objects: see ShardSelector.
  bool selectable() const { return active() && parents && !children; }
  /// Returns true if the filter keeps such an object. `controller` is the uid of its controller. An
  /// object with a parent label is always kept.
  bool Keeps(std::string_view uid, std::string_view controller,
             std::string_view parent_label) const;
  /// Returns true if this filter keeps every object that `other` keeps.
  bool Covers(const BucketFilter& other) const;
  /// The same without the buckets: for equal buckets, this filter would cover `other`.
  bool CoversRoles(const BucketFilter& other) const;
};
/// Compares content. Filters that keep everything are equal.
bool operator==(const BucketFilter& a, const BucketFilter& b);

/// Returns the value of the query parameter shardSelector (KEP-5866) of lists and watches, with
/// which API servers that know it show only objects that the filter keeps. Others ignore it. Empty
/// if the filter is not selectable, keeps nothing, or has too many ranges of buckets for a URL.
std::string ShardSelector(const BucketFilter& filter);

/// Returns a filter that keeps only what both keep: of objects with two roles possibly less.
BucketFilter Intersect(const BucketFilter& a, const BucketFilter& b);

}  // namespace xebec::kube
