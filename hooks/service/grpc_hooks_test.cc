// SPDX-License-Identifier: Apache-2.0
// The gateway with hooks over gRPC, also misbehaving ones.
#include <memory>

#include "common/http/testing/fake_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/fake_hook.h"
#include "hooks/service/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using namespace gateway::testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// Answers with the parent's JSON as status, so that a test sees which request was answered.
std::optional<SyncReply> Echo(const std::string& bytes) {
  hooks::v1::SyncRequest request;
  EXPECT_TRUE(request.ParseFromString(bytes));
  return Desire(request.parent());
}

bool Asks(const std::string& bytes, const std::string& name) {
  return bytes.find(name) != std::string::npos;
}

TEST(GrpcHooks, AnswerWithTheirRevisionAndThenFromTheCache) {
  FakeHook hook({.behaviour = Echo});
  GatewayRig rig;
  const uint64_t first = rig.Send(At(hook.address()), RequestFor("a"));
  EXPECT_THAT(StatusIn(rig.Answer(first)), HasSubstr("\"a\""));
  EXPECT_EQ(rig.Reply(first).revision, "v1");
  EXPECT_FALSE(rig.Reply(first).cached);
  const uint64_t second = rig.Send(At(hook.address()), RequestFor("a"));
  EXPECT_TRUE(rig.Reply(second).cached);
  EXPECT_EQ(rig.Answer(second), rig.Answer(first));
  EXPECT_FALSE(rig.Reply(rig.Send(At(hook.address()), RequestFor("b"))).cached);
  EXPECT_EQ(hook.syncs(), 2u);
  EXPECT_EQ(hook.describes(), 1u);
  EXPECT_THAT(rig.Metrics(), HasSubstr("xebec_hook_calls_total{operator=\"web\",result=\"ok\"} 3"));
  EXPECT_THAT(rig.Metrics(), HasSubstr("xebec_hook_cache_hits_total 1"));
}

TEST(GrpcHooks, ARequestWithTheTimeIsNotKept) {
  FakeHook hook({});
  GatewayRig rig;
  hooks::v1::SyncRequest request;
  request.mutable_now()->set_seconds(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(rig.Reply(rig.Send(At(hook.address()), request.SerializeAsString())).cached);
  }
}

TEST(GrpcHooks, ANewRevisionIsPushedToTheDescribeCallThatWaits) {
  auto hook = std::make_unique<FakeHook>(FakeHookOptions{});
  const int port = hook->port();
  GatewayRig rig;
  const HookState first = rig.State(rig.Poll(At(hook->address()), {}));
  EXPECT_EQ(first, (HookState{true, "v1", ""}));
  const uint64_t poll = rig.Poll(At(hook->address()), first);
  hook = nullptr;
  HookState state = rig.State(poll);
  EXPECT_FALSE(state.available);
  EXPECT_THAT(state.message, HasSubstr("cannot connect to the hook at 127.0.0.1"));
  hook = std::make_unique<FakeHook>(FakeHookOptions{.revision = "v2", .port = port});
  while (!state.available) state = rig.State(rig.Poll(At(hook->address()), state));
  EXPECT_EQ(state, (HookState{true, "v2", ""}));
}

TEST(GrpcHooks, AHookThatHangsTimesOutAndHoldsUpNoOther) {
  FakeHook hangs({.behaviour = [](const std::string&) { return std::nullopt; }});
  FakeHook works({});
  Settings settings = OnLoopback();
  settings.limits.concurrency = 2;
  GatewayRig rig(settings);
  std::vector<uint64_t> stuck;
  for (int i = 0; i < 20; ++i) {
    stuck.push_back(
        rig.Send(At(hangs.address()), RequestFor(std::to_string(i)), absl::Milliseconds(700)));
  }
  EXPECT_NE(rig.Answer(rig.Send(At(works.address()), RequestFor("a"))), "");
  for (const uint64_t call : stuck) {
    EXPECT_EQ(rig.Failure(call).code, HookFailureCode::kTimeout);
    EXPECT_THAT(rig.Failure(call).message, HasSubstr("within 700ms"));
  }
  EXPECT_LT(hangs.syncs(), stuck.size());
}

// SETTINGS frames without settings, which keep the connection alive.
TEST(GrpcHooks, AConnectionThatBringsOneByteAtATimeEndsAtTheTimeout) {
  http::testing::FakeServer hook(std::nullopt, [](http::testing::Wire& wire, int) {
    wire.Trickle(std::string("\0\0\0\4\0\0\0\0\0", 9), 50);
  });
  GatewayRig rig;
  const std::string address = "127.0.0.1:" + std::to_string(hook.port());
  const HookFailure failure =
      rig.Failure(rig.Send(At(address), RequestFor("a"), absl::Milliseconds(400)));
  EXPECT_EQ(failure.code, HookFailureCode::kTimeout) << failure.message;
}

