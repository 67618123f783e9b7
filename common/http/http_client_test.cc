// SPDX-License-Identifier: Apache-2.0
#include "common/http/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/http/testing/client_rig.h"

namespace xebec::http {
namespace {

using kube::ApiResponse;
using kube::TransportError;
using testing::Access;
using testing::Ask;
using testing::FakeServer;
using testing::FakeSource;
using testing::Get;
using testing::Http;
using testing::Recorder;
using testing::ServedRequest;
using testing::Wire;

TEST(Send, CarriesMethodPathBodyAndHeaders) {
  Recorder served;
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    served.Add(request);
    return wire.Write(Http(201, "{\"a\":1}"));
  });
  ApiClient client(Access(server.url()), {});
  const ApiResponse response = Ask(client, {"PATCH", "/apis/a/v1/b?fieldManager=x&force=true",
                                            kube::kApplyContentType, "{\"b\":2}"});
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.error, TransportError::kNone);
  EXPECT_EQ(response.body, "{\"a\":1}");
  const ServedRequest request = served.Only();
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target, "/apis/a/v1/b?fieldManager=x&force=true");
  EXPECT_EQ(request.body, "{\"b\":2}");
  EXPECT_EQ(request.headers.at("content-type"), kube::kApplyContentType);
  EXPECT_EQ(request.headers.at("user-agent"), "xebec");
  for (const char* absent : {"expect", "accept-encoding", "authorization"}) {
    EXPECT_EQ(request.headers.count(absent), 0u) << absent;
  }
}

TEST(Send, AsksForTheMetadataAloneWhereTheRequestWantsNoMore) {
  Recorder served;
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    served.Add(request);
    return wire.Write(Http(200, "{}"));
  });
  ApiClient client(Access(server.url()), {});
  Ask(client, {"POST", "/a", kube::kJsonContentType, "{}"});
  Ask(client, {"POST", "/b", kube::kJsonContentType, "{}", /*metadata_only=*/true});
  Ask(client, {"POST", "/c", kube::kJsonContentType, "{}"});
  const auto requests = served.All();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].headers.at("accept"), "application/json");
  EXPECT_EQ(requests[1].headers.at("accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json");
  EXPECT_EQ(requests[2].headers.at("accept"), "application/json");
}

TEST(Send, LeavesNothingOfOneRequestInTheNext) {
  Recorder served;
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    served.Add(request);
    return wire.Write(Http(200, request.method));
  });
  ApiClient client(Access(server.url()), {});
  Ask(client, {"POST", "/a", kube::kJsonContentType, "{}"});
  Ask(client, {"GET", "/b", "", ""});
  Ask(client, {"DELETE", "/c", "", ""});
  Ask(client, {"DELETE", "/d", kube::kJsonContentType, "{\"x\":1}"});
  Ask(client, {"PUT", "/e", kube::kJsonContentType, ""});
  const auto requests = served.All();
  ASSERT_EQ(requests.size(), 5u);
  const char* methods[] = {"POST", "GET", "DELETE", "DELETE", "PUT"};
  const char* bodies[] = {"{}", "", "", "{\"x\":1}", ""};
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].method, methods[i]);
    EXPECT_EQ(requests[i].body, bodies[i]);
    EXPECT_EQ(requests[i].connection, 1);
  }
  EXPECT_EQ(requests[1].headers.count("content-type"), 0u);
  EXPECT_EQ(requests[2].headers.count("content-type"), 0u);
}

TEST(Send, GivesRetryAfter) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    return wire.Write(Http(429, "{}", "Retry-After: 7\r\n"));
  });
  ApiClient client(Access(server.url()), {});
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.retry_after, absl::Seconds(7));
}

TEST(Send, SaysNotSentWhenNobodyListens) {
  std::string url;
  {
    url = FakeServer([](const ServedRequest&, Wire&) { return false; }).url();
  }
  ApiClient client(Access(url), {});
  const ApiResponse response = Ask(client, Get("/api/v1/pods?limit=5"));
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.error, TransportError::kNotSent);
  EXPECT_NE(response.error_message.find(absl::StrCat("GET ", url, "/api/v1/pods: ")),
            std::string::npos)
      << response.error_message;
}

