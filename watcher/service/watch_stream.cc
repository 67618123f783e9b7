// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watch_stream.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "watcher/service/api_failure.h"

namespace xebec::watcher {
namespace {

constexpr int kOk = 200;

class WatchReader {
 public:
  WatchReader(const StartWatch& request, MessageQueue* queue)
      : stream_(request.stream), projection_(request.projection), queue_(queue) {}

  void OnChunk(std::string_view chunk) {
    if (malformed_) return;
    std::vector<kube::WatchEvent> events;
    absl::Status read = absl::OkStatus();
    const absl::Status split = lines_.Feed(chunk, [&](std::string_view line) {
      if (read.ok()) read = Decode(line, events);
    });
    if (!events.empty()) queue_->Push(Input(EventsArrived{stream_, std::move(events)}));
    if (!read.ok() || !split.ok()) OnMalformed(read.ok() ? split : read);
  }

  void OnEnd(const kube::ApiResponse& response) {
    std::optional<ApiFailure> failure;
    if (response.status != kOk || response.error != kube::TransportError::kNone) {
      failure = FailureOf(response);
    }
    queue_->Push(Input(WatchEnded{stream_, std::move(failure)}));
  }

 private:
  absl::Status Decode(std::string_view line, std::vector<kube::WatchEvent>& events) {
    absl::StatusOr<kube::WatchEvent> event = kube::DecodeWatchLine(line, projection_);
    if (!event.ok()) return event.status();
    events.push_back(*std::move(event));
    return absl::OkStatus();
  }

  void OnMalformed(const absl::Status& why) {
    malformed_ = true;
    queue_->Push(Input(WatchMalformed{stream_, std::string(ToStd(why.message()))}));
  }

  const StreamId stream_;
  const kube::Projection projection_;
  MessageQueue* const queue_;
  kube::LineSplitter lines_;
  bool malformed_ = false;
};

}  // namespace

http::ApiClient::StreamEvents WatchCallbacks(const StartWatch& request, MessageQueue* queue) {
  auto reader = std::make_shared<WatchReader>(request, queue);
  return {
      .on_status = [](int) {},
      .on_chunk = [reader](std::string_view chunk) { reader->OnChunk(chunk); },
      .on_end = [reader](const kube::ApiResponse& response) { reader->OnEnd(response); },
  };
}

}  // namespace xebec::watcher
