// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/object_requests.h"

#include <string>

#include "watcher/service/peers/handover.h"

namespace xebec::watcher {
namespace {

constexpr PeerMethod<v1::HandOverRequest, v1::HandOverResponse> kHandOver{
    "HandOver", &PeerStub::PrepareAsyncHandOver};

/// The cache of the other watcher may be some events behind. A list would take longer than this.
constexpr absl::Duration kPause = absl::Milliseconds(100);
constexpr int kMostAttempts = 5;

}  // namespace

void ObjectRequests::Try(const StartList& request, int attempt) const {
  const auto answer = [*this, request, attempt](absl::StatusOr<v1::HandOverResponse> page) {
    if (page.ok()) return queue_->PushNow(DecodeHandedPage(request, *page));
    if (absl::IsAborted(page.status()) && attempt < kMostAttempts) {
      return calls_->Later(kPause, [*this, request, attempt] { Try(request, attempt + 1); });
    }
    const std::string message(page.status().message());
    queue_->PushNow(Input(ListFailed{request.stream, {.message = message}}));
  };
  calls_->Ask<v1::HandOverRequest, v1::HandOverResponse>(request.from, kHandOver,
                                                         EncodeHandover(request), answer);
}

}  // namespace xebec::watcher
