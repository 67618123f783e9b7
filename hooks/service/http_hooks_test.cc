// SPDX-License-Identifier: Apache-2.0
// The gateway with hooks over HTTP, also misbehaving ones.
#include <atomic>

#include "common/http/testing/client_rig.h"
#include "common/http/testing/fake_server.h"
#include "common/kube/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/fake_hook.h"
#include "hooks/service/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using namespace gateway::testing;
using http::testing::Chunk;
using http::testing::ChunkedHead;
using http::testing::FakeServer;
using http::testing::Http;
using http::testing::ServedRequest;
using http::testing::Wire;
using ::testing::HasSubstr;

constexpr char kDescribed[] = R"({"revision":"h1"})";
constexpr char kNothing[] = R"({"desired":{"status":"{}"}})";

using OnSync = std::function<bool(const ServedRequest& request, Wire& wire)>;

/// Describes itself, and answers Sync with `on_sync`.
FakeServer::Handler Hook(OnSync on_sync) {
  return [on_sync = std::move(on_sync)](const ServedRequest& request, Wire& wire) {
    if (request.target.find("/Describe") == std::string::npos) return on_sync(request, wire);
    return wire.Write(Http(200, kDescribed));
  };
}

/// Answers Sync with the same response.
FakeServer::Handler Answering(const std::string& response) {
  return Hook([response](const ServedRequest&, Wire& wire) { return wire.Write(response); });
}

HookEndpoint At(const FakeServer& hook, const std::string& path = "") {
  return testing::At("127.0.0.1:" + std::to_string(hook.port()) + path, HookProtocol::kHttp);
}

HookFailure FailureOf(FakeServer::Handler handler, absl::Duration timeout = absl::Seconds(30)) {
  FakeServer hook(std::move(handler));
  Settings settings = OnLoopback();
  settings.max_answer_bytes = 64 << 10;
  GatewayRig rig(settings);
  return rig.Failure(rig.Send(At(hook), RequestFor("secret"), timeout));
}

TEST(HttpHooks, GetJsonAndAnswerJson) {
  http::testing::Recorder recorder;
  FakeServer hook(Hook([&](const ServedRequest& request, Wire& wire) {
    recorder.Add(request);
    return wire.Write(Http(200, R"({"desired":{"children":[{"object":"{}","byVersion":true}],)"
                                R"("resyncAfter":"5s","status":"{\"a\":1}"}})"));
  }));
  GatewayRig rig;
  const uint64_t call = rig.Send(At(hook, "/base"), RequestFor("a"));
  hooks::v1::SyncResponse response;
  ASSERT_TRUE(response.ParseFromString(rig.Answer(call)));
  EXPECT_TRUE(response.desired().children(0).by_version());
  EXPECT_EQ(response.desired().resync_after().seconds(), 5);
  EXPECT_EQ(rig.Reply(call).revision, "h1");
  ServedRequest request = recorder.Only();
  EXPECT_EQ(request.target, "/base/xebec.hooks.v1.HookService/Sync");
  EXPECT_EQ(request.headers["content-type"], "application/json");
  EXPECT_THAT(request.body, HasSubstr(R"("phase":"PHASE_SYNC")"));
  EXPECT_TRUE(rig.Reply(rig.Send(At(hook, "/base"), RequestFor("a"))).cached);
}

TEST(HttpHooks, AnswersWithUnknownFieldsOrValuesAreMalformed) {
  for (const char* body :
       {R"({"desired":{"childs":[]}})", R"({"desired":{"deletions":[{"propagation":"SOON"}]}})",
        "not JSON", "[]", "{}", R"({"desired":{"status":1}})", "{\"error\":\"\xe9\"}",
        "<!DOCTYPE html><p>Please log in"}) {
    const HookFailure failure = FailureOf(Answering(Http(200, body)));
    EXPECT_EQ(failure.code, HookFailureCode::kMalformed) << body;
    EXPECT_THAT(failure.message, HasSubstr("is malformed")) << body;
    EXPECT_THAT(failure.message, ::testing::Not(HasSubstr("secret")));
  }
  EXPECT_THAT(FailureOf(Answering(Http(200, R"({"desired":{"childs":[]}})"))).message,
              HasSubstr("childs"));
}

TEST(HttpHooks, DuplicateKeysAreMalformed) {
  const HookFailure failure =
      FailureOf(Answering(Http(200, R"({"desired":{"invalid":"a"},"desired":{"status":"{}"}})")));
  EXPECT_EQ(failure.code, HookFailureCode::kMalformed);
  EXPECT_THAT(failure.message, HasSubstr(R"(duplicate key "desired")"));
}

// A small compressed answer could become a large one.
TEST(HttpHooks, CompressedAnswersAreNotDecompressed) {
  // kNothing
  const std::string gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\x56\x4a\x49\x2d\xce\x2c\x4a\x4d\x51"
      "\xb2\xaa\x56\x2a\x2e\x49\x2c\x29\x2d\x56\xb2\x52\xaa\xae\x55\xaa\xad\x05\x00\x6f"
      "\x7b\x17\xfc\x1b\x00\x00\x00",
      47);
  const HookFailure failure = FailureOf(Answering(Http(200, gzip, "Content-Encoding: gzip\r\n")));
  EXPECT_EQ(failure.code, HookFailureCode::kMalformed);
}

