// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "watcher/engine/cache/watches/watch_pool.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {

/// A WatchPool, for components that only read one.
class PoolRig {
 public:
  /// Watches the resource. Nothing answers yet.
  WatchId Watch(const ResourceType& type) {
    CacheContext context{now, &out_};
    pool.Watch({type, "", "", {}}, context);
    return *pool.Find(type, "");
  }
  /// The API server serves the resource, and shows these objects. Returns what that touches.
  std::vector<Touched> Serve(const ResourceType& type, std::vector<kube::DecodedObject> objects,
                             bool with_status = true, bool with_scale = false) {
    CacheContext context{now, &out_};
    pool.On(Discovered{type, true, with_status, with_scale}, context);
    return Take(ListArrived{LastList(), {std::move(objects), "1000", ""}});
  }
  /// The API server does not serve the resource.
  std::vector<Touched> Refuse(const ResourceType& type) {
    CacheContext context{now, &out_};
    return pool.On(Discovered{type, false, false, false}, context);
  }
  /// The API server serves the resource, but the list that the pool requests next fails.
  void FailList(const ResourceType& type) {
    if (pool.NextDeadline() != absl::InfiniteDuration()) now = std::max(now, pool.NextDeadline());
    CacheContext context{now, &out_};
    pool.OnTick(context);
    pool.On(Discovered{type, true, true, false}, context);
    pool.On(ListFailed{LastList(), {500, "InternalError", "", std::nullopt}}, context);
  }
  /// The watch of the resource shows these events.
  std::vector<Touched> Feed(const ResourceType& type, std::vector<kube::WatchEvent> events) {
    for (const Output& output : std::exchange(out_, {})) {
      if (const auto* watch = std::get_if<StartWatch>(&output))
        streams_[watch->type] = watch->stream;
    }
    return Take(EventsArrived{streams_[type], std::move(events)});
  }

  absl::Duration now = absl::Seconds(100);
  WatchPool pool{Options(), "watcher-a"};

 private:
  StreamId LastList() {
    StreamId list = 0;
    for (const Output& output : std::exchange(out_, {})) {
      if (const auto* start = std::get_if<StartList>(&output)) list = start->stream;
    }
    return list;
  }
  template <typename Input>
  std::vector<Touched> Take(Input input) {
    CacheContext context{now, &out_};
    std::vector<Touched> touched = pool.On(std::move(input), context);
    for (int i = 0; i < 10 && pool.NextDeadline() <= now; ++i) {
      for (Touched& each : pool.OnTick(context)) touched.push_back(std::move(each));
    }
    return touched;
  }

  Outputs out_;
  std::map<ResourceType, StreamId> streams_;
};

}  // namespace xebec::watcher::testing
