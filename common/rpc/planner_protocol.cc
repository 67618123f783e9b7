// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/planner_protocol.h"

#include <utility>

#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::rpc {
namespace {

using PlannerLink = grpc::ClientReaderWriter<v1::PlanStreamRequest, v1::PlanStreamResponse>;

class PlanLaneStream : public LaneStream {
 public:
  PlanLaneStream(std::unique_ptr<v1::PlannerService::Stub> stub, grpc::ClientContext* context,
                 uint32_t slots, size_t limit)
      : stub_(std::move(stub)), link_(stub_->PlanStream(context)), slots_(slots), limit_(limit) {}

  WriteResult Write(const Parcel& parcel, std::string* why) override {
    v1::PlanStreamRequest request;
    codec::EncodeObservation(std::get<Observation>(parcel.content), codec::ObjectForm::kJson,
                             request.mutable_observation());
    *why = TooLarge("the observation", request, limit_);
    if (!why->empty()) return WriteResult::kTooLarge;
    return link_->Write(request) ? WriteResult::kWritten : WriteResult::kBroken;
  }

  bool WriteHeartbeat() override { return link_->Write(v1::PlanStreamRequest()); }
  void WritesDone() override { link_->WritesDone(); }
  absl::Status Finish() override { return FromGrpc(link_->Finish()); }

  std::optional<Answer> Read() override {
    v1::PlanStreamResponse response;
    if (!link_->Read(&response)) return std::nullopt;
    Answer answer;
    answer.sequence = response.sequence();
    answer.credits = std::exchange(slots_, 0) + (answer.sequence != 0 ? 1 : 0);
    if (answer.sequence != 0) answer.content = Content(response);
    return answer;
  }

 private:
  static decltype(Answer::content) Content(const v1::PlanStreamResponse& response) {
    if (!response.error().empty()) return Refusal{response.error()};
    if (!response.has_plan()) return Garbled{"the planner's answer has no plan"};
    absl::StatusOr<Plan> plan = codec::DecodePlan(response.plan());
    if (!plan.ok()) return Garbled{std::string(ToStd(plan.status().message()))};
    return *std::move(plan);
  }

  const std::unique_ptr<v1::PlannerService::Stub> stub_;
  const std::unique_ptr<PlannerLink> link_;
  uint32_t slots_;
  const size_t limit_;
};

}  // namespace

PlannerProtocol::PlannerProtocol(PlannerCallbacks callbacks, uint32_t slots_per_lane,
                                 size_t max_message_bytes)
    : callbacks_(std::move(callbacks)),
      slots_per_lane_(slots_per_lane),
      max_message_bytes_(max_message_bytes) {}

absl::StatusOr<std::string> PlannerProtocol::Greet(const std::shared_ptr<grpc::Channel>& channel,
                                                   grpc::ClientContext* context,
                                                   const Address& address) {
  const auto stub = v1::PlannerService::NewStub(channel);
  v1::DescribeKindsRequest request;
  codec::EncodeCapabilities({}, request.mutable_capabilities());
  v1::DescribeKindsResponse response;
  const absl::Status status = FromGrpc(stub->DescribeKinds(context, request, &response));
  if (!status.ok()) return status;
  absl::StatusOr<PlannerDescription> description = codec::DecodeDescription(response);
  if (!description.ok()) return description.status();
  std::string revision = description->revision;
  callbacks_.on_description(*std::move(description), address.uri);
  return revision;
}

std::unique_ptr<LaneStream> PlannerProtocol::Open(const std::shared_ptr<grpc::Channel>& channel,
                                                  grpc::ClientContext* context) {
  return std::make_unique<PlanLaneStream>(v1::PlannerService::NewStub(channel), context,
                                          slots_per_lane_, max_message_bytes_);
}

void PlannerProtocol::OnAnswer(Answer answer) {
  if (Plan* plan = std::get_if<Plan>(&answer.content)) {
    return callbacks_.on_plan(answer.sequence, std::move(*plan));
  }
  std::string why = "the planner sent something else than a plan";
  if (auto* refusal = std::get_if<Refusal>(&answer.content)) why = std::move(refusal->message);
  if (auto* garbled = std::get_if<Garbled>(&answer.content)) why = std::move(garbled->message);
  callbacks_.on_failed(answer.sequence, std::move(why), true);
}

void PlannerProtocol::OnUnsent(Parcel parcel, const std::string& why) {
  callbacks_.on_failed(parcel.sequence, why, false);
}

void PlannerProtocol::OnLost(uint64_t sequence, const std::string& why) {
  callbacks_.on_failed(sequence, why, false);
}

void PlannerProtocol::OnCapacity(uint32_t slots) { callbacks_.on_capacity(slots); }

}  // namespace xebec::rpc
