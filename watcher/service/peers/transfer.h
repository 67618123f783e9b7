// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "watcher/engine/cache/watches/transfer_page.h"
#include "watcher/engine/io.h"
#include "xebec/v1/watcher.pb.h"

/// The messages by which a watcher hands objects over to the next holder of their buckets.
namespace xebec::watcher {

/// `request` must be for another watcher: StartList::from is not empty.
v1::TransferObjectsRequest EncodeTransfer(const StartList& request);
/// INVALID_ARGUMENT says what is wrong.
absl::StatusOr<TransferRequest> DecodeTransfer(const v1::TransferObjectsRequest& request);

v1::TransferObjectsResponse EncodeTransferPage(const TransferPage& page);
/// The input for the engine that made the request. The objects have passed the other watcher's
/// decoder, so nothing of their fields is dropped.
Input DecodeTransferPage(const StartList& request, const v1::TransferObjectsResponse& page);

}  // namespace xebec::watcher
