// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "common/kube/watch_event.h"
#include "gtest/gtest.h"

namespace xebec::kube {
namespace {

TEST(DecodeListPage, TellsHowManyObjectsFollow) {
  const auto remaining = [](const std::string& metadata) {
    const std::string body = R"({"items":[],"metadata":{"resourceVersion":"9")" + metadata + "}}";
    return DecodeListPage(body, ResourceType{}, {}).value().remaining;
  };
  EXPECT_EQ(remaining(R"(,"continue":"c","remainingItemCount":700)"), 700u);
  EXPECT_EQ(remaining(R"(,"remainingItemCount":7,"continue":"c")"), 7u);
  EXPECT_EQ(remaining(R"(,"continue":"c")"), std::nullopt);
  for (const char* wrong : {"-1", "null", "\"7\"", "1e99", "{}"}) {
    EXPECT_EQ(remaining(std::string(R"(,"continue":"c","remainingItemCount":)") + wrong),
              std::nullopt);
  }
}

}  // namespace
}  // namespace xebec::kube
