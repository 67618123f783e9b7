// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "watcher/engine/cache/lists/list_method.h"
#include "watcher/engine/cache/lists/list_run.h"
#include "watcher/engine/cache/reflector/reflector_context.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/reflector/watch_run.h"

namespace xebec::watcher {

/// Requests lists and watches of a resource, each with a new stream. The references must be valid
/// during the call.
struct StreamRequests {
  const ResourceSpec& spec;
  const ReflectorPolicy& policy;
  const ListMethod& method;
  ReflectorContext& context;

  struct Page {
    StreamId stream;
    bool selecting;  ///< Requested with a shard selector.
  };
  /// Requests one page of a list: the first if `continue_token` is empty.
  Page RequestPage(const std::string& continue_token) const;
  /// Requests the objects that another watcher hands over: the first page if `token` is
  /// empty.
  StreamId RequestObjects(const Transfer& from, const std::string& token) const;
  /// Requests the events after a version. A `timeout` of zero means that of the policy.
  WatchRun RequestWatch(const std::string& version, absl::Duration timeout) const;
};

}  // namespace xebec::watcher
