// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/api_gateway.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "common/kube/discovery.h"
#include "watcher/service/api_failure.h"
#include "watcher/service/list_request.h"
#include "watcher/service/resource_search.h"
#include "watcher/service/watch_stream.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kWatchGrace = absl::Seconds(30);

/// Reads all pages of a live list, one request after the other.
class LiveListing : public std::enable_shared_from_this<LiveListing> {
 public:
  LiveListing(LiveList request, http::ApiClient* client, MessageQueue* queue)
      : request_(std::move(request)), client_(client), queue_(queue) {}

  void ReadPage(const std::string& continue_token) {
    client_->Send(ListRequest(request_, continue_token),
                  [self = shared_from_this()](const kube::ApiResponse& r) { self->OnPage(r); });
  }

 private:
  void OnPage(const kube::ApiResponse& response) {
    if (!Ok(response)) return Fail(FailureOf(response));
    absl::StatusOr<kube::ListPage> page =
        kube::DecodeListPage(response.body, request_.type, request_.projection);
    if (!page.ok()) return Fail(Unreadable(page.status()));
    std::move(page->objects.begin(), page->objects.end(), std::back_inserter(objects_));
    if (!page->continue_token.empty()) return ReadPage(page->continue_token);
    queue_->Push(Input(LiveArrived{request_.read, std::move(objects_)}));
  }

  void Fail(ApiFailure failure) {
    queue_->Push(Input(LiveFailed{request_.read, std::move(failure)}));
  }

  const LiveList request_;
  http::ApiClient* const client_;
  MessageQueue* const queue_;
  std::vector<kube::DecodedObject> objects_;
};

Input DiscoveryAnswer(const ResourceType& type, const kube::ApiResponse& response) {
  // Every API server serves the core group. If it is missing, the response comes from another
  // server.
  const bool core = type.group.empty();
  if (Missing(response) && !core) return Discovered{.type = type};
  if (!Ok(response)) return DiscoveryFailed{type, FailureOf(response)};
  const absl::StatusOr<kube::ResourceSupport> support =
      kube::DecodeDiscovery(response.body, type.plural);
  if (!support.ok()) return DiscoveryFailed{type, Unreadable(support.status())};
  return Discovered{type, support->served, support->status_subresource, support->scale_subresource};
}

Input ListAnswer(const StartList& request, const kube::ApiResponse& response) {
  if (!Ok(response)) return ListFailed{request.stream, FailureOf(response)};
  absl::StatusOr<kube::ListPage> page =
      kube::DecodeListPage(response.body, request.type, request.projection);
  if (!page.ok()) return ListFailed{request.stream, Unreadable(page.status())};
  return ListArrived{request.stream, *std::move(page)};
}

Input GetAnswer(const LiveGet& request, const kube::ApiResponse& response) {
  if (!Ok(response)) return LiveFailed{request.read, FailureOf(response)};
  absl::StatusOr<kube::DecodedObject> object =
      kube::DecodeObject(response.body, request.projection);
  if (!object.ok()) return LiveFailed{request.read, Unreadable(object.status())};
  return LiveArrived{request.read, {*std::move(object)}};
}

kube::ApiRequest Get(std::string path) {
  return {.method = "GET", .path = std::move(path), .content_type = "", .body = ""};
}

}  // namespace

void ApiGateway::Do(const Discover& request) {
  client_->Send(Get(kube::DiscoveryPath(request.type)),
                [type = request.type, queue = queue_](const kube::ApiResponse& response) {
                  queue->Push(DiscoveryAnswer(type, response));
                });
}

void ApiGateway::Do(const Resolve& request) {
  std::make_shared<ResourceSearch>(request.resource, client_, queue_)->Start();
}

void ApiGateway::Do(const StartList& request) {
  client_->Send(ListRequest(request), [request, queue = queue_](const kube::ApiResponse& response) {
    queue->Push(ListAnswer(request, response));
  });
}

void ApiGateway::Do(const StartWatch& request) {
  http::ApiClient::StreamEvents callbacks = WatchCallbacks(request, queue_);
  callbacks.on_end = [this, stream = request.stream, queue = queue_,
                      on_end = std::move(callbacks.on_end)](const kube::ApiResponse& response) {
    on_end(response);
    queue->Push(Task([this, stream] { watches_.erase(stream); }));
  };
  watches_[request.stream] =
      client_->Watch(WatchRequest(request), request.timeout + kWatchGrace, std::move(callbacks));
}

void ApiGateway::Do(const StopStream& request) {
  const auto found = watches_.find(request.stream);
  if (found == watches_.end()) return;
  // The HTTP thread may be waiting for space in the queue, and only a turn of the engine frees
  // space. The engine ignores later inputs of the stream.
  found->second->CancelAsync();
  watches_.erase(found);
}

void ApiGateway::Do(const LiveGet& request) {
  client_->Send(Get(kube::ObjectPath(request.ref)),
                [request, queue = queue_](const kube::ApiResponse& response) {
                  queue->Push(GetAnswer(request, response));
                });
}

void ApiGateway::Do(const LiveList& request) {
  std::make_shared<LiveListing>(request, client_, queue_)->ReadPage("");
}

}  // namespace xebec::watcher
