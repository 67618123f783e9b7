// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/codec/codec.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/telemetry/metrics.h"
#include "gtest/gtest.h"
#include "hooks/service/gateway_service.h"
#include "hooks/service/settings.h"
#include "xebec/hooks/v1/hook.pb.h"
#include "xebec/v1/hook_gateway.grpc.pb.h"

namespace xebec::gateway::testing {

/// Returns settings that allow hooks on this machine.
inline Settings OnLoopback() {
  Settings settings;
  settings.policy.allow_loopback = true;
  return settings;
}

/// Returns a SyncRequest whose parent is `name`.
inline std::string RequestFor(const std::string& name) {
  hooks::v1::SyncRequest request;
  request.set_phase(hooks::v1::PHASE_SYNC);
  request.set_parent("{\"metadata\":{\"name\":\"" + name + "\"}}");
  return request.SerializeAsString();
}

inline HookEndpoint At(const std::string& address, HookProtocol protocol = HookProtocol::kGrpc) {
  HookEndpoint endpoint;
  endpoint.target = address;
  endpoint.protocol = protocol;
  return endpoint;
}

/// A whole gateway without sockets, and the stream of a watcher.
class GatewayRig {
 public:
  explicit GatewayRig(const Settings& settings = OnLoopback())
      : metrics_(&registry_),
        loop_(*Resolve(settings, ""), &metrics_),
        service_(&loop_, settings.credits_per_stream),
        server_(*rpc::Server::Start({.listen = {"127.0.0.1:0"}}, {&service_})),
        stub_(v1::HookGatewayService::NewStub(server_->InProcessChannel())),
        context_(rpc::MakeCallContext(absl::Minutes(2))),
        stream_(stub_->CallStream(context_.get())) {}
  ~GatewayRig() {
    context_->TryCancel();
    if (!ended_) stream_->Finish();
    server_.reset();
  }

  /// Sends a call of Sync and returns its sequence.
  uint64_t Send(const HookEndpoint& endpoint, const std::string& request,
                absl::Duration timeout = absl::Seconds(30)) {
    HookCall call;
    call.operator_name = "web";
    call.endpoint = endpoint;
    call.sync_request = request;
    call.timeout = timeout;
    return SendCall(call);
  }
  /// Sends a call of Describe and returns its sequence.
  uint64_t Poll(const HookEndpoint& endpoint, const HookState& known,
                absl::Duration timeout = absl::Seconds(60)) {
    HookCall call;
    call.operator_name = "web";
    call.endpoint = endpoint;
    call.known = known;
    call.timeout = timeout;
    return SendCall(call);
  }
  uint64_t SendCall(const HookCall& call) {
    v1::CallStreamRequest request;
    request.set_sequence(++sequence_);
    codec::EncodeHookCall(call, request.mutable_call());
    Write(request);
    return sequence_;
  }
  void Write(const v1::CallStreamRequest& request) { EXPECT_TRUE(stream_->Write(request)); }

  /// Waits for the message with this sequence. Keeps the others.
  v1::CallStreamResponse Await(uint64_t sequence) {
    v1::CallStreamResponse message;
    while (!received_.contains(sequence) && stream_->Read(&message)) {
      credits_ += message.credits();
      if (message.sequence() != 0) received_[message.sequence()] = message;
    }
    EXPECT_TRUE(received_.contains(sequence));
    return received_[sequence];
  }
  HookReply Reply(uint64_t sequence) {
    const v1::CallStreamResponse message = Await(sequence);
    EXPECT_EQ(message.error(), "");
    auto reply = codec::DecodeHookReply(message);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.value_or(HookReply());
  }
  std::string Answer(uint64_t sequence) {
    const HookReply reply = Reply(sequence);
    const auto* failure = std::get_if<HookFailure>(&reply.result);
    EXPECT_EQ(failure, nullptr) << failure->message;
    const auto* answer = std::get_if<std::string>(&reply.result);
    return answer == nullptr ? "" : *answer;
  }
  HookFailure Failure(uint64_t sequence) {
    const HookReply reply = Reply(sequence);
    const auto* failure = std::get_if<HookFailure>(&reply.result);
    EXPECT_NE(failure, nullptr) << "the call succeeded";
    return failure == nullptr ? HookFailure() : *failure;
  }
  HookState State(uint64_t sequence) {
    const HookReply reply = Reply(sequence);
    const auto* state = std::get_if<HookState>(&reply.result);
    EXPECT_NE(state, nullptr);
    return state == nullptr ? HookState() : *state;
  }

  uint32_t credits() const { return credits_; }
  GatewayService& service() { return service_; }
  auto& stream() { return *stream_; }
  /// Waits for the end of the stream and returns its status.
  grpc::StatusCode End() {
    v1::CallStreamResponse message;
    while (stream_->Read(&message)) {
    }
    ended_ = true;
    return stream_->Finish().error_code();
  }
  std::string Metrics() { return registry_.Scrape(); }

 private:
  telemetry::Registry registry_;
  GatewayMetrics metrics_;
  GatewayLoop loop_;
  GatewayService service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::HookGatewayService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CallStreamRequest, v1::CallStreamResponse>> stream_;
  uint64_t sequence_ = 0;
  uint32_t credits_ = 0;
  bool ended_ = false;
  std::map<uint64_t, v1::CallStreamResponse> received_;
};

}  // namespace xebec::gateway::testing
