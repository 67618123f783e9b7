// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "watcher/engine/cache/handed_page.h"
#include "watcher/engine/io.h"
#include "xebec/v1/watcher.pb.h"

/// The messages by which a watcher hands objects over to the next holder of their buckets.
namespace xebec::watcher {

/// `request` must be for another watcher: StartList::from is not empty.
v1::HandOverRequest EncodeHandover(const StartList& request);
/// INVALID_ARGUMENT says what is wrong.
absl::StatusOr<HandoverRequest> DecodeHandover(const v1::HandOverRequest& request);

v1::HandOverResponse EncodeHandedPage(const HandedPage& page);
/// The input for the engine that made the request. The objects have passed the other watcher's
/// decoder, so nothing of their fields is dropped.
Input DecodeHandedPage(const StartList& request, const v1::HandOverResponse& page);

}  // namespace xebec::watcher
