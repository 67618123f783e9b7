// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Returns callbacks that decode the bytes of one watch into inputs: one message for each chunk
/// that completes lines. The first malformed line posts WatchMalformed and ends the decoding. The
/// callbacks run on the HTTP thread.
http::ApiClient::StreamEvents WatchCallbacks(const StartWatch& request, MessageQueue* queue);

}  // namespace xebec::watcher
