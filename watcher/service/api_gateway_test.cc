// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/api_gateway.h"

#include <deque>
#include <map>
#include <string>

#include "common/http/testing/client_rig.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using http::testing::Access;
using http::testing::Chunk;
using http::testing::ChunkedHead;
using http::testing::FakeServer;
using http::testing::ServedRequest;
using http::testing::Wire;

constexpr char kBookmark[] = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}})"
                             "\n";

StartWatch WatchOf(StreamId stream) {
  StartWatch request;
  request.stream = stream;
  request.type = {"", "v1", "Pod", "pods"};
  request.timeout = absl::Minutes(1);
  return request;
}

// The HTTP thread waits for space in the queue, and only the caller can free space.
TEST(ApiGateway, StoppingAWatchDoesNotWaitForACallbackThatWaitsForRoom) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    for (int i = 0; i < 100; ++i) wire.Write(Chunk(kBookmark));
    wire.Hang();
    return false;
  });
  MessageQueue queue({.items = 1});
  {
    http::ApiClient client(Access(server.url()), {});
    ApiGateway gateway(&client, &queue);
    gateway.Do(WatchOf(1));
    while (queue.size() < 1) std::this_thread::yield();
    gateway.Do(StopStream{1});  // would wait forever after a deadlock
    EXPECT_EQ(gateway.watches(), 0u);
    queue.CloseAndClear();
  }
}

TEST(ApiGateway, AWatchThatEndsByItselfLeavesNothingBehind) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(http::testing::Http(200, ""));
    return true;
  });
  MessageQueue queue({.items = 1000});
  http::ApiClient client(Access(server.url()), {});
  ApiGateway gateway(&client, &queue);
  constexpr size_t kMany = 50;
  for (StreamId stream = 1; stream <= kMany; ++stream) gateway.Do(WatchOf(stream));
  for (size_t ended = 0; ended < kMany;) {
    for (Message& message : queue.PopAll(absl::Seconds(60))) {
      if (Task* task = std::get_if<Task>(&message)) {
        (*task)();
        ++ended;
      }
    }
  }
  EXPECT_EQ(gateway.watches(), 0u);
}

// What the gateway posts about the widgets in any version, if the API server answers like this.
DeclaredResource AnyWidgets(const std::map<std::string, std::string>& answers) {
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    const auto found = answers.find(request.target);
    wire.Write(found == answers.end() ? http::testing::Http(404, "")
                                      : http::testing::Http(200, found->second));
    return true;
  });
  MessageQueue queue({.items = 1000});
  http::ApiClient client(Access(server.url()), {});
  ApiGateway gateway(&client, &queue);
  gateway.Do(Resolve{{"example.com", "", "widgets", {}, ""}});
  for (;;) {
    for (Message& message : queue.PopAll(absl::Seconds(60))) {
      const auto* input = std::get_if<Input>(&message);
      if (input != nullptr) return std::get<Resolved>(*input).resource;
    }
  }
}

TEST(ApiGateway, AResourceWithoutAVersionIsLookedForInAllVersionsOfItsGroup) {
  constexpr char kGroup[] =
      R"({"kind":"APIGroup","versions":[{"version":"v3"},{"version":"v2"},{"version":"v1"}]})";
  constexpr char kNone[] = R"({"kind":"APIResourceList","resources":[]})";
  constexpr char kSome[] =
      R"({"kind":"APIResourceList","resources":[{"name":"widgets","kind":"Widget","namespaced":true}]})";
  const DeclaredResource found = AnyWidgets({{"/apis/example.com", kGroup},
                                             {"/apis/example.com/v2", kNone},
                                             {"/apis/example.com/v1", kSome}});
  EXPECT_EQ(found.version, "");
  EXPECT_EQ(found.type, (ResourceType{"example.com", "v1", "Widget", "widgets", false}));
  EXPECT_EQ(AnyWidgets({{"/apis/example.com", kGroup}}).type, std::nullopt);
  EXPECT_EQ(AnyWidgets({}).type, std::nullopt);
}

// Its memory is bounded by what the engine keeps, not by all objects of the kind.
TEST(ApiGateway, ALiveListKeepsNothingOfObjectsThatTheProjectionDrops) {
  constexpr char kPods[] = R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[
      {"metadata":{"name":"ours","uid":"u1","resourceVersion":"7","labels":{"parent":"w"}}},
      {"metadata":{"name":"foreign","uid":"u2","resourceVersion":"8"}}]})";
  FakeServer server([&](const ServedRequest&, Wire& wire) {
    wire.Write(http::testing::Http(200, kPods));
    return true;
  });
  MessageQueue queue({.items = 1000});
  http::ApiClient client(Access(server.url()), {});
  ApiGateway gateway(&client, &queue);
  LiveList request{.read = 1, .type = {"", "v1", "Pod", "pods"}};
  request.projection.parent_label = "parent";
  request.projection.controller_kinds = {"example.com/v1/Iris"};
  gateway.Do(request);
  std::deque<Message> messages = queue.PopAll(absl::Seconds(60));
  ASSERT_EQ(messages.size(), 1u);
  const auto& answer = std::get<LiveArrived>(std::get<Input>(messages[0]));
  ASSERT_EQ(answer.objects.size(), 1u);
  EXPECT_EQ(answer.objects[0].header.name, "ours");
}

}  // namespace
}  // namespace xebec::watcher