TEST(HttpHooks, StatusesBecomeFailures) {
  const HookFailure throttled = FailureOf(Answering(
      Http(429, R"({"code":"resource_exhausted","message":"too fast"})", "Retry-After: 7\r\n")));
  EXPECT_EQ(throttled.code, HookFailureCode::kThrottled);
  EXPECT_EQ(throttled.retry_after, absl::Seconds(7));
  EXPECT_THAT(throttled.message, HasSubstr("too fast"));
  const HookFailure later = FailureOf(Answering(Http(503, "", "Retry-After: 2\r\n")));
  EXPECT_EQ(later.code, HookFailureCode::kThrottled);
  EXPECT_EQ(FailureOf(Answering(Http(503, "down"))).code, HookFailureCode::kUnavailable);
  const HookFailure rejected = FailureOf(Answering(Http(500, "it crashed")));
  EXPECT_EQ(rejected.code, HookFailureCode::kRejected);
  EXPECT_THAT(rejected.message, HasSubstr("status 500: it crashed"));
}

TEST(HttpHooks, RedirectsAreFollowedToTheSameOriginOnly) {
  FakeServer hook(Hook([](const ServedRequest& request, Wire& wire) {
    if (request.target == "/moved" && request.method == "POST" && !request.body.empty())
      return wire.Write(Http(200, kNothing));
    return wire.Write(Http(307, "", "Location: /moved\r\n"));
  }));
  GatewayRig rig;
  EXPECT_NE(rig.Answer(rig.Send(At(hook), RequestFor("a"))), "");

  std::atomic<int> elsewhere{0};
  FakeServer other([&](const ServedRequest&, Wire& wire) {
    ++elsewhere;
    return wire.Write(Http(200, kNothing));
  });
  const HookFailure away =
      FailureOf(Answering(Http(302, "", "Location: " + other.url() + "/x\r\n")));
  EXPECT_EQ(away.code, HookFailureCode::kRejected);
  EXPECT_THAT(away.message, HasSubstr("another origin"));
  EXPECT_EQ(elsewhere, 0);

  std::atomic<int> loops{0};
  const HookFailure loop = FailureOf(Hook([&](const ServedRequest&, Wire& wire) {
    ++loops;
    return wire.Write(Http(308, "", "Location: /again\r\n"));
  }));
  EXPECT_EQ(loop.code, HookFailureCode::kRejected);
  EXPECT_EQ(loops, 4);
}

