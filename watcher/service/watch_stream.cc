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
/// The bytes of chunks whose events wait for each other: about 50 events.
constexpr size_t kMostGathered = 64 * 1024;

class WatchReader {
 public:
  WatchReader(const StartWatch& request, MessageQueue* queue)
      : stream_(request.stream), projection_(request.projection), queue_(queue) {}

  void OnChunk(std::string_view chunk) {
    if (malformed_) return;
    absl::Status read = absl::OkStatus();
    const absl::Status split = lines_.Feed(chunk, [&](std::string_view line) {
      if (read.ok()) read = Decode(line);
    });
    gathered_ += chunk.size();
    if (gathered_ >= kMostGathered) OnBatchEnd();
    if (!read.ok() || !split.ok()) OnMalformed(read.ok() ? split : read);
  }

  void OnBatchEnd() {
    gathered_ = 0;
    if (!events_.empty()) queue_->Push(Input(EventsArrived{stream_, std::exchange(events_, {})}));
  }

  void OnEnd(const kube::ApiResponse& response) {
    OnBatchEnd();
    std::optional<ApiFailure> failure;
    if (response.status != kOk || response.error != kube::TransportError::kNone) {
      failure = FailureOf(response);
    }
    queue_->Push(Input(WatchEnded{stream_, std::move(failure)}));
  }

 private:
  absl::Status Decode(std::string_view line) {
    absl::StatusOr<kube::WatchEvent> event = kube::DecodeWatchLine(line, projection_);
    if (!event.ok()) return event.status();
    events_.push_back(*std::move(event));
    return absl::OkStatus();
  }

  void OnMalformed(const absl::Status& why) {
    OnBatchEnd();
    malformed_ = true;
    queue_->Push(Input(WatchMalformed{stream_, std::string(ToStd(why.message()))}));
  }

  const StreamId stream_;
  const kube::Projection projection_;
  MessageQueue* const queue_;
  kube::LineSplitter lines_;
  std::vector<kube::WatchEvent> events_;  // until the end of the batch
  size_t gathered_ = 0;                   // bytes of its chunks
  bool malformed_ = false;
};

}  // namespace

http::ApiClient::StreamEvents WatchCallbacks(const StartWatch& request, MessageQueue* queue) {
  auto reader = std::make_shared<WatchReader>(request, queue);
  return {
      .on_status = [](int) {},
      .on_chunk = [reader](std::string_view chunk) { reader->OnChunk(chunk); },
      .on_batch_end = [reader] { reader->OnBatchEnd(); },
      .on_end = [reader](const kube::ApiResponse& response) { reader->OnEnd(response); },
  };
}

}  // namespace xebec::watcher
