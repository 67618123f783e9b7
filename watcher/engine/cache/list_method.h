// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/model/resource.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What the failure of a list or watch means.
enum class FailureKind {
  kMissing,           ///< The kind is not served.
  kExpired,           ///< The API server no longer has the version that was requested.
  kStreamingRefused,  ///< The server does not take the options of a streaming list.
  kOther,
};

/// Returns the kind of a failure of any list or watch: kMissing, kExpired or kOther.
FailureKind KindOf(const ApiFailure& failure, const ResourceType& type);

/// Chooses how a resource is listed from the failures of its lists: as a stream or by pages, and
/// how large the pages are. A value.
class ListMethod {
 public:
  bool streaming() const;
  /// The size of a page. `usual` is the size without failures.
  uint32_t PageSize(uint32_t usual) const;

  /// A list failed after `pages` pages. The resource is served.
  FailureKind OnFailure(bool streaming, uint32_t pages, const ApiFailure& failure);
  /// A streaming list fell silent: pages from now on.
  void OnSilence();
  /// A list was taken over.
  void OnListed();

  bool operator==(const ListMethod&) const = default;

 private:
  bool refused_ = false;        // streaming
  uint32_t cut_streams_ = 0;    // in a row
  uint32_t page_halvings_ = 0;  // since pages broke off: too large, or too slow
  uint32_t page_growth_ = 0;    // since lists expired before their last page
};

}  // namespace xebec::watcher
