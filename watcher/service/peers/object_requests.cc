// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/object_requests.h"

#include <string>

#include "watcher/service/peers/transfer.h"

namespace xebec::watcher {
namespace {

constexpr PeerMethod<v1::TransferObjectsRequest, v1::TransferObjectsResponse> kTransferObjects{
    "TransferObjects", &PeerStub::PrepareAsyncTransferObjects};

}  // namespace

// A call may have to read the certificates first, for which a turn of the engine must not wait.
void ObjectRequests::Do(const StartList& request) const {
  calls_->Later(absl::ZeroDuration(), [*this, request] { Ask(request); });
}

void ObjectRequests::Ask(const StartList& request) const {
  const auto answer = [*this, request](absl::StatusOr<v1::TransferObjectsResponse> page) {
    const ListFailed failed{request.stream, {.message = std::string(page.status().message())}};
    queue_->PushNow(page.ok() ? DecodeTransferPage(request, *page) : Input(failed));
  };
  calls_->Ask<v1::TransferObjectsRequest, v1::TransferObjectsResponse>(
      request.from, kTransferObjects, EncodeTransfer(request), answer);
}

}  // namespace xebec::watcher
