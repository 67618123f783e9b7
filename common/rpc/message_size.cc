// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/message_size.h"

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::rpc {

std::string TooLarge(std::string_view what, const google::protobuf::MessageLite& message,
                     size_t limit) {
  const size_t size = message.ByteSizeLong();
  if (size <= limit) return "";
  return absl::StrCat(ToAbsl(what), " is ", size, " bytes long; at most ", limit, " can be sent");
}

}  // namespace xebec::rpc
