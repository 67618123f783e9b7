// SPDX-License-Identifier: Apache-2.0
#include "applier/service/api_link.h"

#include <atomic>
#include <functional>
#include <thread>

#include "common/http/testing/client_rig.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

// The thread of the client sends requests itself, and must not end the client.
TEST(ApiLink, IsCutWhileTheThreadOfTheClientSends) {
  http::testing::FakeServer server(
      [](const http::testing::ServedRequest&, http::testing::Wire& wire) {
        wire.Write(http::testing::Http(200, "{}"));
        return true;
      });
  for (int round = 0; round < 50; ++round) {
    ApiLink link(http::testing::Access(server.url()), {});
    std::atomic<int> answers = 0;
    std::atomic<bool> refused = false;
    const std::function<void(kube::ApiResponse)> again = [&](const kube::ApiResponse& response) {
      ++answers;
      if (response.error == kube::TransportError::kNotSent) {
        refused = true;
      } else {
        link.Send(http::testing::Get("/a"), again);
      }
    };
    link.Send(http::testing::Get("/a"), again);
    while (answers < 3) std::this_thread::yield();
    link.Cut();
    EXPECT_TRUE(refused);
  }
}

}  // namespace
}  // namespace xebec::applier
