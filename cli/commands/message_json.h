// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace xebec::cli {

/// A message of the contract as JSON over several lines, as grpcurl prints it.
std::string MessageJson(const google::protobuf::Message& message);

/// The other way round. INVALID_ARGUMENT says what cannot be read.
absl::Status ReadMessageJson(const std::string& json, google::protobuf::Message* message);

}  // namespace xebec::cli
