// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Callbacks that turn the bytes of one watch into inputs: a message for each chunk that completes
/// lines. The first line that cannot be read posts WatchMalformed and ends the reading. They run on
/// the HTTP thread.
http::ApiClient::StreamEvents WatchCallbacks(const StartWatch& request, MessageQueue* queue);

}  // namespace xebec::watcher
