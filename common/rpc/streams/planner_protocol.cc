// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/planner_protocol.h"

#include <utility>

#include "common/codec/codec.h"
#include "common/rpc/status_map.h"
#include "common/rpc/streams/typed_stream.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::rpc {
namespace {

struct PlanMethod {
  using Stub = v1::PlannerService::Stub;
  using Request = v1::PlanStreamRequest;
  using Response = v1::PlanStreamResponse;
  static constexpr char kWhat[] = "the observation";

  static auto Open(Stub* stub, grpc::ClientContext* context) { return stub->PlanStream(context); }
  static void Encode(const rpc::Request& request, Request* message) {
    codec::EncodeObservation(std::get<Observation>(request.content), codec::ObjectForm::kJson,
                             message->mutable_observation());
  }
  static uint32_t Credits(const Response& response) { return response.sequence() != 0 ? 1 : 0; }
  static decltype(Answer::content) Content(const Response& response) {
    if (!response.has_plan()) return Malformed{"the planner's answer has no plan"};
    return DecodedOrMalformed(codec::DecodePlan(response.plan()));
  }
};

}  // namespace

PlannerProtocol::PlannerProtocol(PlannerCallbacks callbacks, uint32_t credits_per_stream,
                                 size_t max_message_bytes)
    : callbacks_(std::move(callbacks)),
      credits_per_stream_(credits_per_stream),
      max_message_bytes_(max_message_bytes) {}

absl::StatusOr<std::string> PlannerProtocol::Handshake(
    const std::shared_ptr<grpc::Channel>& channel, grpc::ClientContext* context,
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

std::unique_ptr<MessageStream> PlannerProtocol::Open(const std::shared_ptr<grpc::Channel>& channel,
                                                     grpc::ClientContext* context) {
  return std::make_unique<TypedStream<PlanMethod>>(v1::PlannerService::NewStub(channel), context,
                                                   credits_per_stream_, max_message_bytes_);
}

void PlannerProtocol::OnAnswer(Answer answer) {
  if (Plan* plan = std::get_if<Plan>(&answer.content)) {
    return callbacks_.on_plan(answer.sequence, std::move(*plan));
  }
  std::string why = "the planner's answer is not a plan";
  if (auto* refusal = std::get_if<Refusal>(&answer.content)) why = std::move(refusal->message);
  if (auto* malformed = std::get_if<Malformed>(&answer.content))
    why = std::move(malformed->message);
  callbacks_.on_failed(answer.sequence, std::move(why), true);
}

void PlannerProtocol::OnUnsent(Request request, const std::string& why) {
  callbacks_.on_failed(request.sequence, why, false);
}

void PlannerProtocol::OnLost(uint64_t sequence, const std::string& why) {
  callbacks_.on_failed(sequence, why, false);
}

void PlannerProtocol::OnCredits(uint32_t credits) { callbacks_.on_credits(credits); }

}  // namespace xebec::rpc
