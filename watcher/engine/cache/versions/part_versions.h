// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/kube/watch_event.h"
#include "common/model/bucket.h"

namespace xebec::watcher {

/// The versions of those parts of a cache that are ahead of its watch. Another watcher that hands
/// objects over has seen more or less of the resource than the cache. The watch goes on from the
/// older version, and so shows events again that one of the parts contains already
/// (docs/adr/0044-each-part-of-a-cache-has-its-version.md). A value.
class PartVersions {
 public:
  /// The objects that `keep` keeps are as of `version`. Parts may overlap: the latest version
  /// counts.
  void Add(kube::BucketFilter keep, std::string version);
  /// Takes what `keep` does not keep out of all parts. A part without objects stays: the watch is
  /// still behind what has been seen.
  void Narrow(const kube::BucketFilter& keep);
  /// The watch has shown everything up to `cursor`. Parts that are not ahead of it end.
  void Reach(const std::string& cursor);
  void Clear() { parts_.clear(); }

  bool empty() const { return parts_.empty(); }
  /// Returns true if the object belongs to a part that contains its state in `header` or a later
  /// one. A parent label does not tell the bucket, so such an object belongs to no part.
  bool Contain(const kube::ObjectHeader& header) const;
  /// Returns the version of the part with all these buckets, or `cursor` if there is none.
  const std::string& Of(const BucketSet& buckets, const std::string& cursor) const;
  /// Returns the latest version of all parts, or `cursor` if there are none.
  const std::string& Latest(const std::string& cursor) const;

  bool operator==(const PartVersions&) const = default;

 private:
  struct Part {
    kube::BucketFilter keep;
    std::string version;
    bool operator==(const Part&) const = default;
  };

  std::vector<Part> parts_;
};

}  // namespace xebec::watcher
