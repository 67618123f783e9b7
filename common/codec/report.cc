// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

// The codes have the same numbers in the model and in the contract.
static_assert(static_cast<int>(OutcomeCode::kCreated) == v1::OUTCOME_CODE_CREATED);
static_assert(static_cast<int>(OutcomeCode::kNotStarted) == v1::OUTCOME_CODE_NOT_STARTED);
static_assert(static_cast<int>(OutcomeCode::kUnexpected) == v1::OUTCOME_CODE_UNEXPECTED);
static_assert(static_cast<int>(kLastOutcomeCode) == v1::OutcomeCode_MAX);

/// A code of a newer applier decodes as kUnexpected.
OutcomeCode DecodeCode(v1::OutcomeCode in) {
  const bool known = in >= v1::OUTCOME_CODE_CREATED && in <= v1::OutcomeCode_MAX;
  return known ? static_cast<OutcomeCode>(in) : OutcomeCode::kUnexpected;
}

v1::Certainty EncodeCertainty(Certainty in) {
  switch (in) {
    case Certainty::kDone:
      return v1::CERTAINTY_DONE;
    case Certainty::kRejected:
      return v1::CERTAINTY_REJECTED;
    case Certainty::kUnknown:
      return v1::CERTAINTY_UNKNOWN;
  }
  return v1::CERTAINTY_UNKNOWN;
}

Certainty DecodeCertainty(v1::Certainty in) {
  if (in == v1::CERTAINTY_DONE) return Certainty::kDone;
  return in == v1::CERTAINTY_REJECTED ? Certainty::kRejected : Certainty::kUnknown;
}

absl::Status DecodeInto(const v1::Report& in, Report* out) {
  XEBEC_RETURN_IF_ERROR(Within("envelope", DecodeEnvelope(in.envelope(), &out->envelope)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("outcomes", in.outcomes(), &out->outcomes, DecodeOutcome));
  out->highest_epoch = in.highest_epoch();
  if (!in.has_retry_after()) return absl::OkStatus();
  return Within("retry_after", DecodeDuration(in.retry_after(), &out->retry_after.emplace()));
}

}  // namespace

void EncodeOutcome(const Outcome& in, v1::Outcome* out) {
  out->set_operation(ToValidUtf8(in.operation));
  EncodeRef(in.target, out->mutable_target());
  out->set_code(static_cast<v1::OutcomeCode>(in.code));
  out->set_certainty(EncodeCertainty(in.certainty));
  out->set_http_status(in.http_status);
  out->set_reason(ToValidUtf8(in.reason));
  out->set_message(ToValidUtf8(in.message));
  out->set_uid(ToValidUtf8(in.uid));
  out->set_resource_version(ToValidUtf8(in.resource_version));
  out->set_digest(ToValidUtf8(in.digest));
  out->set_result_digest(ToValidUtf8(in.result_digest));
  out->set_as_desired(in.as_desired);
  out->set_terminating(in.terminating);
  out->set_repeats(in.repeats);
  out->set_memo(ToValidUtf8(in.memo));
  out->set_holder_uid(ToValidUtf8(in.holder_uid));
  if (IsWritable(in.at)) EncodeTime(in.at, out->mutable_at());
}

absl::Status DecodeOutcome(const v1::Outcome& in, Outcome* out) {
  XEBEC_RETURN_IF_ERROR(NotEmpty("operation", in.operation()));
  XEBEC_RETURN_IF_ERROR(
      Within("target", DecodeRef(in.target(), TypeNeeds::kNothing, &out->target)));
  if (in.has_at()) XEBEC_RETURN_IF_ERROR(Within("at", DecodeTime(in.at(), &out->at)));
  out->operation = in.operation();
  out->code = DecodeCode(in.code());
  out->certainty = DecodeCertainty(in.certainty());
  out->http_status = in.http_status();
  out->reason = in.reason();
  out->message = in.message();
  out->uid = in.uid();
  out->resource_version = in.resource_version();
  out->digest = in.digest();
  out->result_digest = in.result_digest();
  out->as_desired = in.as_desired();
  out->terminating = in.terminating();
  out->repeats = in.repeats();
  out->memo = in.memo();
  out->holder_uid = in.holder_uid();
  return absl::OkStatus();
}

void EncodeReport(const Report& in, v1::Report* out) {
  EncodeEnvelope(in.envelope, out->mutable_envelope());
  for (const Outcome& outcome : in.outcomes) EncodeOutcome(outcome, out->add_outcomes());
  out->set_highest_epoch(in.highest_epoch);
  if (in.retry_after.has_value()) EncodeDuration(*in.retry_after, out->mutable_retry_after());
}

absl::StatusOr<Report> DecodeReport(const v1::Report& in) {
  Report out;
  XEBEC_RETURN_IF_ERROR(Within("report", DecodeInto(in, &out)));
  return out;
}

}  // namespace xebec::codec
