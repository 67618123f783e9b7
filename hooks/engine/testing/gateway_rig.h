// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "hooks/engine/gateway.h"

namespace xebec::gateway::testing {

/// Drives a gateway with one clock, and keeps the outputs of the last input.
class GatewayRig {
 public:
  explicit GatewayRig(Limits limits = {}) : gateway_(limits) {}

  GatewayRig& Sync(uint64_t sequence, const std::string& request = "r",
                   const std::string& digest = "d", absl::Duration timeout = absl::Seconds(10)) {
    return Take(gateway_.Call(now_, {1, sequence}, CallOf(request, timeout), digest));
  }
  /// The request "r" again, which the hook itself must answer.
  GatewayRig& SyncAgain(uint64_t sequence) {
    HookCall call = CallOf("r", absl::Seconds(10));
    call.again = true;
    return Take(gateway_.Call(now_, {1, sequence}, call, "d"));
  }
  GatewayRig& Poll(uint64_t sequence, const HookState& known,
                   absl::Duration timeout = absl::Minutes(1)) {
    HookCall call = To("op");
    call.known = known;
    call.timeout = timeout;
    return Take(gateway_.Call(now_, {1, sequence}, call, ""));
  }
  GatewayRig& Opened(const std::string& revision) {
    return Take(gateway_.Opened(now_, 1, connection_, HookDescription{revision, "", false}));
  }
  GatewayRig& OpenFails(HookFailureCode code = HookFailureCode::kUnavailable) {
    return Take(gateway_.Opened(now_, 1, connection_, HookFailure{code, "down", {}}));
  }
  GatewayRig& Lost() { return Take(gateway_.Lost(now_, 1, connection_)); }
  GatewayRig& Answer(const std::string& response, bool error = false) {
    return Take(gateway_.Answered(now_, 1, sent_.back(), gateway::Answer{response, error}));
  }
  GatewayRig& Fails(HookFailureCode code) {
    return Take(gateway_.Answered(now_, 1, sent_.back(), HookFailure{code, "failed", {}}));
  }
  GatewayRig& After(absl::Duration time) {
    now_ += time;
    return Take(gateway_.Tick(now_));
  }
  GatewayRig& StreamEnds() { return Take(gateway_.StreamEnded(now_, 1)); }

  template <typename T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const Output& output : out_) {
      if (const T* each = std::get_if<T>(&output)) found.push_back(*each);
    }
    return found;
  }
  /// The only reply of the last input.
  HookReply Reply() const {
    const auto replies = All<SendReply>();
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? HookReply() : replies[0].reply;
  }
  HookFailure Failure() const {
    const HookReply reply = Reply();
    const auto* failure = std::get_if<HookFailure>(&reply.result);
    EXPECT_NE(failure, nullptr);
    return failure == nullptr ? HookFailure() : *failure;
  }
  HookState State() const {
    const HookReply reply = Reply();
    const auto* state = std::get_if<HookState>(&reply.result);
    EXPECT_NE(state, nullptr);
    return state == nullptr ? HookState() : *state;
  }
  const Outputs& out() const { return out_; }
  Gateway& gateway() { return gateway_; }
  absl::Duration now() const { return now_; }
  HookCall CallOf(const std::string& request, absl::Duration timeout) const {
    HookCall call = To("op");
    call.sync_request = request;
    call.timeout = timeout;
    return call;
  }
  HookCall To(const std::string& operator_name) const {
    HookCall call;
    call.operator_name = operator_name;
    call.endpoint.target = HookService{"team-a", "web", 8443};
    call.endpoint.protocol = protocol_;
    call.timeout = absl::Seconds(10);
    return call;
  }
  void UseHttp() { protocol_ = HookProtocol::kHttp; }

 private:
  GatewayRig& Take(Outputs out) {
    out_ = std::move(out);
    for (const Output& output : out_) {
      if (const auto* open = std::get_if<Open>(&output)) connection_ = open->connection;
      if (const auto* send = std::get_if<Send>(&output)) sent_.push_back(send->call);
    }
    return *this;
  }

  Gateway gateway_;
  HookProtocol protocol_ = HookProtocol::kGrpc;
  absl::Duration now_ = absl::Hours(1);
  uint64_t connection_ = 0;
  std::vector<uint64_t> sent_;
  Outputs out_;
};

}  // namespace xebec::gateway::testing
