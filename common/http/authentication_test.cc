// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "common/http/http_client.h"
#include "common/http/testing/client_rig.h"

namespace xebec::http {
namespace {

using kube::ApiResponse;
using kube::TransportError;
using testing::Access;
using testing::Ask;
using testing::Chunk;
using testing::ChunkedHead;
using testing::FakeServer;
using testing::FakeSource;
using testing::Get;
using testing::Http;
using testing::Recorder;
using testing::ServedRequest;
using testing::WatchLog;
using testing::Wire;

/// Answers 200 to one token and 401 to all others.
class GuardedServer {
 public:
  explicit GuardedServer(std::string good)
      : server_([this, good = std::move(good)](const ServedRequest& request, Wire& wire) {
          served_.Add(request);
          const auto header = request.headers.find("authorization");
          const bool ok = header != request.headers.end() && header->second == "Bearer " + good;
          return wire.Write(Http(ok ? 200 : 401, "body"));
        }) {}

  kube::ClusterAccess Access(std::shared_ptr<FakeSource> source) {
    kube::ClusterAccess access = testing::Access(server_.url());
    access.credentials = std::move(source);
    return access;
  }
  size_t requests() { return served_.All().size(); }

 private:
  Recorder served_;
  FakeServer server_;
};

TEST(Authentication, A401IsTriedAgainOnceWithNewCredentials) {
  GuardedServer server("new");
  auto source = std::make_shared<FakeSource>(std::vector<std::string>{"old", "new"});
  ApiClient client(server.Access(source), {});
  EXPECT_EQ(Ask(client, {"POST", "/a", kube::kJsonContentType, "{}"}).status, 200);
  EXPECT_EQ(source->invalidations(), 1);
  EXPECT_EQ(server.requests(), 2u);
}

TEST(Authentication, ASecond401IsTheAnswer) {
  GuardedServer server("never");
  auto source = std::make_shared<FakeSource>("old");
  ApiClient client(server.Access(source), {});
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(server.requests(), 2u);
}

TEST(Authentication, AWatchIsTriedAgainUnnoticed) {
  GuardedServer server("new");
  auto source = std::make_shared<FakeSource>(std::vector<std::string>{"old", "new"});
  ApiClient client(server.Access(source), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), absl::ZeroDuration(), log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.statuses(), std::vector<int>{200});
  EXPECT_EQ(log.body(), "body");
}

TEST(Authentication, ManyRefusedAtOnceAskForOneRenewal) {
  GuardedServer server("new");
  auto source = std::make_shared<FakeSource>(std::vector<std::string>{"old", "new", "newer"});
  ApiClient client(server.Access(source), {});
  constexpr int kRequests = 50;
  std::atomic<int> good = 0, answers = 0;
  std::promise<void> all;
  for (int i = 0; i < kRequests; ++i) {
    client.Send(Get("/a"), [&](ApiResponse response) {
      if (response.status == 200) ++good;
      if (++answers == kRequests) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(good, kRequests);
  EXPECT_EQ(source->invalidations(), 1);
}

TEST(Authentication, WithoutCredentialsNothingIsSent) {
  GuardedServer server("x");
  auto source = std::make_shared<FakeSource>("x");
  source->FailWith(absl::UnauthenticatedError("kubeconfig k, user \"u\": log in"));
  ApiClient client(server.Access(source), {});
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.error, TransportError::kNotSent);
  EXPECT_NE(response.error_message.find("no credentials: kubeconfig k, user \"u\": log in"),
            std::string::npos)
      << response.error_message;
  EXPECT_EQ(server.requests(), 0u);
}

TEST(Authentication, ARequestWaitsForCredentialsNoLongerThanItsTime) {
  GuardedServer server("x");
  auto source = std::make_shared<FakeSource>("x");
  source->Block();
  ApiClientOptions options;
  options.request_timeout = absl::Milliseconds(100);
  ApiClient client(server.Access(source), options);
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.error, TransportError::kNotSent);
  source->Unblock();
}

TEST(Authentication, ABlockedRenewalStopsNoRunningWatch) {
  std::promise<void> push;
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    if (request.target != "/watch") return wire.Write(Http(401, ""));
    wire.Write(ChunkedHead(200));
    push.get_future().wait();
    wire.Write(Chunk("event\n"));
    return wire.Hang(), false;
  });
  auto source = std::make_shared<FakeSource>("a");
  kube::ClusterAccess access = Access(server.url());
  access.credentials = source;
  WatchLog log;
  std::promise<ApiResponse> answer;
  {
    ApiClient client(access, {});
    std::promise<void> open;
    auto events = log.Events();
    events.on_status = [&](int) { open.set_value(); };
    const auto stream = client.Watch(Get("/watch"), absl::ZeroDuration(), events);
    open.get_future().wait();
    source->Block();
    client.Send(Get("/a"), [&](ApiResponse r) { answer.set_value(std::move(r)); });
    push.set_value();
    log.AwaitBytes(6);
    source->Unblock();
    EXPECT_EQ(answer.get_future().get().status, 401);
  }
}

}  // namespace
}  // namespace xebec::http
