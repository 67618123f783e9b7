// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/message_json.h"

#include "google/protobuf/util/json_util.h"

namespace xebec::cli {

std::string MessageJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  const auto written = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!written.ok()) return "null\n";  // a message of our own, in memory: cannot be
  return json;
}

absl::Status ReadMessageJson(const std::string& json, google::protobuf::Message* message) {
  const auto read = google::protobuf::util::JsonStringToMessage(json, message);
  if (read.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(std::string(read.message()));
}

}  // namespace xebec::cli
