// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "google/protobuf/message_lite.h"

namespace xebec::rpc {

/// Returns "" if `message` has at most `limit` bytes, otherwise a sentence with `what`, its size
/// and the limit. gRPC breaks the whole stream if a message is too large.
std::string TooLarge(std::string_view what, const google::protobuf::MessageLite& message,
                     size_t limit);

}  // namespace xebec::rpc
