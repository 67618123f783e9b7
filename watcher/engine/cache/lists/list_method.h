// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "common/model/resource.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What the failure of a list or watch means.
enum class FailureKind {
  kMissing,          ///< The kind is not served.
  kExpired,          ///< The API server no longer has the version that was requested.
  kSelectorRefused,  ///< The server does not take the shard selector: to be repeated without it.
  kOther,
};

/// Returns the kind of a failure of any list or watch: kMissing, kExpired or kOther.
FailureKind KindOf(const ApiFailure& failure, const ResourceType& type);

/// Returns true if the client has no right to list or watch.
bool IsForbidden(const ApiFailure& failure);
/// Returns true if the server would refuse the same request again: a watch cannot be resumed.
bool IsBadRequest(const ApiFailure& failure);

/// Returns the pause that the API server requests (Retry-After), at most kMaxRetryAfter; zero if it
/// requests none.
absl::Duration RequestedPause(const ApiFailure& failure);

/// Chooses how a resource is listed and watched from the answers to its lists and watches: how
/// large the pages are, and whether the server selects the objects. A value.
class ListMethod {
 public:
  /// The size of a page. `usual` is the size without failures.
  uint32_t PageSize(uint32_t usual) const;

  /// Returns true if pages are requested with a shard selector. A server that does not know it
  /// ignores it, and the page shows what the server does.
  bool SelectsPages() const { return sharding_ != Sharding::kRefused; }
  /// Returns true if watches are requested with a shard selector.
  bool SelectsWatches() const { return sharding_ == Sharding::kConfirmed; }

  /// A page that was requested with a shard selector has come. The server selects if it says so. If
  /// it says nothing, the objects tell, because Kubernetes 1.36 selects custom resources without
  /// saying so. `share`: the share of all objects that the selector keeps, in (0, 1]. A few objects
  /// tell nothing, because all of them can be of own buckets by chance.
  void OnSelectedPage(const kube::ListPage& page, double share);
  /// A list failed after `pages` pages; `selecting` if the last page was requested with a shard
  /// selector. The resource is served.
  FailureKind OnFailure(bool selecting, uint32_t pages, const ApiFailure& failure);
  /// Any list or watch failed. Returns true if it has to be repeated without a shard selector. A
  /// failure without one shows that an earlier failure had another reason.
  bool RefusesSelector(bool selecting, const ApiFailure& failure);
  /// A list was taken over. The next one tries larger pages, if pages got smaller.
  void OnListed();

  bool operator==(const ListMethod&) const = default;

 private:
  enum class Sharding { kUnknown, kConfirmed, kRefused };

  Sharding sharding_ = Sharding::kUnknown;
  uint32_t page_halvings_ = 0;  // since pages broke off: too large, or too slow
  uint32_t page_growth_ = 0;    // since lists expired before their last page
};

}  // namespace xebec::watcher
