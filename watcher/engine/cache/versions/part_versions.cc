// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/versions/part_versions.h"

#include <utility>

#include "watcher/engine/cache/store/keep_rule.h"
#include "watcher/engine/cache/versions/cursor.h"

namespace xebec::watcher {
namespace {

const std::string& Later(const std::string& a, const std::string& b) {
  return Reaches(a, b) ? a : b;
}

}  // namespace

void PartVersions::Add(kube::BucketFilter keep, std::string version) {
  if (keep.active()) parts_.push_back({std::move(keep), std::move(version)});
}

void PartVersions::Narrow(const kube::BucketFilter& keep) {
  for (Part& part : parts_) part.keep = Intersect(part.keep, keep);
}

void PartVersions::Reach(const std::string& cursor) {
  std::erase_if(parts_, [&](const Part& part) { return Reaches(cursor, part.version); });
}

bool PartVersions::Contain(const kube::ObjectHeader& header) const {
  if (!header.parent_label.empty()) return false;
  for (const Part& part : parts_) {
    if (!KeepRule(part.keep).Keeps(header)) continue;
    if (Reaches(part.version, header.resource_version)) return true;
  }
  return false;
}

const std::string& PartVersions::Of(const BucketSet& buckets, const std::string& cursor) const {
  const std::string* version = &cursor;
  for (const Part& part : parts_) {
    if (part.keep.buckets->Covers(buckets)) version = &Later(part.version, *version);
  }
  return *version;
}

const std::string& PartVersions::Latest(const std::string& cursor) const {
  const std::string* version = &cursor;
  for (const Part& part : parts_) version = &Later(part.version, *version);
  return *version;
}

}  // namespace xebec::watcher
