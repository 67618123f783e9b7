// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "google/protobuf/message_lite.h"

namespace xebec::rpc {

/// "" when `message` is at most `limit` bytes long, else a sentence that names `what`, its size and
/// the limit. A larger message would break the whole stream.
std::string TooLarge(std::string_view what, const google::protobuf::MessageLite& message,
                     size_t limit);

}  // namespace xebec::rpc
