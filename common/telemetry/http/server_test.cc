// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/server.h"

#include <latch>

#include "common/telemetry/testing/http_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpHandler Ok(const std::string& path, size_t max_requests = 128) {
  return {.thread_name = "test",
          .matches = [path](const HttpRequest& request) { return request.path == path; },
          .answer = [](const HttpRequest&) { return HttpResponse{.body = "ok"}; },
          .max_requests = max_requests};
}

std::unique_ptr<HttpServer> StartServer(std::vector<HttpHandler> handlers,
                                        HttpTimeouts timeouts = {}) {
  HttpServerOptions options;
  options.host = "127.0.0.1";
  options.timeouts = timeouts;
  auto server = HttpServer::Start(options, std::move(handlers));
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

std::vector<RawClient> Connect(int port, size_t count) {
  std::vector<RawClient> clients;
  for (size_t i = 0; i < count; ++i) clients.emplace_back(port);
  return clients;
}

TEST(HttpServer, AnswersOneRequestPerConnection) {
  const auto server = StartServer({Ok("/livez")});
  const Fetched fetched = Fetch(server->port(), "/livez");
  EXPECT_EQ(fetched.status, 200);
  EXPECT_EQ(fetched.body, "ok");
  EXPECT_THAT(fetched.head, HasSubstr("Connection: close"));
  EXPECT_THAT(fetched.head, HasSubstr("Content-Length: 2"));
}

TEST(HttpServer, AHeadRequestGetsNoBody) {
  const auto server = StartServer({Ok("/livez")});
  const Fetched fetched = Fetch(server->port(), "/livez", "HEAD");
  EXPECT_THAT(fetched.head, HasSubstr("Content-Length: 2"));
  EXPECT_EQ(fetched.body, "");
}

TEST(HttpServer, RefusesOtherPathsMethodsAndMalformedRequests) {
  const auto server = StartServer({Ok("/livez")});
  EXPECT_EQ(Fetch(server->port(), "/other").status, 404);
  EXPECT_EQ(Fetch(server->port(), "/livez", "POST").status, 405);
  EXPECT_EQ(Fetch(server->port(), "no-slash").status, 400);
}

// A few dozen clients that send a byte now and then, some within the request line and some within
// a header.
TEST(HttpServer, TricklingClientsDoNotDelayOthers) {
  const auto server = StartServer({Ok("/livez")});
  const std::vector<RawClient> slow = Connect(server->port(), 60);
  for (size_t round = 0; round < 20; ++round) {
    for (size_t i = 0; i < slow.size(); ++i) {
      const std::string whole =
          i % 2 == 0 ? "GET /aaaaaaaaaaaaaaaaaaaaaaaaaa" : "GET / HTTP/1.1\r\nX: aaaaaaaaaaaaaaa";
      slow[i].Send(whole.substr(round, 1));
    }
    EXPECT_EQ(Fetch(server->port(), "/livez").status, 200);
  }
}

TEST(HttpServer, MoreSilentClientsThanConnectionsDoNotKeepOthersOut) {
  const auto server = StartServer({Ok("/livez")}, {.head = absl::Hours(1)});
  const std::vector<RawClient> silent = Connect(server->port(), 300);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Fetch(server->port(), "/livez").status, 200);
  EXPECT_EQ(silent.front().ReadAll(), "") << "the oldest connection is closed";
}

TEST(HttpServer, AHeaderOrARequestLineWithoutEndIsRefused) {
  const auto server = StartServer({Ok("/livez")}, {.linger = absl::Milliseconds(20)});
  for (const char* begin : {"GET / HTTP/1.1\r\nX: ", "GET /"}) {
    const RawClient client(server->port());
    client.Send(begin);
    while (client.Send(std::string(64 << 10, 'a'))) {
    }
    EXPECT_EQ(Fetch(server->port(), "/livez").status, 200);
  }
}

TEST(HttpServer, TheRefusalOfATooLargeHeadArrives) {
  const auto server = StartServer({Ok("/livez")});
  const RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(20 << 10, 'a'));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST(HttpServer, AClientThatNeverEndsItsRequestIsDisconnected) {
  const auto server = StartServer({Ok("/livez")}, {.head = absl::Milliseconds(20)});
  const RawClient client(server->port());
  client.Send("GET /livez HTTP/1.1\r\nX: ");
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServer, AClientThatDoesNotReadIsDisconnected) {
  HttpHandler large = Ok("/large");
  large.answer = [](const HttpRequest&) {
    return HttpResponse{.body = std::string(64 << 20, 'x')};
  };
  const auto server = StartServer({large, Ok("/livez")}, {.answer = absl::Milliseconds(200)});
  const RawClient client(server->port());
  client.Send("GET /large HTTP/1.1\r\n\r\n");
  while (client.Send("\n")) EXPECT_EQ(Fetch(server->port(), "/livez").status, 200);
}

TEST(HttpServer, ASlowHandlerDelaysOnlyItsOwnRequests) {
  std::latch entered(1), open(1);
  HttpHandler slow = Ok("/metrics", 2);
  slow.answer = [&](const HttpRequest&) {
    entered.count_down();
    open.wait();
    return HttpResponse{.body = "slow"};
  };
  const auto server = StartServer({slow, Ok("/livez")});
  const std::vector<RawClient> waiting = Connect(server->port(), 2);
  waiting[0].Send("GET /metrics HTTP/1.1\r\n\r\n");
  entered.wait();
  EXPECT_EQ(Fetch(server->port(), "/livez").status, 200);
  open.count_down();
  EXPECT_THAT(waiting[0].ReadAll(), HasSubstr("slow"));
}

TEST(HttpServer, RequestsBeyondTheLimitOfAHandlerAreRefused) {
  std::latch entered(1), open(1);
  HttpHandler slow = Ok("/metrics", 1);
  slow.answer = [&](const HttpRequest&) {
    entered.count_down();
    open.wait();
    return HttpResponse{.body = "slow"};
  };
  const auto server = StartServer({slow});
  const RawClient first(server->port());
  first.Send("GET /metrics HTTP/1.1\r\n\r\n");
  entered.wait();
  EXPECT_EQ(Fetch(server->port(), "/metrics").status, 503);
  open.count_down();
  EXPECT_THAT(first.ReadAll(), HasSubstr("slow"));
  EXPECT_EQ(Fetch(server->port(), "/metrics").status, 200) << "the first one has made room";
}

TEST(HttpServer, ListensOnIpv6AndIpv4AtOnce) {
  HttpServerOptions options;
  options.host = "::";
  auto server = HttpServer::Start(options, {Ok("/livez")});
  if (!server.ok()) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(Fetch((*server)->port(), "/livez").status, 200);
}

}  // namespace
}  // namespace xebec::telemetry
