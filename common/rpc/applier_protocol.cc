// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/applier_protocol.h"

#include <utility>

#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"
#include "xebec/v1/applier.grpc.pb.h"

namespace xebec::rpc {
namespace {

using ApplierLink = grpc::ClientReaderWriter<v1::ApplyStreamRequest, v1::ApplyStreamResponse>;

class ApplyLaneStream : public LaneStream {
 public:
  ApplyLaneStream(std::unique_ptr<v1::ApplierService::Stub> stub, grpc::ClientContext* context,
                  size_t limit)
      : stub_(std::move(stub)), link_(stub_->ApplyStream(context)), limit_(limit) {}

  WriteResult Write(const Parcel& parcel, std::string* why) override {
    v1::ApplyStreamRequest request;
    codec::EncodePlan(std::get<Plan>(parcel.content), codec::ObjectForm::kJson,
                      request.mutable_plan());
    codec::EncodeCapabilities({}, request.mutable_capabilities());
    *why = TooLarge("the plan", request, limit_);
    if (!why->empty()) return WriteResult::kTooLarge;
    return link_->Write(request) ? WriteResult::kWritten : WriteResult::kBroken;
  }

  bool WriteHeartbeat() override { return link_->Write(v1::ApplyStreamRequest()); }
  void WritesDone() override { link_->WritesDone(); }
  absl::Status Finish() override { return FromGrpc(link_->Finish()); }

  std::optional<Answer> Read() override {
    v1::ApplyStreamResponse response;
    if (!link_->Read(&response)) return std::nullopt;
    Answer answer;
    answer.sequence = response.sequence();
    answer.credits = response.credits();
    if (answer.sequence != 0) answer.content = Content(response);
    return answer;
  }

 private:
  static decltype(Answer::content) Content(const v1::ApplyStreamResponse& response) {
    if (!response.error().empty()) return Refusal{response.error()};
    if (!response.has_report()) return Garbled{"the applier's answer has no report"};
    absl::StatusOr<Report> report = codec::DecodeReport(response.report());
    if (!report.ok()) return Garbled{std::string(ToStd(report.status().message()))};
    return *std::move(report);
  }

  const std::unique_ptr<v1::ApplierService::Stub> stub_;
  const std::unique_ptr<ApplierLink> link_;
  const size_t limit_;
};

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

absl::StatusOr<std::string> ApplierProtocol::Greet(const std::shared_ptr<grpc::Channel>&,
                                                   grpc::ClientContext*, const Address&) {
  return std::string();
}

std::unique_ptr<LaneStream> ApplierProtocol::Open(const std::shared_ptr<grpc::Channel>& channel,
                                                  grpc::ClientContext* context) {
  return std::make_unique<ApplyLaneStream>(v1::ApplierService::NewStub(channel), context,
                                           max_message_bytes_);
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

void ApplierProtocol::OnUnsent(Parcel parcel, const std::string& why) {
  callbacks_.on_report(parcel.sequence, NotStartedReport(std::get<Plan>(parcel.content), why));
}

void ApplierProtocol::OnLost(uint64_t sequence, const std::string&) {
  callbacks_.on_lost(sequence);
}

void ApplierProtocol::OnCapacity(uint32_t slots) { callbacks_.on_capacity(slots); }

}  // namespace xebec::rpc
