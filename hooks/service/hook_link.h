// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/http/web_client.h"
#include "common/model/hook.h"
#include "common/rpc/streams/stream_loop.h"
#include "hooks/engine/endpoint_policy.h"
#include "hooks/engine/failures.h"
#include "hooks/engine/messages.h"
#include "hooks/service/credentials.h"
#include "hooks/service/operations.h"
#include "hooks/service/workers.h"

namespace xebec::gateway {

/// The shared state of all links. It outlives them and their operations.
struct LinkSite {
  /// Runs a function on the thread of the loop.
  std::function<void(std::function<void()>)> post;
  rpc::StreamLoop* loop = nullptr;
  Workers* resolvers = nullptr;
  Workers* codecs = nullptr;
  http::WebClient* web = nullptr;
  Operations* operations = nullptr;  ///< Operations of gRPC that have not ended.
  const EndpointPolicy* policy = nullptr;
  const Credentials* credentials = nullptr;
  size_t max_answer_bytes = 0;
  absl::Duration connect_timeout;  ///< Of the connection and Describe together.
};

/// The callbacks of a link. They run on the thread of the loop, never inside a method of the link.
struct LinkEvents {
  std::function<void(const OpenResult&)> on_opened;  ///< Once.
  std::function<void()> on_lost;                     ///< At most once, after on_opened.
  std::function<void(uint64_t call, CallResult)> on_answer;
};

/// One connection to a hook. All methods run on the thread of the loop.
class HookLink {
 public:
  virtual ~HookLink() = default;
  /// Connects and calls Describe.
  virtual void Open() = 0;
  /// Calls Sync. `call` is unique for this link.
  virtual void Send(uint64_t call, const std::string& request, absl::Duration timeout) = 0;
  /// The answer to this call is not needed.
  virtual void Cancel(uint64_t call) = 0;
  /// No call follows. Frees the connection when the last call has ended.
  virtual void Retire() = 0;
  /// Cancels everything. No event follows.
  virtual void Close() = 0;
};

}  // namespace xebec::gateway
