// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/mailbox.h"

namespace xebec::watcher {

/// Carries out the engine's wishes to the API server and posts the answers as inputs. Used on the
/// engine's thread alone; answers are decoded on the HTTP thread.
class ApiGateway {
 public:
  /// `client` and `mailbox` outlive the gateway, and no task is taken from the mailbox after it.
  ApiGateway(http::ApiClient* client, Mailbox* mailbox) : client_(client), mailbox_(mailbox) {}

  void Do(const Discover& wish);
  void Do(const StartList& wish);
  void Do(const StartWatch& wish);
  void Do(const StopStream& wish);
  void Do(const LiveGet& wish);
  void Do(const LiveList& wish);

  /// Watches that are open.
  size_t watches() const { return watches_.size(); }

 private:
  http::ApiClient* client_;
  Mailbox* mailbox_;
  std::map<StreamId, std::unique_ptr<http::Stream>> watches_;
};

/// What an answer that is no success means to the engine.
ApiFailure FailureOf(const kube::ApiResponse& response);

}  // namespace xebec::watcher
