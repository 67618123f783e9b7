// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/hook.h"

/// Failed calls as users see them. Messages contain text of the hook, cut to a bounded length, and
/// no part of the request.
namespace xebec::gateway {

/// The facts about a call that messages contain.
struct CallFacts {
  std::string endpoint;     ///< As Describe(HookEndpoint) returns it.
  std::string server_name;  ///< The name that the certificate must contain. Empty: plaintext.
  absl::Duration timeout;
  size_t max_answer_bytes = 0;
};

/// The end of a gRPC call that failed.
struct GrpcEnd {
  int code = 0;  ///< Of gRPC, not OK.
  std::string message;
  std::optional<absl::Duration> retry_after;
};
HookFailure GrpcFailure(const CallFacts& facts, const GrpcEnd& end);

/// The reason why an HTTP request ended without a status.
enum class HttpError { kResolve, kConnect, kTls, kBroken, kTimeout, kTooLarge, kForbidden };
/// `why` is libcurl's reason.
HookFailure HttpErrorFailure(const CallFacts& facts, HttpError error, const std::string& why);

/// The answer to an HTTP request with another status than 200.
struct HttpEnd {
  int status = 0;
  std::string message;  ///< Of a Connect error, or the beginning of the body.
  std::optional<absl::Duration> retry_after;
};
HookFailure HttpStatusFailure(const CallFacts& facts, const HttpEnd& end);

/// The failure of a call that waited for `timeout`.
HookFailure TimeoutFailure(const CallFacts& facts);
/// The failure of a call whose answer is malformed. `why` names the field.
HookFailure MalformedFailure(const CallFacts& facts, const std::string& why);

}  // namespace xebec::gateway
