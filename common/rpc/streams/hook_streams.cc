// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/hook_streams.h"

#include <utility>

#include "common/codec/codec.h"
#include "common/rpc/streams/stream_pool.h"
#include "common/rpc/streams/stream_protocol.h"
#include "common/rpc/streams/typed_stream.h"
#include "xebec/v1/hook_gateway.grpc.pb.h"

namespace xebec::rpc {
namespace {

struct CallMethod {
  using Service = v1::HookGatewayService;
  using Request = v1::CallStreamRequest;
  using Response = v1::CallStreamResponse;
  static constexpr char kName[] = "CallStream";
  static constexpr char kWhat[] = "the hook call";

  static auto Prepare(Service::Stub* stub, grpc::ClientContext* context,
                      grpc::CompletionQueue* queue) {
    return stub->PrepareAsyncCallStream(context, queue);
  }
  static void Encode(const rpc::Request& request, Request* message) {
    message->set_sequence(request.sequence);
    codec::EncodeHookCall(std::get<HookCall>(request.content), message->mutable_call());
  }
  static uint32_t Credits(const Response& response) { return response.credits(); }
  static decltype(Answer::content) Content(const Response& response) {
    return DecodedOrMalformed(codec::DecodeHookReply(response));
  }
};

/// The protocol of HookGatewayService.CallStream: requests are calls, answers are replies, and the
/// gateway grants the credits.
class HookProtocolV1 : public StreamProtocol {
 public:
  HookProtocolV1(HookCallbacks callbacks, size_t max_message_bytes)
      : callbacks_(std::move(callbacks)), max_message_bytes_(max_message_bytes) {}

  std::unique_ptr<MessageStream> Open(const CallSite& site) const override {
    return std::make_unique<TypedStream<CallMethod>>(site, 0, max_message_bytes_);
  }

  void OnAnswer(Answer answer) override {
    if (auto* reply = std::get_if<HookReply>(&answer.content)) {
      return callbacks_.on_reply(answer.sequence, std::move(*reply));
    }
    std::string why = "the gateway's answer is malformed";
    if (auto* refusal = std::get_if<Refusal>(&answer.content)) why = std::move(refusal->message);
    if (auto* malformed = std::get_if<Malformed>(&answer.content)) why = malformed->message;
    Fail(answer.sequence, HookFailureCode::kMalformed, std::move(why));
  }
  void OnUnsent(rpc::Request request, const std::string& why) override {
    Fail(request.sequence, HookFailureCode::kUnavailable, why);
  }
  void OnLost(uint64_t sequence, const std::string& why) override {
    Fail(sequence, HookFailureCode::kUnavailable, why);
  }
  void OnCredits(uint32_t credits) override { callbacks_.on_credits(credits); }

 private:
  void Fail(uint64_t sequence, HookFailureCode code, std::string why) {
    callbacks_.on_reply(sequence, {HookFailure{code, "gateway: " + std::move(why), {}}, "", false});
  }

  const HookCallbacks callbacks_;
  const size_t max_message_bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HookStreams>> HookStreams::Start(const StreamOptions& options,
                                                                HookCallbacks callbacks) {
  auto protocol = std::make_unique<HookProtocolV1>(std::move(callbacks), options.max_message_bytes);
  absl::StatusOr<std::unique_ptr<StreamPool>> pool =
      StreamPool::Start(options, std::move(protocol));
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<HookStreams>(new HookStreams(*std::move(pool)));
}

HookStreams::HookStreams(std::unique_ptr<StreamPool> pool) : pool_(std::move(pool)) {}

HookStreams::~HookStreams() = default;

void HookStreams::Send(uint64_t sequence, HookCall call, absl::Duration timeout) {
  Request request;
  request.sequence = sequence;
  request.content = std::move(call);
  pool_->Send(std::move(request), timeout);
}

void HookStreams::Stop(absl::Duration timeout) { pool_->Stop(timeout); }

}  // namespace xebec::rpc
