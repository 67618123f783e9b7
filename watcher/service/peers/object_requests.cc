// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/object_requests.h"

#include <string>

#include "watcher/service/peers/transfer.h"

namespace xebec::watcher {
namespace {

constexpr PeerMethod<v1::TransferObjectsRequest, v1::TransferObjectsResponse> kTransferObjects{
    "TransferObjects", &PeerStub::PrepareAsyncTransferObjects};

/// The cache of the other watcher may be some events behind. If nothing happens, it waits for a
/// bookmark, which takes up to a minute.
constexpr absl::Duration kPause = absl::Milliseconds(50);
constexpr int kMostAttempts = 3;

}  // namespace

// A call may have to read the certificates first, for which the engine's thread must not wait.
void ObjectRequests::TryLater(const StartList& request, int attempt, absl::Duration pause) const {
  calls_->Later(pause, [*this, request, attempt] { Try(request, attempt); });
}

void ObjectRequests::Try(const StartList& request, int attempt) const {
  const auto answer = [*this, request, attempt](absl::StatusOr<v1::TransferObjectsResponse> page) {
    if (absl::IsAborted(page.status()) && attempt < kMostAttempts) {
      return TryLater(request, attempt + 1, kPause);
    }
    const ListFailed failed{request.stream, {.message = std::string(page.status().message())}};
    queue_->PushNow(page.ok() ? DecodeTransferPage(request, *page) : Input(failed));
  };
  calls_->Ask<v1::TransferObjectsRequest, v1::TransferObjectsResponse>(
      request.from, kTransferObjects, EncodeTransfer(request), answer);
}

}  // namespace xebec::watcher
