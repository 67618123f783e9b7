// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/parents_review.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

const DeclaredResource kWebs{"example.com", "v1", "webs", std::nullopt, ""};

Options Alone() {
  Options options;
  options.leader_election = false;
  return options;
}

/// An Operator whose controller the caches do not have.
class ParentsReviewTest : public ::testing::Test {
 protected:
  void Declare(bool deleting = false) {
    Json object = Json::parse(R"({"apiVersion": "xebec.dev/v1alpha1", "kind": "Operator",
        "metadata": {"name": "web", "uid": "u", "generation": 1},
        "spec": {"parent": {"group": "example.com", "version": "v1", "resource": "webs"},
                 "hook": {"address": "hook:1"}}})");
    if (deleting) object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    declarations_.Read({MakeObjectBytes(DumpJson(object))}, now_);
  }
  /// The API server does not serve the parents, in any version.
  void Refuse() {
    DeclaredResource any = kWebs;
    any.version.clear();
    for (const DeclaredResource& each : {kWebs, any}) declarations_.On(Resolved{each}, now_);
  }
  DeclaredShares Run() {
    return review_.Run(
        {now_, cache_, keys_, keys_complete_, leadership_, [](ControllerId) { return false; }},
        hooks_, &declarations_);
  }

  absl::Duration now_ = absl::Seconds(100);
  CacheSet cache_{Alone(), "watcher-a"};
  Leadership leadership_{Alone(), "watcher-a"};
  KeyTable keys_;
  HookHealth hooks_;
  Declarations declarations_;
  ParentsReview review_;
  bool keys_complete_ = true;
};

TEST_F(ParentsReviewTest, IsDueAtOnceAndWhenItIsHastened) {
  EXPECT_LE(review_.due(), now_);
  Declare();
  Run();
  EXPECT_GT(review_.due(), now_);
  review_.Hasten(now_);
  EXPECT_EQ(review_.due(), now_);
}

TEST_F(ParentsReviewTest, ReturnsTheShareOfEveryDeclaration) {
  EXPECT_TRUE(Run().controllers.empty());
  Declare();
  const auto shares = Run().controllers;
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares.at("web").version, VersionOf(declarations_.Find("web")->declaration));
  EXPECT_FALSE(shares.at("web").holding) << "the Operator stays";
}

TEST_F(ParentsReviewTest, RecordsTheParentsOnceAllOfThemAreKnown) {
  Declare();
  Run();
  EXPECT_FALSE(declarations_.Find("web")->counted) << "the resource is not known";
  const absl::Duration soon = review_.due() - now_;
  Refuse();
  keys_complete_ = false;
  Run();
  EXPECT_FALSE(declarations_.Find("web")->counted) << "keys are still being added";
  keys_complete_ = true;
  Run();
  EXPECT_TRUE(declarations_.Find("web")->counted);
  EXPECT_GT(review_.due() - now_, soon) << "later reviews are less frequent";
}

TEST_F(ParentsReviewTest, AnOperatorThatIsDeletedMayGoWhenThereAreNoParents) {
  Declare(/*deleting=*/true);
  EXPECT_TRUE(Run().controllers.at("web").holding) << "there may be parents";
  EXPECT_FALSE(declarations_.Find("web")->released);
  Refuse();
  EXPECT_FALSE(Run().controllers.at("web").holding);
  EXPECT_TRUE(declarations_.Find("web")->released);
}

TEST_F(ParentsReviewTest, AnOperatorThatStaysMayNotGo) {
  Declare();
  Refuse();
  Run();
  EXPECT_FALSE(declarations_.Find("web")->released);
}

// Which excess Operators have run before, a watcher that has just started does not know.
TEST_F(ParentsReviewTest, AnExcessOperatorThatIsDeletedDoesNotGo) {
  Declare(/*deleting=*/true);
  std::vector<ObjectBytes> objects = {declarations_.Find("web")->object};
  for (size_t i = 0; i < kMaxDeclared + kMaxLeaving; ++i) {
    Json older = *ParseJson(*objects[0]);
    older["metadata"]["name"] = absl::StrCat("a", i);
    objects.push_back(MakeObjectBytes(DumpJson(older)));
  }
  declarations_.Read(objects, now_);
  ASSERT_TRUE(declarations_.Find("web")->excess);
  Refuse();
  EXPECT_FALSE(Run().controllers.contains("web"));
  EXPECT_FALSE(declarations_.Find("web")->released);
  objects.pop_back();
  declarations_.Read(objects, now_);
  Refuse();
  Run();
  EXPECT_TRUE(declarations_.Find("web")->released);
}

TEST(FindController, FindsNothingInEmptyCaches) {
  EXPECT_EQ(FindController(CacheSet(Alone(), "watcher-a"), "web"), std::nullopt);
}

}  // namespace
}  // namespace xebec::watcher
