// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/message_json.h"

#include "common/base/json.h"
#include "google/protobuf/util/json_util.h"

namespace xebec::cli {
namespace {

constexpr size_t kMaxDepth = 1000;  // the most that ParseJson accepts

}  // namespace

std::string MessageJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string text;
  const auto written = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!written.ok()) return "null\n";  // a message of our own, in memory: cannot be
  // Protobuf prints the members of a Struct in an order that differs from call to call.
  const absl::StatusOr<Json> json =
      ParseJson(text, {.max_bytes = text.size(), .max_depth = kMaxDepth});
  return json.ok() ? json->dump(1) + "\n" : text;
}

absl::Status ReadMessageJson(const std::string& json, google::protobuf::Message* message) {
  const auto read = google::protobuf::util::JsonStringToMessage(json, message);
  if (read.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(std::string(read.message()));
}

}  // namespace xebec::cli
