// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/failures.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/strings.h"

namespace xebec::gateway {
namespace {

constexpr size_t kLongestText = 300;
constexpr absl::Duration kLongestRetry = absl::Minutes(5);

// The codes of gRPC.
constexpr int kUnknown = 2, kDeadlineExceeded = 4, kResourceExhausted = 8, kUnimplemented = 12,
              kInternal = 13, kUnavailable = 14;
constexpr std::array<std::string_view, 17> kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

std::string NameOf(int code) {
  if (code < 0 || code >= static_cast<int>(kNames.size())) return absl::StrCat("code ", code);
  return std::string(kNames[code]);
}

std::string Quote(const std::string& text) {
  return text.empty() ? "" : absl::StrCat(": ", Ellipsize(ToValidUtf8(text), kLongestText));
}

std::optional<absl::Duration> Bounded(std::optional<absl::Duration> retry) {
  if (!retry) return retry;
  return std::clamp(*retry, absl::ZeroDuration(), kLongestRetry);
}

std::string Hook(const CallFacts& facts) { return absl::StrCat("the hook at ", facts.endpoint); }

HookFailure Make(HookFailureCode code, std::string message) {
  return {code, std::move(message), {}};
}

HookFailure TooLarge(const CallFacts& facts) {
  return Make(HookFailureCode::kTooLarge,
              absl::StrCat(Hook(facts), " sent an answer of more than ", facts.max_answer_bytes,
                           " bytes; answer with fewer or smaller children"));
}

HookFailure Throttled(const CallFacts& facts, std::optional<absl::Duration> retry,
                      const std::string& text) {
  return {HookFailureCode::kThrottled,
          absl::StrCat(Hook(facts), " asked to call again later", Quote(text)), Bounded(retry)};
}

/// gRPC and libcurl say that the verification failed. Users need to know what to change.
std::optional<std::string> CertificateProblem(const CallFacts& facts, const std::string& message) {
  if (absl::StrContains(message, "certificate has expired")) return "has expired";
  if (absl::StrContains(message, "Hostname Verification Check failed") ||
      absl::StrContains(message, "is not in peer certificate") ||
      absl::StrContains(message, "no alternative certificate subject name matches"))
    return absl::StrCat("is not valid for the name ", facts.server_name);
  if (absl::StrContains(message, "unable to get local issuer certificate") ||
      absl::StrContains(message, "self-signed certificate") ||
      absl::StrContains(message, "self signed certificate"))
    return "is not signed by a CA of the declared caBundle";
  if (absl::StrContains(message, "certificate verify failed") ||
      absl::StrContains(message, "CERTIFICATE_VERIFY_FAILED"))
    return "is not signed by a CA of the declared caBundle, or it is expired or "
           "not valid yet";
  return std::nullopt;
}

HookFailure NoConnection(const CallFacts& facts, const std::string& message) {
  if (const auto problem = CertificateProblem(facts, message)) {
    return Make(HookFailureCode::kUnavailable,
                absl::StrCat("TLS with ", Hook(facts), " failed: its certificate ", *problem));
  }
  return Make(HookFailureCode::kUnavailable,
              absl::StrCat("cannot connect to ", Hook(facts), Quote(message)));
}

/// gRPC reports a connection that broke in the middle of a call with several codes.
bool IsBroken(const GrpcEnd& end) {
  if (end.code == kUnavailable) return true;
  if (end.code != kUnknown && end.code != kInternal) return false;
  return absl::StrContains(end.message, "Stream removed") ||
         absl::StrContains(end.message, "RST_STREAM") ||
         absl::StrContains(end.message, "Socket closed") ||
         absl::StrContains(end.message, "Connection reset");
}

bool IsOurSizeLimit(const CallFacts& facts, const GrpcEnd& end) {
  return end.code == kResourceExhausted &&
         absl::StrContains(end.message, "eceived message larger than max") &&
         absl::StrContains(end.message, absl::StrCat("vs. ", facts.max_answer_bytes));
}

}  // namespace

HookFailure GrpcFailure(const CallFacts& facts, const GrpcEnd& end) {
  if (end.code == kDeadlineExceeded) return TimeoutFailure(facts);
  if (IsOurSizeLimit(facts, end)) return TooLarge(facts);
  const bool refused_size = absl::StrContains(end.message, "eceived message larger than max");
  if (end.code == kResourceExhausted && !refused_size)
    return Throttled(facts, end.retry_after, end.message);
  if (IsBroken(end)) {
    return end.retry_after ? Throttled(facts, end.retry_after, end.message)
                           : NoConnection(facts, end.message);
  }
  if (end.code == kUnimplemented) {
    return Make(HookFailureCode::kRejected,
                absl::StrCat(Hook(facts),
                             " does not serve xebec.hooks.v1.HookService; check its port and "
                             "protocol",
                             Quote(end.message)));
  }
  return Make(HookFailureCode::kRejected,
              absl::StrCat(Hook(facts), " answered ", NameOf(end.code), Quote(end.message)));
}

HookFailure HttpErrorFailure(const CallFacts& facts, HttpError error, const std::string& why) {
  switch (error) {
    case HttpError::kTimeout:
      return TimeoutFailure(facts);
    case HttpError::kTooLarge:
      return TooLarge(facts);
    case HttpError::kForbidden:
      return Make(HookFailureCode::kForbidden, why);
    case HttpError::kBroken:
      return Make(HookFailureCode::kUnavailable,
                  absl::StrCat("the connection to ", Hook(facts), " broke", Quote(why)));
    case HttpError::kResolve:
    case HttpError::kConnect:
    case HttpError::kTls:
      return NoConnection(facts, why);
  }
  return NoConnection(facts, why);
}

HookFailure HttpStatusFailure(const CallFacts& facts, const HttpEnd& end) {
  constexpr int kTooManyRequests = 429, kServiceUnavailable = 503, kNotFound = 404;
  if (end.status == kTooManyRequests ||
      (end.status == kServiceUnavailable && end.retry_after.has_value()))
    return Throttled(facts, end.retry_after, end.message);
  const std::string answered = absl::StrCat(Hook(facts), " answered HTTP status ", end.status);
  if (end.status >= 502 && end.status <= 504)
    return Make(HookFailureCode::kUnavailable, absl::StrCat(answered, Quote(end.message)));
  const char* advice = end.status == kNotFound ? "; check its port and path" : "";
  return Make(HookFailureCode::kRejected, absl::StrCat(answered, advice, Quote(end.message)));
}

HookFailure TimeoutFailure(const CallFacts& facts) {
  return Make(HookFailureCode::kTimeout, absl::StrCat(Hook(facts), " did not answer within ",
                                                      absl::FormatDuration(facts.timeout)));
}

HookFailure MalformedFailure(const CallFacts& facts, const std::string& why) {
  return Make(HookFailureCode::kMalformed,
              absl::StrCat("the answer of ", Hook(facts), " is malformed", Quote(why)));
}

}  // namespace xebec::gateway
