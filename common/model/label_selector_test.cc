// SPDX-License-Identifier: Apache-2.0
#include "common/model/label_selector.h"

#include "gtest/gtest.h"

namespace xebec {
namespace {

bool Matches(const char* selector, const char* labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const Json json = Json::parse(labels);
  return parsed.ok() && parsed->Matches(&json);
}

TEST(LabelSelector, MatchesAsTheApiServerDoes) {
  for (const char* selector :
       {"", "app=web", "app==web", " app = web , tier ", "app in (web, db)", "app in (web)",
        "app!=db", "app notin (db,cache)", "app", "!old", "gone!=x", "gone notin (x)",
        "tier=", "example.com/part=a.b-c", "app=web,tier,!old"}) {
    EXPECT_TRUE(Matches(selector, R"({"app":"web","tier":"","example.com/part":"a.b-c"})"))
        << selector;
  }
  for (const char* selector : {"app=db", "app in (db,cache)", "app!=web", "app notin (web)", "gone",
                               "!app", "gone=x", "gone in (x)", "app=web,!tier", "app="}) {
    EXPECT_FALSE(Matches(selector, R"({"app":"web","tier":""})")) << selector;
  }
}

TEST(LabelSelector, AnObjectWithoutLabelsHasNone) {
  EXPECT_TRUE(LabelSelector::Parse("!app")->Matches(nullptr));
  EXPECT_FALSE(LabelSelector::Parse("app")->Matches(nullptr));
}

TEST(LabelSelector, NamesTheRequirementThatIsWrong) {
  for (const char* selector :
       {"app=web,", ",", "=web", "app in web", "app in (web", "app=we b", "app=-", "a b", "!",
        "app>1", "Bad Domain/app=1", "app=web,!tier=x", "/app", "app=a/b"}) {
    EXPECT_EQ(LabelSelector::Parse(selector).status().code(), absl::StatusCode::kInvalidArgument)
        << selector;
  }
  EXPECT_EQ(LabelSelector::Parse("app=web,tier in x").status().message(),
            "has the requirement \"tier in x\", which is none of: key=value, key!=value, key in "
            "(a, b), key notin (a, b), key, !key");
}

}  // namespace
}  // namespace xebec
