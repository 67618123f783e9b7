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

/// Sends the engine's requests to the API server and posts the responses as inputs. Used only in
/// turns of the engine. The HTTP thread decodes the responses.
class ApiGateway {
 public:
  /// `client` and `queue` must outlive the gateway. No task may be taken from the queue after the
  /// gateway is destroyed.
  ApiGateway(http::ApiClient* client, MessageQueue* queue) : client_(client), queue_(queue) {}

  void Do(const Discover& request);
  void Do(const Resolve& request);
  void Do(const StartList& request);
  void Do(const StartWatch& request);
  void Do(const StopStream& request);
  void Do(const LiveGet& request);
  void Do(const LiveList& request);

  /// The number of open watches.
  size_t watches() const { return watches_.size(); }

 private:
  http::ApiClient* client_;
  MessageQueue* queue_;
  std::map<StreamId, std::unique_ptr<http::Stream>> watches_;
};

}  // namespace xebec::watcher
