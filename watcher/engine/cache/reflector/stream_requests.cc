// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/stream_requests.h"

#include <utility>

namespace xebec::watcher {

StreamRequests::Page StreamRequests::RequestPage(const std::string& continue_token) const {
  const StreamId stream = ++*context.last_stream;
  std::string selector = method.SelectsPages() ? ShardSelector(spec.projection.keep) : "";
  const bool selecting = !selector.empty();
  context.out->push_back(StartList{.stream = stream,
                                   .type = spec.type,
                                   .ns = spec.ns,
                                   .label_selector = spec.label_selector,
                                   .continue_token = continue_token,
                                   .limit = method.PageSize(policy.list_page),
                                   .projection = spec.projection,
                                   .shard_selector = std::move(selector)});
  return {stream, selecting};
}

StreamId StreamRequests::RequestObjects(const Transfer& from, const std::string& token) const {
  const StreamId stream = ++*context.last_stream;
  StartList request{.stream = stream,
                    .type = spec.type,
                    .ns = spec.ns,
                    .label_selector = spec.label_selector,
                    .continue_token = token,
                    .projection = spec.projection,
                    .from = from.address};
  request.projection.keep = from.keep;
  context.out->push_back(std::move(request));
  return stream;
}

WatchRun StreamRequests::RequestWatch(const std::string& version, absl::Duration timeout) const {
  const StreamId stream = ++*context.last_stream;
  if (timeout == absl::ZeroDuration()) timeout = WatchTimeout(spec, policy, stream);
  std::string selector = method.SelectsWatches() ? ShardSelector(spec.projection.keep) : "";
  const bool selecting = !selector.empty();
  context.out->push_back(StartWatch{.stream = stream,
                                    .type = spec.type,
                                    .ns = spec.ns,
                                    .label_selector = spec.label_selector,
                                    .resource_version = version,
                                    .timeout = timeout,
                                    .projection = spec.projection,
                                    .shard_selector = std::move(selector)});
  return {stream, context.now, timeout, selecting};
}

}  // namespace xebec::watcher
