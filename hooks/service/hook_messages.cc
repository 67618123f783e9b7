// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/hook_messages.h"

#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "common/codec/hook_answer.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/util/json_util.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::gateway {
namespace {

namespace v1 = ::xebec::hooks::v1;
using google::protobuf::Message;
using google::protobuf::io::CodedInputStream;

constexpr char kNotReadable[] =
    "it is not a xebec.hooks.v1.SyncResponse, or a text in it is not UTF-8";
constexpr size_t kLongestText = 300;
/// The tags of the fields of SyncStreamRequest and SyncStreamResponse: `call`, and `request` or
/// `response`.
constexpr uint32_t kCallTag = 1 << 3, kBodyTag = 2 << 3 | 2;

v1::DescribeRequest MakeDescribe(const std::string& operator_name) {
  v1::DescribeRequest request;
  request.set_operator_(ToValidUtf8(operator_name));
  request.add_capabilities(v1::CAPABILITY_SYNC_STREAM);
  return request;
}

// The parser of protobuf accepts duplicate keys.
absl::Status FromJson(const std::string& json, Message* message) {
  if (absl::Status small = codec::CheckHookJson(json); !small.ok()) return small;
  const absl::Status valid = ParseJson(json, {.max_bytes = json.size()}).status();
  if (!valid.ok()) return valid;
  const google::protobuf::util::JsonParseOptions strict;
  const auto status = google::protobuf::util::JsonStringToMessage(json, message, strict);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(status.message().ToString());
}

absl::StatusOr<std::string> ToJson(const Message& message) {
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json);
  if (status.ok()) return json;
  return absl::InvalidArgumentError(status.message().ToString());
}

OpenResult Judge(const CallFacts& facts, const v1::DescribeResponse& response) {
  if (response.revision().empty())
    return MalformedFailure(facts, "DescribeResponse.revision is empty");
  HookDescription description{response.revision(), response.library(), false};
  for (const int capability : response.capabilities()) {
    if (capability == v1::CAPABILITY_SYNC_STREAM) description.sync_stream = true;
  }
  return description;
}

CallResult Judge(const CallFacts& facts, const v1::SyncResponse& response, std::string bytes) {
  if (!response.has_desired() && response.error().empty())
    return MalformedFailure(facts, "it has neither desired nor error");
  return Answer{std::move(bytes), !response.error().empty()};
}

bool ReadField(CodedInputStream* in, std::string* value) {
  uint32_t size = 0;
  return in->ReadVarint32(&size) && size <= INT_MAX &&
         in->ReadString(value, static_cast<int>(size));
}

}  // namespace

std::string DescribeRequestBytes(const std::string& operator_name) {
  return MakeDescribe(operator_name).SerializeAsString();
}

std::string DescribeRequestJson(const std::string& operator_name) {
  return ToJson(MakeDescribe(operator_name)).value_or("{}");
}

OpenResult ReadDescription(const CallFacts& facts, const std::string& bytes) {
  v1::DescribeResponse response;
  if (!response.ParseFromString(bytes))
    return MalformedFailure(facts, "it is not a xebec.hooks.v1.DescribeResponse");
  return Judge(facts, response);
}

OpenResult ReadDescriptionJson(const CallFacts& facts, const std::string& json) {
  v1::DescribeResponse response;
  if (const absl::Status parsed = FromJson(json, &response); !parsed.ok())
    return MalformedFailure(facts, std::string(ToStd(parsed.message())));
  return Judge(facts, response);
}

CallResult ReadAnswer(const CallFacts& facts, std::string bytes) {
  const absl::Status check = codec::CheckHookAnswer(bytes);
  // Only the planner says in the parent's conditions which limit the answer exceeds.
  if (absl::IsResourceExhausted(check)) return Answer{std::move(bytes)};
  v1::SyncResponse response;
  if (!check.ok() || !response.ParseFromString(bytes)) return MalformedFailure(facts, kNotReadable);
  return Judge(facts, response, std::move(bytes));
}

CallResult ReadAnswerJson(const CallFacts& facts, const std::string& json) {
  v1::SyncResponse response;
  if (const absl::Status parsed = FromJson(json, &response); !parsed.ok())
    return MalformedFailure(facts, std::string(ToStd(parsed.message())));
  return Judge(facts, response, response.SerializeAsString());
}

absl::StatusOr<std::string> SyncRequestJson(const std::string& bytes) {
  v1::SyncRequest request;
  if (!request.ParseFromString(bytes))
    return absl::InvalidArgumentError("the request is not a xebec.hooks.v1.SyncRequest");
  return ToJson(request);
}

std::string StreamRequestBytes(uint64_t call, const std::string& request) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteTag(kCallTag);
  out.WriteVarint64(call);
  out.WriteTag(kBodyTag);
  out.WriteVarint64(request.size());
  out.WriteString(request);
  out.Trim();
  return bytes;
}

absl::StatusOr<StreamAnswer> SplitStreamAnswer(const std::string& bytes) {
  StreamAnswer answer;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  uint32_t tag = 0;
  while ((tag = in.ReadTag()) != 0) {
    const bool is_read = tag == kCallTag   ? in.ReadVarint64(&answer.call)
                         : tag == kBodyTag ? ReadField(&in, &answer.response)
                                           : false;
    if (!is_read) break;
  }
  if (tag == 0 && in.ConsumedEntireMessage()) return answer;
  return absl::InvalidArgumentError("it is not a xebec.hooks.v1.SyncStreamResponse");
}

absl::StatusOr<RequestFacts> InspectRequest(const std::string& bytes) {
  v1::SyncRequest request;
  if (!request.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(
        "call.sync_request: must be an encoded xebec.hooks.v1.SyncRequest");
  }
  if (request.has_now()) return RequestFacts();
  return RequestFacts{Sha256Hex(bytes)};
}

std::string ErrorText(const std::string& body) {
  const absl::StatusOr<Json> json = ParseJson(body);
  if (json.ok() && json->is_object()) {
    const auto message = json->find("message");
    if (message != json->end() && message->is_string())
      return Ellipsize(message->get<std::string>(), kLongestText);
  }
  return Ellipsize(ToValidUtf8(body.substr(0, 2 * kLongestText)), kLongestText);
}

}  // namespace xebec::gateway