TEST(GrpcHooks, AnAnswerBeyondTheLimitIsTooLarge) {
  FakeHook hook({.behaviour = [](const std::string& request) {
    return Desire(std::string(Asks(request, "big") ? 100'000 : 10, 'x'));
  }});
  Settings settings = OnLoopback();
  settings.max_answer_bytes = 64 << 10;
  GatewayRig rig(settings);
  const HookFailure failure = rig.Failure(rig.Send(At(hook.address()), RequestFor("big")));
  EXPECT_EQ(failure.code, HookFailureCode::kTooLarge) << failure.message;
  EXPECT_THAT(failure.message, HasSubstr("65536"));
  EXPECT_NE(rig.Answer(rig.Send(At(hook.address()), RequestFor("small"))), "");
}

TEST(GrpcHooks, AnswersThatAreNoSyncResponseAreMalformed) {
  const std::string latin1 = "\x12\x01\xe9";  // error: 0xe9
  for (const std::string& bytes : {std::string("\xff\xff garbage"), latin1, std::string()}) {
    FakeHook hook({.behaviour = [&](const std::string&) {
      return SyncReply{grpc::Status::OK, bytes};
    }});
    GatewayRig rig;
    const HookFailure failure = rig.Failure(rig.Send(At(hook.address()), RequestFor("secret")));
    EXPECT_EQ(failure.code, HookFailureCode::kMalformed);
    EXPECT_THAT(failure.message, Not(HasSubstr("secret")));
  }
}

TEST(GrpcHooks, AThrottlingHookSaysWhenToCallAgain) {
  FakeHook hook({.behaviour = [](const std::string& request) {
    SyncReply reply;
    if (Asks(request, "info")) {
      reply.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "slow down", RetryInfoDetails(7)};
    } else {
      reply.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "slow down"};
      reply.pushback_ms = 2500;
    }
    return reply;
  }});
  GatewayRig rig;
  const HookFailure info = rig.Failure(rig.Send(At(hook.address()), RequestFor("info")));
  EXPECT_EQ(info.code, HookFailureCode::kThrottled) << info.message;
  EXPECT_EQ(info.retry_after, absl::Seconds(7));
  const HookFailure pushback = rig.Failure(rig.Send(At(hook.address()), RequestFor("metadata")));
  EXPECT_EQ(pushback.retry_after, absl::Milliseconds(2500));
}

TEST(GrpcHooks, ABrokenConnectionFailsItsCallsAndTheNextCallConnectsAgain) {
  auto hook = std::make_unique<FakeHook>(
      FakeHookOptions{.behaviour = [](const std::string&) { return std::nullopt; }});
  const int port = hook->port();
  GatewayRig rig;
  const uint64_t call = rig.Send(At(hook->address()), RequestFor("a"));
  hook->AwaitSyncs(1);
  hook = std::make_unique<FakeHook>(FakeHookOptions{});  // another port; the first one ends
  EXPECT_NE(rig.Failure(call).code, HookFailureCode::kTimeout) << rig.Failure(call).message;
  FakeHook again({.revision = "v2", .port = port});
  HookReply reply;
  do {
    reply = rig.Reply(rig.Send(At(again.address()), RequestFor("a")));
  } while (std::holds_alternative<HookFailure>(reply.result));
  EXPECT_EQ(reply.revision, "v2");
}

TEST(GrpcHooks, WithStreamsAnswerOnOneStream) {
  FakeHook hook({.sync_stream = true, .behaviour = Echo});
  GatewayRig rig;
  std::map<uint64_t, std::string> names;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "n-" + std::to_string(i);
    names[rig.Send(At(hook.address()), RequestFor(name))] = "\"" + name + "\"";
  }
  for (const auto& [call, name] : names) {
    EXPECT_THAT(StatusIn(rig.Answer(call)), HasSubstr(name));
  }
}

/// Like Echo, but a call for "hang" gets no answer.
std::optional<SyncReply> EchoOrHang(const std::string& bytes) {
  if (Asks(bytes, "hang")) return std::nullopt;
  return Echo(bytes);
}