TEST(Send, SaysBrokenWhenTheAnswerIsCut) {
  FakeServer server([](const ServedRequest& request, Wire& wire) {
    if (request.target == "/cut") wire.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    return false;
  });
  ApiClient client(Access(server.url()), {});
  EXPECT_EQ(Ask(client, Get("/cut")).error, TransportError::kBroken);
  EXPECT_EQ(Ask(client, {"POST", "/none", "", "x"}).error, TransportError::kBroken);
}

/// Answers other requests than those to /broken, whose connection it resets while `breaks` is true.
FakeServer::Handler ResetsBroken(Recorder* served, std::function<bool()> breaks) {
  return [=](const ServedRequest& request, Wire& wire) {
    served->Add(request);
    if (request.target != "/broken" || !breaks()) return wire.Write(Http(200, "ok"));
    wire.Reset();
    return false;
  };
}

// The server may have executed it.
TEST(Send, AWriteIsNotSentAgainAfterItsConnectionBroke) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    Recorder served;
    FakeServer server(ResetsBroken(&served, [] { return true; }));
    ApiClient client(Access(server.url()), {});
    EXPECT_EQ(Ask(client, Get("/first")).status, 200);
    const ApiResponse response = Ask(client, {method, "/broken", kube::kJsonContentType, ""});
    EXPECT_EQ(response.error, TransportError::kBroken) << method;
    EXPECT_NE(response.error_message.find("the connection broke"), std::string::npos)
        << response.error_message;
    const auto requests = served.All();
    ASSERT_EQ(requests.size(), 2u) << method;
    EXPECT_EQ(requests[1].connection, 1) << "a connection that was used before";
  }
}

TEST(Send, AGetIsSentAgainAfterItsConnectionBroke) {
  Recorder served;
  FakeServer server(ResetsBroken(&served, [&] { return served.All().size() == 2; }));
  ApiClient client(Access(server.url()), {});
  EXPECT_EQ(Ask(client, Get("/first")).status, 200);
  EXPECT_EQ(Ask(client, Get("/broken")).status, 200);
  EXPECT_EQ(served.All().size(), 3u);
}

TEST(Send, SaysTimeoutWhenNoAnswerComes) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Hang(), false; });
  ApiClientOptions options;
  options.request_timeout = absl::Milliseconds(100);
  ApiClient client(Access(server.url()), options);
  EXPECT_EQ(Ask(client, Get("/a")).error, TransportError::kTimeout);
}

TEST(Send, RefusesAnAnswerBeyondTheLimit) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    return wire.Write(Http(200, std::string(33 * 1024 * 1024, 'x')));
  });
  ApiClient client(Access(server.url()), {});
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.error, TransportError::kBroken);
  EXPECT_NE(response.error_message.find("larger than 33554432 bytes"), std::string::npos)
      << response.error_message;
}

