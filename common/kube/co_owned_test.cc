// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "common/base/json.h"
#include "common/kube/watch_event.h"
#include "gtest/gtest.h"

namespace xebec::kube {
namespace {

/// A child with these entries of managedFields, as the watcher keeps it.
Json Kept(const std::string& entries,
          const Projection& children = {.controller_kinds = {"example.com/v1/Iris"}}) {
  const auto child = DecodeObject(
      R"({"metadata":{"name":"a","resourceVersion":"1","managedFields":[)" + entries +
          R"(],"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Iris","name":"i",)"
          R"("uid":"u","controller":true}]}})",
      children);
  EXPECT_TRUE(child.ok()) << child.status();
  return child.ok() ? *ParseJson(*child->json) : Json::object();
}

/// The managers of which the watcher says that they own such a child twice.
Json CoOwners(const std::string& entries) {
  return Kept(entries).value("xebec.dev/co-owners", Json());
}

TEST(CoOwners, OneEntryOfAManagerDoesNotCount) {
  EXPECT_TRUE(CoOwners(R"({"manager":"m","operation":"Update"})").is_null());
  EXPECT_TRUE(CoOwners(R"({"manager":"m","operation":"Apply"})").is_null());
  EXPECT_TRUE(
      CoOwners(R"({"manager":"m","operation":"Apply"},{"manager":"n","operation":"Update"})")
          .is_null());
}

TEST(CoOwners, EntriesOfSubresourcesDoNotCount) {
  EXPECT_TRUE(CoOwners(R"({"manager":"m","operation":"Apply"},)"
                       R"({"manager":"m","operation":"Update","subresource":"status"})")
                  .is_null());
}

TEST(CoOwners, AreTheManagersWithTwoEntries) {
  EXPECT_EQ(CoOwners(R"({"manager":"k","operation":"Apply"},{"manager":"m","operation":"Apply"},)"
                     R"({"manager":"m","operation":"Update"})"),
            Json::array({"m"}));
}

TEST(CoOwners, AreToldOfChildrenIfAllObjectsAreKept) {
  const std::string entries =
      R"({"manager":"m","operation":"Apply"},{"manager":"m","operation":"Update"})";
  const Json child = Kept(entries, {.managed_kinds = {"example.com/v1/Iris"}});
  EXPECT_EQ(child.value("xebec.dev/co-owners", Json()), Json::array({"m"}));
  EXPECT_EQ(child.value("xebec.dev/appliers", Json()), Json::array({"m"}));
  for (const Projection& all : {Projection{}, Projection{.managed_kinds = {"a/v1/Other"}}}) {
    const Json other = Kept(entries, all);
    EXPECT_FALSE(other.contains("xebec.dev/co-owners"));
    EXPECT_FALSE(other.contains("xebec.dev/last-writer"));
    EXPECT_EQ(other["metadata"]["name"], "a");
  }
}

TEST(LastWriter, AreAllManagersOfTheSameSecond) {
  EXPECT_EQ(Kept(R"({"manager":"m","operation":"Apply","time":"2026-01-01T00:00:02Z"},)"
                 R"({"manager":"old","operation":"Update","time":"2026-01-01T00:00:01Z"},)"
                 R"({"manager":"n","operation":"Update","time":"2026-01-01T00:00:02Z"})")
                ["xebec.dev/last-writer"],
            Json({"m", "n"}));
}

TEST(Appliers, AreTheManagersThatApplyTheObject) {
  EXPECT_FALSE(Kept(R"({"manager":"m","operation":"Update"})").contains("xebec.dev/appliers"));
  EXPECT_FALSE(Kept(R"({"manager":"m","operation":"Apply","subresource":"status"})")
                   .contains("xebec.dev/appliers"));
  EXPECT_EQ(Kept(R"({"manager":"k","operation":"Apply"},{"manager":"m","operation":"Apply"},)"
                 R"({"manager":"n","operation":"Update"})")["xebec.dev/appliers"],
            Json({"k", "m"}));
}

}  // namespace
}  // namespace xebec::kube
