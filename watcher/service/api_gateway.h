// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Sends the engine's requests to the API server and posts the answers as inputs. Must be used on
/// the engine's thread only; answers are decoded on the HTTP thread.
class ApiGateway {
 public:
  /// `client` and `queue` outlive the gateway, and no task is taken from the queue after it.
  ApiGateway(http::ApiClient* client, MessageQueue* queue) : client_(client), queue_(queue) {}

  void Do(const Discover& request);
  void Do(const StartList& request);
  void Do(const StartWatch& request);
  void Do(const StopStream& request);
  void Do(const LiveGet& request);
  void Do(const LiveList& request);

  /// Watches that are open.
  size_t watches() const { return watches_.size(); }

 private:
  http::ApiClient* client_;
  MessageQueue* queue_;
  std::map<StreamId, std::unique_ptr<http::Stream>> watches_;
};

/// What an answer that is no success means to the engine.
ApiFailure FailureOf(const kube::ApiResponse& response);

}  // namespace xebec::watcher
