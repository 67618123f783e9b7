// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "watcher/service/activity.h"
#include "watcher/service/message_queue.h"
#include "xebec/v1/watcher.grpc.pb.h"

namespace xebec::watcher {

/// The read-only API for users. Each call runs a query on the engine's thread. A call that has no
/// answer within its deadline (at most 5 s) returns DEADLINE_EXCEEDED.
class WatcherServiceImpl final : public v1::WatcherService::Service {
 public:
  /// `queue` and `feed` must outlive the service. An activity stream ends when `stopping` returns
  /// true.
  WatcherServiceImpl(MessageQueue* queue, ActivityFeed* feed, std::function<bool()> stopping)
      : queue_(queue), feed_(feed), stopping_(std::move(stopping)) {}

  grpc::Status ListKeys(grpc::ServerContext* context, const v1::ListKeysRequest* request,
                        v1::ListKeysResponse* response) override;
  grpc::Status GetObservation(grpc::ServerContext* context,
                              const v1::GetObservationRequest* request,
                              v1::GetObservationResponse* response) override;
  grpc::Status Explain(grpc::ServerContext* context, const v1::ExplainRequest* request,
                       v1::ExplainResponse* response) override;
  grpc::Status WatchActivity(grpc::ServerContext* context, const v1::WatchActivityRequest* request,
                             grpc::ServerWriter<v1::WatchActivityResponse>* writer) override;

 private:
  MessageQueue* const queue_;
  ActivityFeed* const feed_;
  const std::function<bool()> stopping_;
};

/// Returns true if `kind` names `type`. Accepts the forms of kubectl: kind, plural or plural.group
/// in any case; empty means all kinds.
bool NamesKind(const std::string& kind, const ResourceType& type);

}  // namespace xebec::watcher
