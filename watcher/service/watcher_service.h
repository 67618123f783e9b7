// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "watcher/service/activity.h"
#include "watcher/service/message_queue.h"
#include "xebec/v1/watcher.grpc.pb.h"

namespace xebec::watcher {

/// Answers people's questions about the engine; read-only. Each question is put to the engine's
/// thread and answered within the RPC's deadline (at most 5 s), else DEADLINE_EXCEEDED.
class WatcherServiceImpl final : public v1::WatcherService::Service {
 public:
  /// `queue` and `feed` outlive the service. `stopping` is asked while an activity stream waits.
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

/// True when `kind`, in the words of kubectl (kind, plural or plural.group, any case; empty means
/// all), names `type`.
bool NamesKind(const std::string& kind, const ResourceType& type);

}  // namespace xebec::watcher
