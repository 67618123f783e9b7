// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "common/kube/watch_event.h"
#include "watcher/engine/cache/store/object_table.h"

namespace xebec::watcher {

/// Returns true if this watcher may hold the parent whose objects in a namespace have this label.
using HoldsParent = absl::FunctionRef<bool(const std::string& ns, const std::string& label)>;

/// The HoldsParent of a watcher that may hold any parent.
inline bool AnyParent(const std::string&, const std::string&) { return true; }

/// Decides which objects a cache keeps: those of its buckets, and of those with a parent label,
/// which belong to no bucket, those whose parent this watcher may hold. It is valid as long as what
/// it refers to.
class KeepRule {
 public:
  /// Keeps all objects with a parent label.
  KeepRule(const kube::BucketFilter& buckets) : KeepRule(buckets, AnyParent) {}  // NOLINT: implicit
  KeepRule(const kube::BucketFilter& buckets, HoldsParent holds)
      : buckets_(&buckets), holds_(holds) {}

  bool active() const { return buckets_->active(); }
  bool Keeps(const kube::ObjectHeader& header) const {
    return Keeps(header.uid, OwnerOf(header), header.ns, header.parent_label);
  }
  bool Keeps(const std::string& ns, const StoredObject& object) const {
    return !active() || Keeps(object.uid.str(), object.owner_uid.str(), ns, object.parent_label());
  }

 private:
  bool Keeps(std::string_view uid, std::string_view owner, const std::string& ns,
             const std::string& label) const {
    if (label.empty() || !buckets_->labels) return buckets_->Keeps(uid, owner, label);
    return buckets_->Keeps(uid, owner, "") || holds_(ns, label);
  }

  const kube::BucketFilter* buckets_;
  HoldsParent holds_;
};

}  // namespace xebec::watcher
