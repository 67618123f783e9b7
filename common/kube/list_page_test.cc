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

TEST(DecodeListPage, TellsWhetherTheServerHasSelectedTheObjects) {
  const auto sharded = [](const std::string& metadata) {
    const std::string body = R"({"items":[],"metadata":{"resourceVersion":"9")" + metadata + "}}";
    return DecodeListPage(body, ResourceType{}, {}).value().sharded;
  };
  EXPECT_TRUE(sharded(R"(,"shardInfo":{"selector":"some ranges"})"));
  EXPECT_FALSE(sharded(R"(,"shardInfo":null)"));
  EXPECT_FALSE(sharded(""));
}

TEST(DecodeListPage, OnlyCountsObjectsThatTheProjectionDoesNotKeep) {
  constexpr char kBody[] = R"({"metadata":{"resourceVersion":"9"},"items":[
      {"metadata":{"name":"a","resourceVersion":"1"}},
      {"metadata":{"name":"b","resourceVersion":"2","labels":{"parent":"w"}}},
      {"metadata":{"name":"c","resourceVersion":"3"}}]})";
  Projection projection;
  projection.parent_label = "parent";
  projection.controller_kinds = {"a/v1/Iris"};
  const ListPage page = DecodeListPage(kBody, ResourceType{}, projection).value();
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].header.name, "b");
  EXPECT_EQ(page.foreign, 2u);
}

}  // namespace
}  // namespace xebec::kube