// A proxy keeps the connection when it replaces the program behind it.
TEST(GrpcHooks, AfterTheEndOfAStreamTheHookIsDescribedAgain) {
  FakeHook hook({.sync_stream = true, .behaviour = [](const std::string& request) {
                   if (!Asks(request, "end")) return Desire("{}");
                   return SyncReply{{grpc::StatusCode::UNAVAILABLE, "upstream reset"}, ""};
                 }});
  GatewayRig rig;
  rig.Answer(rig.Send(At(hook.address()), RequestFor("a")));
  EXPECT_EQ(hook.describes(), 1u);
  rig.Failure(rig.Send(At(hook.address()), RequestFor("end")));
  rig.Answer(rig.Send(At(hook.address()), RequestFor("b")));
  EXPECT_EQ(hook.describes(), 2u);
}

// A hook that sends such answers without end would keep the thread of all hooks busy.
TEST(GrpcHooks, OnAStreamAnAnswerToACallThatWasNotSentEndsIt) {
  FakeHook hook({.sync_stream = true, .before = {1}, .behaviour = Echo});
  GatewayRig rig;
  for (const char* name : {"a", "b"}) {
    const HookFailure failure = rig.Failure(rig.Send(At(hook.address()), RequestFor(name)));
    EXPECT_EQ(failure.code, HookFailureCode::kMalformed);
    EXPECT_THAT(failure.message, HasSubstr("which was not sent or is answered already"));
  }
  EXPECT_EQ(hook.syncs(), 2u) << "no answer is kept for a later call";
}

TEST(GrpcHooks, OnAStreamASecondAnswerEndsIt) {
  FakeHook hook({.sync_stream = true, .after = {0}, .behaviour = EchoOrHang});
  GatewayRig rig;
  const uint64_t open = rig.Send(At(hook.address()), RequestFor("hang"));
  const uint64_t twice = rig.Send(At(hook.address()), RequestFor("twice"));
  EXPECT_THAT(StatusIn(rig.Answer(twice)), HasSubstr("\"twice\""));
  EXPECT_EQ(rig.Failure(open).code, HookFailureCode::kMalformed) << "calls on the same stream";
}

TEST(GrpcHooks, OnAStreamALateAnswerIsDropped) {
  FakeHook hook({.sync_stream = true, .before = {-1}, .behaviour = EchoOrHang});
  GatewayRig rig;
  const uint64_t late = rig.Send(At(hook.address()), RequestFor("hang"), absl::Milliseconds(100));
  EXPECT_EQ(rig.Failure(late).code, HookFailureCode::kTimeout);
  const uint64_t call = rig.Send(At(hook.address()), RequestFor("a"));
  EXPECT_THAT(StatusIn(rig.Answer(call)), HasSubstr("\"a\""));
}

TEST(GrpcHooks, OnAStreamASecondLateAnswerEndsIt) {
  FakeHook hook({.sync_stream = true, .before = {-1, -1}, .behaviour = EchoOrHang});
  GatewayRig rig;
  const uint64_t late = rig.Send(At(hook.address()), RequestFor("hang"), absl::Milliseconds(100));
  EXPECT_EQ(rig.Failure(late).code, HookFailureCode::kTimeout);
  const uint64_t call = rig.Send(At(hook.address()), RequestFor("a"));
  EXPECT_EQ(rig.Failure(call).code, HookFailureCode::kMalformed);
}

