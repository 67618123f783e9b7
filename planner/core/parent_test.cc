// SPDX-License-Identifier: Apache-2.0
#include "planner/core/parent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xebec::planner {
namespace {

std::string ErrorOf(std::string text) {
  const auto parent = ReadParent(MakeObjectBytes(std::move(text)));
  return parent.ok() ? "" : std::string(parent.status().message());
}

TEST(Parent, ReadsWhatAPlanNeeds) {
  const auto parent = ReadParent(MakeObjectBytes(R"({
    "apiVersion": "example.com/v1", "kind": "Iris",
    "metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "generation": 3,
      "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["x", 1],
      "annotations": {"xebec.dev/paused": "true"}}})"));
  ASSERT_TRUE(parent.ok()) << parent.status();
  EXPECT_EQ(parent->group, "example.com");
  EXPECT_EQ(parent->version, "v1");
  EXPECT_EQ(parent->generation, 3);
  EXPECT_TRUE(parent->deleting);
  EXPECT_TRUE(parent->paused);
  EXPECT_EQ(parent->finalizers, std::vector<std::string>{"x"});
}

TEST(Parent, CoreGroupHasNoSlash) {
  const auto parent = ReadParent(
      MakeObjectBytes(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})"));
  ASSERT_TRUE(parent.ok());
  EXPECT_EQ(parent->group, "");
  EXPECT_EQ(parent->version, "v1");
}

TEST(Parent, OnlyTheWordTruePauses) {
  const auto parent = ReadParent(MakeObjectBytes(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a",
          "annotations": {"xebec.dev/paused": "yes"}}})"));
  ASSERT_TRUE(parent.ok());
  EXPECT_FALSE(parent->paused);
}

TEST(Parent, ErrorsNameTheField) {
  EXPECT_FALSE(ReadParent(nullptr).ok());
  EXPECT_THAT(ErrorOf("{"), ::testing::StartsWith("parent: "));
  EXPECT_EQ(ErrorOf("[]"), "parent is not a JSON object");
  EXPECT_EQ(ErrorOf("{}"), "parent.apiVersion is missing");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": 5})"), "parent.apiVersion is missing");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1"})"), "parent.kind is missing");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1", "kind": "A"})"), "parent.metadata.name is missing");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1", "kind": "A", "metadata": "x"})"),
            "parent.metadata.name is missing");
  EXPECT_THAT(ErrorOf(R"({"apiVersion": "v1", "kind": "A", "metadata": {"name": "A/B"}})"),
              ::testing::HasSubstr("\"A/B\" is not a DNS-1123"));
}

}  // namespace
}  // namespace xebec::planner
