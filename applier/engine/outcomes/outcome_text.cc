// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/outcome_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::applier {
namespace {

/// What to do about a code, appended to the server's words; empty where those suffice.
std::string Advice(OutcomeCode code, const ObjectRef& target) {
  const std::string resource = ResourceName(target.type);
  switch (code) {
    case OutcomeCode::kForbidden:
      return absl::StrCat("grant the applier's role this right on ", resource);
    case OutcomeCode::kUnauthorized:
      return "the API server does not accept the applier's credentials: renew them";
    case OutcomeCode::kNotServed:
      return absl::StrCat("the API server does not serve this for ", resource, " in ",
                          ApiVersion(target.type), ": install the CRD or serve that version");
    case OutcomeCode::kQuotaExceeded:
      return "raise the quota or free some of it";
    case OutcomeCode::kTooLarge:
      return "make the object smaller";
    case OutcomeCode::kThrottled:
      return "the API server asked to be left alone for a while";
    default:
      return "";
  }
}

std::string Words(const AnswerFacts& facts) {
  if (facts.error == kube::TransportError::kTimeout) return "no answer within the request time-out";
  if (facts.error == kube::TransportError::kBroken) {
    return "the connection to the API server broke before the answer";
  }
  if (facts.error != kube::TransportError::kNone) {
    return "the API server could not be reached";
  }
  if (facts.http < 300) return "the answer could not be read as an object";
  const absl::string_view said = absl::StripAsciiWhitespace(facts.status.message);
  if (!said.empty()) return std::string(said);
  return absl::StrCat("HTTP status ", facts.http);
}

}  // namespace

void SetFailure(const Decision& decision, const AnswerFacts& facts, Outcome* outcome) {
  outcome->http_status = facts.http;
  std::string message = Ellipsize(Words(facts), kMaxMessage - 300);
  if (const std::string advice = Advice(decision.code, outcome->target); !advice.empty()) {
    absl::StrAppend(&message, message.empty() ? "" : "; ", advice);
  }
  SetOwn(decision.code, decision.certainty, facts.status.reason, message, outcome);
}

void SetOwn(OutcomeCode code, Certainty certainty, std::string_view reason,
            std::string_view message, Outcome* outcome) {
  outcome->code = code;
  outcome->certainty = certainty;
  outcome->reason = std::string(reason);
  outcome->message = Ellipsize(message, kMaxMessage);
}

bool Succeeded(const Outcome& outcome) { return outcome.certainty == Certainty::kDone; }

}  // namespace xebec::applier