TEST(Send, GoesThroughAnExplicitProxy) {
  Recorder served;
  FakeServer proxy([&](const ServedRequest& request, Wire& wire) {
    served.Add(request);
    return wire.Write(Http(200, "from the proxy"));
  });
  kube::ClusterAccess access = Access("http://cluster.invalid:1234");
  access.config.proxy_url = proxy.url();
  ApiClient client(access, {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "from the proxy");
  EXPECT_EQ(served.Only().target, "http://cluster.invalid:1234/a");
}

TEST(Send, SaysNotSentWhenTheProxyRefuses) {
  FakeServer proxy([](const ServedRequest& request, Wire& wire) {
    EXPECT_EQ(request.method, "CONNECT");
    EXPECT_EQ(request.headers.count("authorization"), 0u);
    wire.Write(Http(403, ""));
    return false;
  });
  kube::ClusterAccess access = Access("https://cluster.invalid:1234");
  access.config.proxy_url = proxy.url();
  access.credentials = std::make_shared<FakeSource>("secret");
  ApiClient client(access, {});
  EXPECT_EQ(Ask(client, Get("/a")).error, TransportError::kNotSent);
}

TEST(Send, AnswersEveryRequestOfManyThreadsOnce) {
  FakeServer server([](const ServedRequest& request, Wire& wire) {
    return wire.Write(Http(200, request.target));
  });
  std::atomic<int> observed = 0;
  ApiClientOptions options;
  options.observer = [&](const FinishedRequest&) { ++observed; };
  constexpr int kThreads = 4, kEach = 200;
  std::atomic<int> answers = 0, wrong = 0;
  {
    ApiClient client(Access(server.url()), options);
    std::promise<void> all;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const std::string path = absl::StrCat("/", t, "/", i);
          client.Send(Get(path), [&, path](ApiResponse response) {
            if (response.body != path) ++wrong;
            if (++answers == kThreads * kEach) all.set_value();
          });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    all.get_future().wait();
    EXPECT_EQ(client.InFlight(), 0u);
  }
  EXPECT_EQ(answers, kThreads * kEach);
  EXPECT_EQ(observed, kThreads * kEach);
  EXPECT_EQ(wrong, 0);
}

TEST(Send, RefusesOneRequestTooMany) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Hang(), false; });
  constexpr int kLimit = 4096;
  std::atomic<int> broken = 0, not_sent = 0;
  std::promise<ApiResponse> refused;
  {
    ApiClient client(Access(server.url()), {});
    for (int i = 0; i < kLimit; ++i) {
      client.Send(Get("/a"), [&](const ApiResponse& response) {
        ++(response.error == TransportError::kBroken ? broken : not_sent);
      });
    }
    client.Send(Get("/b"), [&](ApiResponse response) { refused.set_value(std::move(response)); });
    const ApiResponse response = refused.get_future().get();
    EXPECT_EQ(response.error, TransportError::kNotSent);
    EXPECT_NE(response.error_message.find("4096 requests are in flight"), std::string::npos)
        << response.error_message;
  }
  EXPECT_EQ(broken + not_sent, kLimit);
}

TEST(Destruction, AnswersWhatIsLeft) {
  std::promise<void> reached;
  FakeServer server([&](const ServedRequest&, Wire& wire) {
    reached.set_value();
    return wire.Hang(), false;
  });
  std::vector<ApiResponse> answers;  // filled on the HTTP thread, which the destructor joins
  {
    ApiClient client(Access(server.url()), {});
    client.Send(Get("/a"), [&](ApiResponse response) { answers.push_back(std::move(response)); });
    reached.get_future().wait();
    EXPECT_EQ(client.InFlight(), 1u);
  }
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error, TransportError::kBroken);
}

TEST(Destruction, AnswersWhatWaitsForCredentials) {
  auto source = std::make_shared<FakeSource>("a");
  source->Block();
  kube::ClusterAccess access = Access("http://127.0.0.1:1");
  access.credentials = source;
  std::vector<ApiResponse> answers;
  {
    ApiClient client(access, {});
    for (int i = 0; i < 3; ++i) {
      client.Send(Get("/a"), [&](ApiResponse response) { answers.push_back(std::move(response)); });
    }
    source->AwaitGet();
  }
  ASSERT_EQ(answers.size(), 3u);
  for (const ApiResponse& answer : answers) EXPECT_EQ(answer.error, TransportError::kNotSent);
}

TEST(Destruction, AnswersARequestSentFromACallback) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Hang(), false; });
  int answers = 0;
  {
    ApiClient client(Access(server.url()), {});
    client.Send(Get("/a"), [&](ApiResponse) {
      ++answers;
      client.Send(Get("/b"), [&](ApiResponse response) {
        ++answers;
        EXPECT_EQ(response.error, TransportError::kNotSent);
      });
    });
  }
  EXPECT_EQ(answers, 2);
}

TEST(Send, ARequestMayHaveLessTimeThanOthers) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Hang(), false; });
  ApiClientOptions options;
  options.request_timeout = absl::Hours(1);
  ApiClient client(Access(server.url()), options);
  std::promise<kube::ApiResponse> answer;
  client.Send(
      Get("/lease"), [&](kube::ApiResponse response) { answer.set_value(std::move(response)); },
      absl::Milliseconds(50));
  EXPECT_EQ(answer.get_future().get().error, TransportError::kTimeout);
}

}  // namespace
}  // namespace xebec::http
