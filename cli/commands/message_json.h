// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace xebec::cli {

/// Returns a protocol message as indented JSON with sorted members. Equal messages have equal
/// texts.
std::string MessageJson(const google::protobuf::Message& message);

/// Parses JSON into a protocol message. INVALID_ARGUMENT describes the error.
absl::Status ReadMessageJson(const std::string& json, google::protobuf::Message* message);

}  // namespace xebec::cli
