// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "grpcpp/support/status.h"
#include "watcher/service/key_paging.h"
#include "watcher/service/message_queue.h"
#include "xebec/v1/watcher.pb.h"

/// The answers of this watcher alone. Each question runs in a turn of the engine, and the calling
/// thread waits for it. A question that has no answer within kLongestAnswer returns
/// DEADLINE_EXCEEDED.
namespace xebec::watcher {

/// Returns the error of a question that the engine did not answer in time.
grpc::Status TooSlow();

/// Returns a page of the keys, with this watcher in `unanswered` if it may lack some.
grpc::Status ListKeysHere(MessageQueue* queue, const v1::ListKeysRequest& request,
                          const KeyPaging& paging, v1::ListKeysResponse* response);

/// The answer of this watcher about the parent with a name. FAILED_PRECONDITION if it does not know
/// the parent, but has not listed all of its parents yet.
template <typename Response>
struct Here {
  grpc::Status status;
  Response response;
  bool one_kind = false;  ///< Only one kind has the requested name: no other watcher knows more.
};

Here<v1::GetObservationResponse> ObserveHere(MessageQueue* queue,
                                             const v1::GetObservationRequest& request);
Here<v1::ExplainResponse> ExplainHere(MessageQueue* queue, const v1::ExplainRequest& request);

/// Sets the number of keys and the memory of this process.
grpc::Status MeasureHere(MessageQueue* queue, v1::WatcherSummary* summary);

/// Returns "iris default/web" for messages.
std::string AskedText(const std::string& kind, const std::string& ns, const std::string& name);

/// Returns true if `kind` names `type`. Accepts the forms of kubectl: kind, plural or plural.group
/// in any case; empty means all kinds.
bool NamesKind(const std::string& kind, const ResourceType& type);

}  // namespace xebec::watcher