// They are read on another thread.
TEST(GrpcHooks, OnAStreamLargeAnswersArriveWhole) {
  const std::string large(300'000, 'x');
  FakeHook hook({.sync_stream = true, .behaviour = [&](const std::string& request) {
                   return Asks(request, "empty") ? SyncReply() : Desire(large);
                 }});
  GatewayRig rig;
  std::vector<uint64_t> calls;
  for (const char* name : {"a", "b", "c"}) {
    calls.push_back(rig.Send(At(hook.address()), RequestFor(name)));
  }
  for (const uint64_t call : calls) EXPECT_EQ(StatusIn(rig.Answer(call)), large);
  const HookFailure failure = rig.Failure(rig.Send(At(hook.address()), RequestFor("empty")));
  EXPECT_EQ(failure.code, HookFailureCode::kMalformed) << failure.message;
}

TEST(GrpcHooks, OnAStreamATooLargeAnswerFailsAloneInTheEnd) {
  FakeHook hook({.sync_stream = true, .behaviour = [](const std::string& request) {
                   return Desire(std::string(Asks(request, "big") ? 100'000 : 10, 'x'));
                 }});
  Settings settings = OnLoopback();
  settings.max_answer_bytes = 64 << 10;
  GatewayRig rig(settings);
  EXPECT_EQ(rig.Failure(rig.Send(At(hook.address()), RequestFor("big"))).code,
            HookFailureCode::kTooLarge);
  const uint64_t big = rig.Send(At(hook.address()), RequestFor("big"));
  EXPECT_NE(rig.Answer(rig.Send(At(hook.address()), RequestFor("small"))), "");
  EXPECT_EQ(rig.Failure(big).code, HookFailureCode::kTooLarge);
}

TEST(GrpcHooks, AnEndedStreamFailsItsCallsAndANewOneOpens) {
  FakeHook hook({.sync_stream = true, .behaviour = [](const std::string& request) {
                   if (Asks(request, "end"))
                     return SyncReply{{grpc::StatusCode::INTERNAL, "broken"}, ""};
                   return Desire("{}");
                 }});
  GatewayRig rig;
  EXPECT_EQ(rig.Failure(rig.Send(At(hook.address()), RequestFor("end"))).code,
            HookFailureCode::kRejected);
  EXPECT_NE(rig.Answer(rig.Send(At(hook.address()), RequestFor("a"))), "");
}

class TlsHooks : public ::testing::Test {
 protected:
  HookEndpoint Tls(const FakeHook& hook, const std::string& ca, const std::string& name = "") {
    HookEndpoint endpoint = At(hook.address());
    endpoint.tls = HookTls{ca, name, ""};
    return endpoint;
  }
  const kube::testing::KeyPair ca_ = kube::testing::MakeCa();
  const kube::testing::KeyPair other_ca_ = kube::testing::MakeCa();
};

TEST_F(TlsHooks, NeedACertificateOfTheDeclaredCaAndName) {
  FakeHook hook({.certificate = kube::testing::MakeCertificate(ca_, "web.team-a.svc")});
  GatewayRig rig;
  EXPECT_NE(rig.Answer(rig.Send(Tls(hook, ca_.cert_pem, "web.team-a.svc"), RequestFor("a"))), "");
  EXPECT_NE(rig.Answer(rig.Send(Tls(hook, ca_.cert_pem), RequestFor("a"))), "")
      << "127.0.0.1 is a name of the certificate";
  const HookFailure wrong_ca =
      rig.Failure(rig.Send(Tls(hook, other_ca_.cert_pem), RequestFor("a")));
  EXPECT_EQ(wrong_ca.code, HookFailureCode::kUnavailable);
  EXPECT_THAT(wrong_ca.message, HasSubstr("its certificate is not signed by"));
  const HookFailure wrong_name =
      rig.Failure(rig.Send(Tls(hook, ca_.cert_pem, "other.example.com"), RequestFor("a")));
  EXPECT_EQ(wrong_name.code, HookFailureCode::kUnavailable);
  EXPECT_THAT(wrong_name.message, HasSubstr("other.example.com"));
}

TEST(GrpcHooks, ANameThatDoesNotResolveIsUnavailable) {
  Settings settings = OnLoopback();
  const std::string name = std::string(64, 'a') + ".test";  // no DNS server is asked for it
  settings.policy.allowed_hosts = {name};
  settings.policy.allow_plaintext = true;
  GatewayRig rig(settings);
  const HookFailure failure = rig.Failure(rig.Send(At(name + ":1"), RequestFor("a")));
  EXPECT_EQ(failure.code, HookFailureCode::kUnavailable) << failure.message;
  EXPECT_THAT(failure.message, HasSubstr(name));
}

TEST(GrpcHooks, AreForbiddenWhereThePolicyDeniesThem) {
  FakeHook hook({});
  GatewayRig rig(Settings{});
  const HookFailure failure = rig.Failure(rig.Send(At(hook.address()), RequestFor("a")));
  EXPECT_EQ(failure.code, HookFailureCode::kForbidden);
  EXPECT_THAT(failure.message, HasSubstr("a loopback address"));
  const HookState state = rig.State(rig.Poll(At("localhost:1"), {}));
  EXPECT_THAT(state.message, HasSubstr("allowedHosts"));
  EXPECT_EQ(hook.describes(), 0u);
}

TEST(GrpcHooks, ANameThatLeadsToADeniedAddressIsForbidden) {
  FakeHook hook({});
  Settings settings;
  settings.policy.allowed_hosts = {"localhost"};
  settings.policy.allow_plaintext = true;
  GatewayRig rig(settings);
  const std::string address = "localhost:" + std::to_string(hook.port());
  const HookFailure failure = rig.Failure(rig.Send(At(address), RequestFor("a")));
  EXPECT_EQ(failure.code, HookFailureCode::kForbidden) << failure.message;
  EXPECT_THAT(failure.message, HasSubstr("is a loopback address"));
  EXPECT_EQ(hook.describes(), 0u);
}

}  // namespace
}  // namespace xebec::gateway
