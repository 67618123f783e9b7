// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/cache/store/keep_rule.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A reflector's settings.
struct ReflectorPolicy {
  Backoff backoff{absl::Milliseconds(800), absl::Seconds(30)};
  absl::Duration watch_timeout = absl::Minutes(7);  ///< Of each watch; up to 30 % less.
  absl::Duration discovery_interval = absl::Seconds(10);
  uint32_t list_page = 500;
  uint32_t barrier_pages = 10;  ///< A list of more pages is not read to prove freshness.
  uint32_t merge_step = 2000;   ///< Objects of a list that are taken over during one input.
  uint64_t seed = 0;            ///< Spreads the times of replicas and kinds.

  bool operator==(const ReflectorPolicy&) const = default;
};

/// Where a reflector's requests and the store's changes go during one input.
struct ReflectorContext {
  absl::Duration now;     ///< Monotonic.
  StreamId* last_stream;  ///< Of the engine: counts upwards.
  StoreChanges* changes;
  Outputs* out;
  /// Which objects with a parent label are to be kept.
  HoldsParent holds = AnyParent;
  /// host:port of the watcher that holds the buckets that are gained; empty for none, or several.
  std::string from = {};
  bool listed = false;  ///< Set when a complete list was taken over: names of
                        ///< foreign objects may have changed too.
};

/// Adds a note about the resource to the outputs: "pods in namespace team-a: `detail`".
void Tell(const ResourceSpec& spec, Note::Level level, std::string what, const std::string& detail,
          Outputs* out);
/// Notes that the next watcher has to list the objects that another one should have handed over.
void TellNotHandedOver(const ResourceSpec& spec, const std::string& why, Outputs* out);

}  // namespace xebec::watcher
