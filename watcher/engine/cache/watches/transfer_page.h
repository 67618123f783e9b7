// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/store/packed_json.h"
#include "watcher/engine/cache/watches/watch_pool.h"

/// What a watcher hands over to the next holder of its buckets, in place of a list of the API
/// server (docs/adr/0041-watchers-hand-objects-over.md).
namespace xebec::watcher {

/// A request for the objects of a resource that `spec.projection.keep` keeps.
struct TransferRequest {
  ResourceSpec spec;
  std::string token;  ///< TransferPage::token of the page before; empty for the first page.
  /// A page is made of at most this number of objects of the cache.
  size_t limit = 2000;
  size_t bytes = 1 << 20;  ///< A page with this much JSON is complete.
};

/// Objects of a cache. All pages together show every object of the request as it was at `version`
/// or later: what came, changed or went since comes with the events that follow.
struct TransferPage {
  std::string version;
  std::string token;  ///< Empty on the last page.
  std::vector<PackedJson> objects;
  /// On the last page: parent labels of objects that were lately not kept, because their parent is
  /// not known or not held.
  std::vector<ObjectKey> left_out;
};

/// Returns a page, at the cost of `limit` objects. FAILED_PRECONDITION: the cache does not hold
/// these objects with these fields, or cannot tell.
absl::StatusOr<TransferPage> TransferObjects(const WatchPool& watches,
                                             const TransferRequest& request);

}  // namespace xebec::watcher
