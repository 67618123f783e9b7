// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"
#include "watcher/service/activity.h"
#include "watcher/service/activity_stream.h"
#include "watcher/service/message_queue.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::watcher {

/// The read-only API for users. Each call runs a query on the engine's thread, and a thread of the
/// server waits for it. A call that has no answer within 5 s returns DEADLINE_EXCEEDED.
/// Thread-safe.
class WatcherServiceImpl final : public rpc::Service {
 public:
  /// `queue` and `feed` must outlive the service.
  WatcherServiceImpl(MessageQueue* queue, ActivityFeed* feed) : queue_(queue), feed_(feed) {}

  std::vector<rpc::Method> methods() override;

  grpc::Status ListKeys(const v1::ListKeysRequest& request, v1::ListKeysResponse* response);
  grpc::Status GetObservation(const v1::GetObservationRequest& request,
                              v1::GetObservationResponse* response);
  grpc::Status Explain(const v1::ExplainRequest& request, v1::ExplainResponse* response);

  /// Ends the activity streams, and rejects new ones.
  void EndStreams();

 private:
  MessageQueue* const queue_;
  ActivityFeed* const feed_;
  rpc::OpenStreams<ActivityStream> streams_;
};

/// Returns true if `kind` names `type`. Accepts the forms of kubectl: kind, plural or plural.group
/// in any case; empty means all kinds.
bool NamesKind(const std::string& kind, const ResourceType& type);

}  // namespace xebec::watcher
