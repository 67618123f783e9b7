// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/kube/watch_event.h"
#include "watcher/engine/cache/versions/part_versions.h"

namespace xebec::watcher {

/// Up to which versions the watch of a cache, and the cache itself, have seen their resource. A
/// value.
class CacheVersions {
 public:
  /// The watch has shown this version.
  void OnEvent(const std::string& version, bool bookmark);
  /// A complete list of this version is taken over from now on; OnListed follows.
  void AdoptList(const std::string& version);
  void OnListed();
  /// The objects that `gained` keeps are taken over as of `version`, beside those that `held`
  /// keeps. The watch goes on from the older version of both, so that no part misses an event.
  void AdoptPart(const kube::BucketFilter& held, const kube::BucketFilter& gained,
                 const std::string& version);
  /// The cache holds nothing but what `keep` keeps too.
  void Narrow(const kube::BucketFilter& keep) { parts_.Narrow(keep); }

  /// The last version that the watch has shown. After a list or a part, it may be before the
  /// watermark of the cache.
  const std::string& cursor() const { return cursor_; }
  /// The version of the last event or list: none of the objects has changed between it and the
  /// watermark, unless the API server selects the objects.
  const std::string& changed() const { return changed_; }
  /// Nothing has been seen that is later than this version. A list must not be older.
  const std::string& Latest() const { return parts_.Latest(cursor_); }
  /// Everything up to the returned version has been seen of all that the cache holds.
  const std::string& Seen(const std::string& watermark) const;
  /// The parts that are ahead of the watch.
  const PartVersions& parts() const { return parts_; }

  bool operator==(const CacheVersions&) const = default;

 private:
  std::string cursor_, changed_;
  PartVersions parts_;
  std::string seen_before_;  // the cursor before the list that ends the parts; empty without one
};

}  // namespace xebec::watcher
