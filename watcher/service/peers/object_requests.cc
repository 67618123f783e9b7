// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/object_requests.h"

#include <string>

#include "watcher/service/peers/handover.h"

namespace xebec::watcher {
namespace {

constexpr PeerMethod<v1::HandOverRequest, v1::HandOverResponse> kHandOver{
    "HandOver", &PeerStub::PrepareAsyncHandOver};

/// The cache of the other watcher may be some events behind. If nothing happens, it waits for a
/// bookmark, which takes up to a minute.
constexpr absl::Duration kPause = absl::Milliseconds(50);
constexpr int kMostAttempts = 3;

}  // namespace

void ObjectRequests::Try(const StartList& request, int attempt) const {
  const auto answer = [*this, request, attempt](absl::StatusOr<v1::HandOverResponse> page) {
    if (absl::IsAborted(page.status()) && attempt < kMostAttempts) {
      return calls_->Later(kPause, [*this, request, attempt] { Try(request, attempt + 1); });
    }
    const ListFailed failed{request.stream, {.message = std::string(page.status().message())}};
    queue_->PushNow(page.ok() ? DecodeHandedPage(request, *page) : Input(failed));
  };
  calls_->Ask<v1::HandOverRequest, v1::HandOverResponse>(request.from, kHandOver,
                                                         EncodeHandover(request), answer);
}

}  // namespace xebec::watcher
