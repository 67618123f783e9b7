// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/lease_gateway.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/http/testing/client_rig.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::StartsWith;

/// What a gateway tells the engine when it starts and the API server answers with `body`.
Input AnswerToList(const std::string& body) {
  http::testing::FakeServer server(
      [&body](const http::testing::ServedRequest&, http::testing::Wire& wire) {
        wire.Write(http::testing::Http(200, body));
        return true;
      });
  MessageQueue queue({.items = 1000});
  http::ApiClient client(http::testing::Access(server.url()), {});
  auto gateway = std::make_shared<LeaseGateway>(LeaseLocation(), absl::Seconds(60), &client, &queue,
                                                [](absl::Duration, const Task&) {});
  gateway->Start();
  while (true) {
    for (Message& message : queue.PopAll(absl::Seconds(60))) {
      if (const Task* task = std::get_if<Task>(&message)) (*task)();
      if (Input* input = std::get_if<Input>(&message)) {
        gateway->Stop();
        return std::move(*input);
      }
    }
  }
}

template <typename T>
bool Is(const Input& input) {
  return std::holds_alternative<T>(input);
}

std::string ListOf(const std::string& transitions) {
  return absl::StrCat(R"({"metadata":{"resourceVersion":"9"},"items":[)",
                      R"({"metadata":{"name":"xebec-watcher-3","resourceVersion":"7"},)",
                      R"("spec":{"holderIdentity":"a","leaseTransitions":)", transitions, "}}]}");
}

TEST(LeaseGateway, PostsTheLeasesOfTheInstallation) {
  const auto seen = std::get<LeasesSeen>(AnswerToList(ListOf("4")));
  ASSERT_EQ(seen.leases.size(), 1u);
  EXPECT_EQ(seen.leases[0].lease, 3u);
  EXPECT_EQ(seen.leases[0].transitions, 4u);
  EXPECT_EQ(seen.resource_version, "9");
}

TEST(LeaseGateway, NamesTheLeaseThatItCannotRead) {
  const auto failed = std::get<LeasesReadFailed>(AnswerToList(ListOf("-4")));
  EXPECT_EQ(Describe(failed.failure),
            "the Lease xebec-watcher-3 in the namespace xebec-system cannot be read; delete it, "
            "and it is written again: Lease: spec.leaseTransitions is not a whole number of at "
            "least 0");
}

TEST(LeaseGateway, SaysThatAListIsNoList) {
  const auto failed = std::get<LeasesReadFailed>(AnswerToList("<html>"));
  EXPECT_THAT(Describe(failed.failure), StartsWith("the list of Leases cannot be read: "));
}

/// A gateway that has started, the thread of its engine, and a timer that the test runs by hand.
struct Rig {
  explicit Rig(const http::testing::FakeServer& server)
      : client(http::testing::Access(server.url()), {}),
        gateway(std::make_shared<LeaseGateway>(
            LeaseLocation(), absl::Seconds(60), &client, &queue,
            [this](absl::Duration, const Task& task) { later.push_back(task); })) {
    gateway->Start();
  }
  ~Rig() { gateway->Stop(); }

  template <typename Condition>
  void RunUntil(const Condition& reached) {
    while (!reached()) {
      for (Message& message : queue.PopAll(absl::Milliseconds(10))) {
        if (const Task* task = std::get_if<Task>(&message)) (*task)();
        if (Input* input = std::get_if<Input>(&message)) told.push_back(std::move(*input));
      }
    }
  }
  void Write(const std::string& holder) {
    WriteLease write;
    write.lease = 3;
    write.holder = holder;
    gateway->Do(write);
  }
  template <typename T>
  auto Count() const {
    return std::count_if(told.begin(), told.end(), Is<T>);
  }

  MessageQueue queue{{.items = 1000}};
  http::ApiClient client;
  std::vector<Task> later;
  std::vector<Input> told;
  const std::shared_ptr<LeaseGateway> gateway;
};

/// A gateway with an API server whose watch stays open, that refuses writes with 409, and whose
/// first list beside the watch fails.
TEST(LeaseGateway, ListsAgainUntilItSucceedsAfterAConflict) {
  std::atomic<int> lists = 0;
  http::testing::FakeServer server([&](const http::testing::ServedRequest& request,
                                       http::testing::Wire& wire) {
    if (request.method == "PUT") {
      wire.Write(http::testing::Http(409, "{}"));
    } else if (request.target.find("watch=1") != std::string::npos) {
      wire.Write(http::testing::ChunkedHead(200));
    } else {
      const bool fails = ++lists == 2;
      wire.Write(fails ? http::testing::Http(500, "{}") : http::testing::Http(200, ListOf("4")));
    }
    return true;
  });
  Rig rig(server);
  const auto are_told = [&rig](size_t inputs) {
    return [&rig, inputs] { return rig.told.size() >= inputs; };
  };
  rig.RunUntil(are_told(1));
  rig.Write("a");
  rig.Write("b");
  rig.RunUntil(are_told(4));
  EXPECT_EQ(rig.Count<LeasesReadFailed>(), 1);
  EXPECT_EQ(lists, 2) << "one list for both conflicts";
  ASSERT_EQ(rig.later.size(), 1u) << "the failed list is repeated";
  rig.later[0]();
  rig.RunUntil(are_told(5));
  EXPECT_TRUE(Is<LeasesSeen>(rig.told.back()));
}

/// The watch ends while a list beside it is in flight. An answer that is older than the one before
/// it would look like an etcd that was restored from a backup.
TEST(LeaseGateway, SendsNoListWhileAnotherIsInFlight) {
  std::atomic<int> lists = 0;
  std::atomic<bool> overlapped = false;
  absl::Notification third;
  http::testing::FakeServer server(
      [&](const http::testing::ServedRequest& request, http::testing::Wire& wire) {
        if (request.method == "PUT") {
          wire.Write(http::testing::Http(409, "{}"));
        } else if (request.target.find("watch=1") != std::string::npos) {
          wire.Write(http::testing::Http(200, ""));
        } else {
          const int number = ++lists;
          if (number == 3) third.Notify();
          if (number == 2) overlapped = third.WaitForNotificationWithTimeout(absl::Seconds(0.2));
          wire.Write(http::testing::Http(200, ListOf("4")));
        }
        return true;
      });
  Rig rig(server);
  // The watch has ended: a list follows soon.
  rig.RunUntil([&rig] { return !rig.later.empty(); });
  rig.Write("");
  rig.RunUntil([&lists] { return lists == 2; });
  rig.later[0]();
  rig.RunUntil([&rig] { return rig.Count<LeasesSeen>() == 3; });
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace xebec::watcher
