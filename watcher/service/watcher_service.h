// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"
#include "common/rpc/server/unary_method.h"
#include "watcher/service/activity.h"
#include "watcher/service/activity_stream.h"
#include "watcher/service/message_queue.h"
#include "watcher/service/peers/fan_out.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::watcher {

/// The read-only API for users. The watcher that receives a request queries the other watchers and
/// merges the answers, unless the request is for this watcher only. A thread of the server waits
/// for this watcher's engine, at most kLongestAnswer for each request. It never waits for another
/// watcher: those calls complete on the thread of PeerCalls. So watchers that query each other at
/// the same time cannot block each other. Thread-safe.
class WatcherServiceImpl final : public rpc::Service {
 public:
  struct Options {
    MessageQueue* queue = nullptr;  ///< Of the engine.
    ActivityFeed* feed = nullptr;
    PeerCalls* calls = nullptr;
    MembersSource members;
    std::string identity;  ///< Of this watcher.
  };
  /// All objects must outlive the service.
  explicit WatcherServiceImpl(Options options);

  std::vector<rpc::Method> methods() override;

  // Each of these functions calls `reply` once, before it returns or later on the thread of the
  // calls.
  void ListKeys(const v1::ListKeysRequest& request, const rpc::Reply<v1::ListKeysResponse>& reply);
  void GetObservation(const v1::GetObservationRequest& request,
                      const rpc::Reply<v1::GetObservationResponse>& reply);
  void Explain(const v1::ExplainRequest& request, const rpc::Reply<v1::ExplainResponse>& reply);
  void ListWatchers(const v1::ListWatchersRequest& request,
                    const rpc::Reply<v1::ListWatchersResponse>& reply);
  void TransferObjects(const v1::TransferObjectsRequest& request,
                       const rpc::Reply<v1::TransferObjectsResponse>& reply);

  /// Ends the activity streams, and rejects new ones.
  void EndStreams();

 private:
  const Options options_;
  rpc::OpenStreams<ActivityStream> streams_;
  const ActivityDesk desk_;
};

}  // namespace xebec::watcher
