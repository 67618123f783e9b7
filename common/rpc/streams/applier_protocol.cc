// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/applier_protocol.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/codec/codec.h"
#include "common/rpc/streams/typed_stream.h"
#include "xebec/v1/applier.grpc.pb.h"

namespace xebec::rpc {
namespace {

struct ApplyMethod {
  using Service = v1::ApplierService;
  using Request = v1::ApplyStreamRequest;
  using Response = v1::ApplyStreamResponse;
  static constexpr char kName[] = "ApplyStream";
  static constexpr char kWhat[] = "the plan";

  static auto Prepare(Service::Stub* stub, grpc::ClientContext* context,
                      grpc::CompletionQueue* queue) {
    return stub->PrepareAsyncApplyStream(context, queue);
  }
  static void Encode(const rpc::Request& request, Request* message) {
    const auto& plan = std::get<std::shared_ptr<const Plan>>(request.content);
    codec::EncodePlan(*plan, codec::ObjectForm::kJson, message->mutable_plan());
    codec::EncodeCapabilities({}, message->mutable_capabilities());
  }
  static uint32_t Credits(const Response& response) { return response.credits(); }
  static decltype(Answer::content) Content(const Response& response) {
    if (!response.has_report()) return Malformed{"the applier's answer has no report"};
    return DecodedOrMalformed(codec::DecodeReport(response.report()));
  }
};

/// Returns true if the report says that the applier could not start the plan because of a fault of
/// its own.
bool IsUnavailable(const Outcome& outcome) { return outcome.code == OutcomeCode::kUnavailable; }

Outcome NotStarted(std::string operation, const ObjectRef& target, const std::string& why) {
  Outcome outcome;
  outcome.operation = std::move(operation);
  outcome.target = target;
  outcome.code = OutcomeCode::kNotStarted;
  outcome.certainty = Certainty::kRejected;
  outcome.message = why;
  return outcome;
}

}  // namespace

Report NotStartedReport(const Plan& plan, const std::string& why) {
  Report report;
  report.envelope = plan.envelope;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      report.outcomes.push_back(NotStarted(operation.id, operation.target, why));
    }
  }
  if (plan.status.has_value()) {
    report.outcomes.push_back(
        NotStarted(std::string(kStatusOperation), plan.envelope.parent.ref, why));
  }
  return report;
}

ApplierProtocol::ApplierProtocol(ApplierCallbacks callbacks, size_t max_message_bytes)
    : callbacks_(std::move(callbacks)), max_message_bytes_(max_message_bytes) {}

std::unique_ptr<MessageStream> ApplierProtocol::Open(const CallSite& site) const {
  return std::make_unique<TypedStream<ApplyMethod>>(site, 0, max_message_bytes_);
}

PeerVerdict ApplierProtocol::Judge(const Answer& answer) const {
  const auto* report = std::get_if<Report>(&answer.content);
  if (report == nullptr || report->outcomes.empty()) return PeerVerdict::kNone;
  const auto& outcomes = report->outcomes;
  return std::all_of(outcomes.begin(), outcomes.end(), IsUnavailable) ? PeerVerdict::kFailed
                                                                      : PeerVerdict::kWorks;
}

std::string ApplierProtocol::WhyFailed(const Answer& answer) const {
  const Outcome& first = std::get<Report>(answer.content).outcomes.front();
  return absl::StrCat(first.reason, ": ", first.message);
}

void ApplierProtocol::OnAnswer(Answer answer) {
  if (Report* report = std::get_if<Report>(&answer.content)) {
    return callbacks_.on_report(answer.sequence, std::move(*report));
  }
  if (auto* refusal = std::get_if<Refusal>(&answer.content)) {
    return callbacks_.on_unreadable(answer.sequence, std::move(refusal->message));
  }
  callbacks_.on_lost(answer.sequence);
}

void ApplierProtocol::OnUnsent(Request request, const std::string& why) {
  const auto& plan = std::get<std::shared_ptr<const Plan>>(request.content);
  callbacks_.on_report(request.sequence, NotStartedReport(*plan, why));
}

void ApplierProtocol::OnLost(uint64_t sequence, const std::string&) {
  callbacks_.on_lost(sequence);
}

void ApplierProtocol::OnCredits(uint32_t credits) { callbacks_.on_credits(credits); }

}  // namespace xebec::rpc
