// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/kube/testing/decode_line.h"
#include "common/kube/watch_event.h"

namespace xebec::kube {
namespace {

using testing::DecodeLine;

/// Keeps objects with a controller of this kind.
Projection ChildrenOf(const std::string& kind) { return {.controller_kinds = {kind}}; }

// API servers write the members of custom resources in alphabetical order: the owners come after
// managedFields.
TEST(ObjectIdentity, TheRestOfAnExcludedObjectIsNotRead) {
  const std::string line =
      R"({"type":"MODIFIED","object":{"apiVersion":"example.com/v1","kind":"Bed","metadata":{)"
      R"("managedFields":"not a list","name":"web","namespace":"n","ownerReferences":[{)"
      R"("apiVersion":"example.com/v1","kind":"Iris","name":"i","uid":"u","controller":true}],)"
      R"("resourceVersion":"7","uid":"w"},"spec":{"replicas":1e999}}})";
  const auto excluded = DecodeLine(line, ChildrenOf("example.com/v1/Rose"));
  ASSERT_TRUE(excluded.ok()) << excluded.status();
  const ObjectHeader expected{.ns = "n",
                              .name = "web",
                              .uid = "w",
                              .resource_version = "7",
                              .controller = {"example.com/v1", "Iris", "i", "u"},
                              .controlled = false};
  EXPECT_EQ(excluded->object.header, expected);
  EXPECT_EQ(excluded->object.json, nullptr);
  EXPECT_FALSE(DecodeLine(line, ChildrenOf("example.com/v1/Iris")).ok());
}

TEST(ObjectIdentity, AnExcludedObjectMustEnd) {
  const std::string line =
      R"({"type":"ADDED","object":{"metadata":{"name":"web","resourceVersion":"7"},"spec":{"a":[1}}})";
  EXPECT_FALSE(DecodeLine(line, ChildrenOf("example.com/v1/Iris")).ok());
}

// The parser has no room for a string that is read twice.
TEST(ObjectIdentity, LongStringsFitTheParser) {
  const std::string text(100'000, 'x');
  const auto event = DecodeLine(
      absl::StrCat(R"({"type":"ADDED","object":{"metadata":{"name":")", text, R"(","uid":")", text,
                   R"(","resourceVersion":"7","labels":{"app":")", text, R"("}}}})"),
      {.parent_label = "app"});
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->object.header.name, text);
  EXPECT_EQ(event->object.header.parent_label, text);
}

}  // namespace
}  // namespace xebec::kube