TEST(HttpHooks, SlowBrokenAndTooLargeAnswersFail) {
  const HookFailure trickle =
      FailureOf(Hook([](const ServedRequest&, Wire& wire) {
                  wire.Write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{");
                  wire.Hang();
                  return false;
                }),
                absl::Milliseconds(400));
  EXPECT_EQ(trickle.code, HookFailureCode::kTimeout);
  const HookFailure large = FailureOf(Answering(Http(200, std::string(100'000, ' ') + kNothing)));
  EXPECT_EQ(large.code, HookFailureCode::kTooLarge) << large.message;
  const HookFailure cut = FailureOf(Hook([](const ServedRequest&, Wire& wire) {
    wire.Write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{");
    return false;
  }));
  EXPECT_EQ(cut.code, HookFailureCode::kUnavailable) << cut.message;
  const HookFailure garbage = FailureOf(Hook([](const ServedRequest&, Wire& wire) {
    wire.Write("this is not HTTP\r\n\r\n");
    return false;
  }));
  EXPECT_EQ(garbage.code, HookFailureCode::kUnavailable) << garbage.message;
}

/// Answers Sync with `begin`, and then with `bytes` for ever, one at a time.
FakeServer::Handler Trickling(const std::string& begin, const std::string& bytes,
                              int milliseconds) {
  return Hook([=](const ServedRequest&, Wire& wire) {
    wire.Write(begin);
    wire.Trickle(bytes, milliseconds);
    return false;
  });
}

TEST(HttpHooks, AnAnswerThatArrivesByteByByteEndsAtTheTimeout) {
  const HookFailure failure =
      FailureOf(Trickling("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n{", " ", 50),
                absl::Milliseconds(400));
  EXPECT_EQ(failure.code, HookFailureCode::kTimeout) << failure.message;
  const HookFailure head =
      FailureOf(Trickling("HTTP/1.1 200 OK\r\nX: ", "x", 50), absl::Milliseconds(400));
  EXPECT_EQ(head.code, HookFailureCode::kTimeout) << head.message;
}

TEST(HttpHooks, AnAnswerWithoutEndEndsAtTheLimitOrTheTimeout) {
  const HookFailure fast = FailureOf(Trickling(ChunkedHead(200), Chunk(std::string(4096, ' ')), 0));
  EXPECT_EQ(fast.code, HookFailureCode::kTooLarge) << fast.message;
  const HookFailure slow =
      FailureOf(Trickling(ChunkedHead(200), Chunk(" "), 50), absl::Milliseconds(400));
  EXPECT_EQ(slow.code, HookFailureCode::kTimeout) << slow.message;
}

TEST(HttpHooks, OneThatHangsHoldsUpNoOther) {
  FakeServer hangs(Hook([](const ServedRequest&, Wire& wire) {
    wire.Hang();
    return false;
  }));
  FakeServer works(Answering(Http(200, kNothing)));
  GatewayRig rig;
  std::vector<uint64_t> stuck;
  for (int i = 0; i < 80; ++i) {
    stuck.push_back(rig.Send(At(hangs), RequestFor(std::to_string(i)), absl::Seconds(1)));
  }
  EXPECT_NE(rig.Answer(rig.Send(At(works), RequestFor("a"))), "");
  for (const uint64_t call : stuck) EXPECT_EQ(rig.Failure(call).code, HookFailureCode::kTimeout);
}

TEST(HttpHooks, AreForbiddenWhereAnAddressIsDenied) {
  std::atomic<int> calls{0};
  FakeServer hook([&](const ServedRequest&, Wire& wire) {
    ++calls;
    return wire.Write(Http(200, kDescribed));
  });
  Settings settings;
  settings.policy.allowed_hosts = {"localhost"};
  settings.policy.allow_plaintext = true;
  GatewayRig rig(settings);
  const HookFailure failure = rig.Failure(
      rig.Send(testing::At("localhost:" + std::to_string(hook.port()), HookProtocol::kHttp),
               RequestFor("a")));
  EXPECT_EQ(failure.code, HookFailureCode::kForbidden) << failure.message;
  EXPECT_THAT(failure.message, HasSubstr("is a loopback address"));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(hook.connections(), 0);
}

TEST(HttpHooks, AreForbiddenWhereANotationOfALoopbackAddressIsTheHost) {
  FakeServer hook(Answering(Http(200, kNothing)));
  for (const char* host : {"2130706433", "0x7f000001", "127.1"}) {
    Settings settings;
    settings.policy.allowed_hosts = {host};
    settings.policy.allow_plaintext = true;
    GatewayRig rig(settings);
    const std::string address = std::string(host) + ":" + std::to_string(hook.port());
    const HookFailure failure =
        rig.Failure(rig.Send(testing::At(address, HookProtocol::kHttp), RequestFor("a")));
    EXPECT_EQ(failure.code, HookFailureCode::kForbidden) << host << ": " << failure.message;
    EXPECT_THAT(failure.message, HasSubstr("is a loopback address"));
  }
  EXPECT_EQ(hook.connections(), 0);
}

TEST(HttpHooks, WithTlsAreVerifiedAndGetTheClientCertificateForTheirHostOnly) {
  const auto ca = kube::testing::MakeCa();
  const auto other_ca = kube::testing::MakeCa();
  const auto client = kube::testing::MakeCertificate(ca, "gateway");
  kube::testing::TemporaryDirectory folder;
  folder.Write("tls.crt", client.cert_pem);
  folder.Write("tls.key", client.key_pem);
  FakeServer hook(
      Answering(Http(200, kNothing)),
      http::testing::TlsSettings{kube::testing::MakeCertificate(ca, "hook.test"), ca.cert_pem});
  Settings settings = OnLoopback();
  const std::string path = folder.Path("");
  settings.credentials = {"good=" + path + "@127.0.0.1", "other=" + path + "@*.example.com"};
  GatewayRig rig(settings);
  HookEndpoint endpoint = At(hook);
  endpoint.tls = HookTls{ca.cert_pem, "hook.test", "good"};
  EXPECT_NE(rig.Answer(rig.Send(endpoint, RequestFor("a"))), "");
  endpoint.tls->credential = "other";
  const HookFailure elsewhere = rig.Failure(rig.Send(endpoint, RequestFor("a")));
  EXPECT_EQ(elsewhere.code, HookFailureCode::kForbidden);
  EXPECT_THAT(elsewhere.message, HasSubstr("no \"other\" for host 127.0.0.1"));
  endpoint.tls = HookTls{other_ca.cert_pem, "hook.test", "good"};
  const HookFailure wrong_ca = rig.Failure(rig.Send(endpoint, RequestFor("a")));
  EXPECT_EQ(wrong_ca.code, HookFailureCode::kUnavailable);
  EXPECT_THAT(wrong_ca.message, HasSubstr("its certificate is not signed by"));
  endpoint.tls = HookTls{ca.cert_pem, "wrong.test", "good"};
  EXPECT_THAT(rig.Failure(rig.Send(endpoint, RequestFor("a"))).message,
              HasSubstr("not valid for the name wrong.test"));
}

}  // namespace
}  // namespace xebec::gateway
