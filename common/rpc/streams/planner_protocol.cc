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
  using Service = v1::PlannerService;
  using Request = v1::PlanStreamRequest;
  using Response = v1::PlanStreamResponse;
  static constexpr char kName[] = "PlanStream";
  static constexpr char kWhat[] = "the observation";

  static auto Prepare(Service::Stub* stub, grpc::ClientContext* context,
                      grpc::CompletionQueue* queue) {
    return stub->PrepareAsyncPlanStream(context, queue);
  }
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

/// Asks the planner for its description and delivers it.
class DescribeCall : public HandshakeCall {
 public:
  DescribeCall(const CallSite& site, const Address& address, const PlannerCallbacks& callbacks)
      : stub_(v1::PlannerService::NewStub(site.channel)),
        call_(*site.observer, v1::PlannerService::service_full_name(), "DescribeKinds", "unary"),
        address_(address),
        callbacks_(callbacks) {
    v1::DescribeKindsRequest request;
    codec::EncodeCapabilities({}, request.mutable_capabilities());
    reader_ = stub_->PrepareAsyncDescribeKinds(site.context, request, site.queue);
  }

  void Start(void* tag) override {
    call_.Started();
    call_.Sent();
    reader_->StartCall();
    reader_->Finish(&response_, &status_, tag);
  }

  absl::StatusOr<std::string> Result() override {
    if (status_.ok()) call_.Received();
    call_.Handled(status_);
    if (!status_.ok()) return FromGrpc(status_);
    absl::StatusOr<PlannerDescription> description = codec::DecodeDescription(response_);
    if (!description.ok()) return description.status();
    std::string revision = description->revision;
    callbacks_.on_description(*std::move(description), address_.uri);
    return revision;
  }

 private:
  const std::unique_ptr<v1::PlannerService::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::DescribeKindsResponse>> reader_;
  ClientCall call_;
  v1::DescribeKindsResponse response_;
  grpc::Status status_;
  const Address address_;
  const PlannerCallbacks& callbacks_;
};

}  // namespace

PlannerProtocol::PlannerProtocol(PlannerCallbacks callbacks, uint32_t credits_per_stream,
                                 size_t max_message_bytes)
    : callbacks_(std::move(callbacks)),
      credits_per_stream_(credits_per_stream),
      max_message_bytes_(max_message_bytes) {}

std::unique_ptr<HandshakeCall> PlannerProtocol::Handshake(const CallSite& site,
                                                          const Address& address) const {
  return std::make_unique<DescribeCall>(site, address, callbacks_);
}

std::unique_ptr<MessageStream> PlannerProtocol::Open(const CallSite& site) const {
  return std::make_unique<TypedStream<PlanMethod>>(site, credits_per_stream_, max_message_bytes_);
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
