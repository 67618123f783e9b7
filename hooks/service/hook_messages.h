// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "hooks/engine/failures.h"
#include "hooks/engine/messages.h"

/// Reading and writing of xebec.hooks.v1 messages, in Protobuf's encoding and as JSON.
namespace xebec::gateway {

/// Returns DescribeRequest in Protobuf's encoding or as JSON.
std::string DescribeRequestBytes(const std::string& operator_name);
std::string DescribeRequestJson(const std::string& operator_name);

/// Return the description in a DescribeResponse, or a MALFORMED failure.
OpenResult ReadDescription(const CallFacts& facts, const std::string& bytes);
OpenResult ReadDescriptionJson(const CallFacts& facts, const std::string& json);

/// Return the answer in a SyncResponse, or a MALFORMED failure. In JSON, unknown fields and unknown
/// names of enum values are malformed. An encoded answer beyond the limits is returned unparsed:
/// the planner refuses it.
CallResult ReadAnswer(const CallFacts& facts, std::string bytes);
CallResult ReadAnswerJson(const CallFacts& facts, const std::string& json);

/// Returns a SyncRequest as JSON.
absl::StatusOr<std::string> SyncRequestJson(const std::string& bytes);

/// Returns a SyncStreamRequest with a SyncRequest.
std::string StreamRequestBytes(uint64_t call, const std::string& request);
struct StreamAnswer {
  uint64_t call = 0;
  std::string response;  ///< For ReadAnswer.
};
/// Splits a SyncStreamResponse and does not parse the response in it. INVALID_ARGUMENT if the bytes
/// are not a SyncStreamResponse, or if it has unknown fields.
absl::StatusOr<StreamAnswer> SplitStreamAnswer(const std::string& bytes);

/// The facts that the gateway needs about a request. INVALID_ARGUMENT if it is not a SyncRequest.
struct RequestFacts {
  std::string digest;  ///< Empty if the request contains the time: each is different.
};
absl::StatusOr<RequestFacts> InspectRequest(const std::string& bytes);

/// Returns the field `message` of the JSON of a Connect error, or the beginning of the body.
std::string ErrorText(const std::string& body);

}  // namespace xebec::gateway
