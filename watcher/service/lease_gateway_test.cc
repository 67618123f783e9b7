// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/lease_gateway.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
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

}  // namespace
}  // namespace xebec::watcher
