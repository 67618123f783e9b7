// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/declarations.h"

#include "gtest/gtest.h"
#include "watcher/engine/leadership/member.h"

namespace xebec::watcher {
namespace {

const ResourceType kWebs{"example.com", "v1", "Web", "webs", false};

ObjectBytes Object(const std::string& name, const std::string& created, int generation = 1) {
  Json object = Json::parse(R"({"apiVersion": "xebec.dev/v1alpha1", "kind": "Operator",
      "spec": {"parent": {"group": "example.com", "version": "v1", "resource": "webs"},
               "hook": {"address": "hook:1"}}})");
  object["metadata"] = {{"name", name},
                        {"uid", "uid of " + name},
                        {"creationTimestamp", created},
                        {"generation", generation}};
  return MakeObjectBytes(DumpJson(object));
}

class DeclarationsTest : public ::testing::Test {
 protected:
  void Serve() {
    DeclaredResource served{"example.com", "v1", "webs", kWebs, ""};
    declarations_.On(Resolved{served}, now_);
  }

  Declarations declarations_;
  absl::Duration now_ = absl::Seconds(100);
};

TEST_F(DeclarationsTest, AreReadTogetherSoonAfterAChange) {
  EXPECT_FALSE(declarations_.Due(now_));
  declarations_.Touch(now_);
  declarations_.Touch(now_ + absl::Milliseconds(20));
  EXPECT_FALSE(declarations_.Due(now_ + absl::Milliseconds(49)));
  EXPECT_TRUE(declarations_.Due(now_ + absl::Milliseconds(50)));
}

TEST_F(DeclarationsTest, AreNotDueWhileTheyCannotBeRead) {
  declarations_.Touch(now_);
  now_ += absl::Milliseconds(50);
  declarations_.Postpone();
  EXPECT_EQ(declarations_.NextDeadline(), absl::InfiniteDuration());
  declarations_.OnReadable(now_);
  EXPECT_EQ(declarations_.NextDeadline(), now_ + absl::Milliseconds(50));
  declarations_.Read({}, now_);
  declarations_.OnReadable(now_);
  EXPECT_EQ(declarations_.NextDeadline(), absl::InfiniteDuration()) << "nothing has changed";
}

TEST_F(DeclarationsTest, AreCompiledOnceTheirResourcesAreServedTheOldestFirst) {
  declarations_.Read({Object("a", "2"), Object("b", "1")}, now_);
  EXPECT_TRUE(declarations_.TakeKinds()->empty());
  Serve();
  const auto kinds = declarations_.TakeKinds();
  ASSERT_EQ(kinds->size(), 2u);
  EXPECT_EQ((*kinds)[0].kind.controller, "b");
  EXPECT_EQ((*kinds)[0].kind.parent, kWebs);
  EXPECT_FALSE(declarations_.TakeKinds().has_value()) << "nothing has changed since";
}

TEST_F(DeclarationsTest, TheYoungestBeyondTheLimitAreRefused) {
  std::vector<ObjectBytes> objects = {Object("a-young-one", "2")};
  for (size_t i = 0; i < kMaxDeclared; ++i) objects.push_back(Object(absl::StrCat("b", i), "1"));
  declarations_.Read(objects, now_);
  Serve();
  EXPECT_EQ(declarations_.TakeKinds()->size(), kMaxDeclared);
  EXPECT_EQ(declarations_.FactsOf("a-young-one").refusal,
            "Xebec runs the 500 oldest Operators; delete others that nobody needs");
  objects.pop_back();
  declarations_.Read(objects, now_);
  EXPECT_EQ(declarations_.TakeKinds()->size(), kMaxDeclared);
  EXPECT_EQ(declarations_.FactsOf("a-young-one").refusal, "");
}

// It may have run before an older one became valid. Then its parents have its finalizer.
TEST_F(DeclarationsTest, AnExcessOneThatIsBeingDeletedRuns) {
  std::vector<ObjectBytes> objects;
  for (size_t i = 0; i < kMaxDeclared; ++i) objects.push_back(Object(absl::StrCat("b", i), "1"));
  for (size_t i = 0; i <= kMaxLeaving; ++i) {
    Json json = *ParseJson(*Object(absl::StrCat("young", 100 + i), absl::StrCat(100 + i)));
    json["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    objects.push_back(MakeObjectBytes(DumpJson(json)));
  }
  objects.push_back(Object("stays", "50"));
  declarations_.Read(objects, now_);
  Serve();
  EXPECT_EQ(declarations_.TakeKinds()->size(), kMaxDeclared + kMaxLeaving);
  EXPECT_TRUE(declarations_.Find("young100")->kind.has_value());
  EXPECT_FALSE(declarations_.Find("young150")->kind.has_value()) << "it waits for the others";
  EXPECT_FALSE(declarations_.Find("stays")->kind.has_value());
}

TEST(Declared, AsManyAsRunFitIntoTheAnnotationOfALease) {
  MemberFacts facts{.buckets = kMaxBuckets, .declared = DeclaredShares()};
  for (size_t i = 0; i < kMaxDeclared + kMaxLeaving; ++i) {
    const std::string name = absl::StrCat(std::string(97, 'n'), 100 + i);
    const std::string version = absl::StrCat(std::string(36, 'u'), "@1000000 leaving");
    facts.declared->controllers[name] = {version, 1'000'000, 1'000'000, false};
  }
  EXPECT_LT(EncodeMember(facts).size(), 200 * 1024u);
}

TEST_F(DeclarationsTest, EveryChangeGivesAnotherVersion) {
  declarations_.Read({Object("a", "1")}, now_);
  Serve();
  const std::string first = declarations_.TakeKinds()->front().version;
  declarations_.Read({Object("a", "1")}, now_);
  EXPECT_EQ(declarations_.TakeKinds()->front().version, first);
  declarations_.Read({Object("a", "1", 2)}, now_);
  EXPECT_NE(declarations_.TakeKinds()->front().version, first);
}

TEST_F(DeclarationsTest, AWrongOneIsLeftOut) {
  const ObjectBytes wrong = MakeObjectBytes(R"({"metadata": {"name": "a"}, "spec": {}})");
  declarations_.Read({wrong, MakeObjectBytes("{"), Object("b", "1")}, now_);
  EXPECT_EQ(declarations_.Find("a"), nullptr);
  EXPECT_NE(declarations_.Find("b"), nullptr);
}

TEST_F(DeclarationsTest, OneThatSetsFinalizersWaitsUntilItIsGuarded) {
  Json json = *ParseJson(*Object("a", "1"));
  json["spec"]["finalizer"] = true;
  declarations_.Read({MakeObjectBytes(DumpJson(json))}, now_, "xebec/guard");
  Serve();
  EXPECT_TRUE(declarations_.TakeKinds()->front().paused);
  json["metadata"]["finalizers"] = {"xebec/guard"};
  declarations_.Read({MakeObjectBytes(DumpJson(json))}, now_, "xebec/guard");
  EXPECT_FALSE(declarations_.TakeKinds()->front().paused);
}

// Else another one with the same parents would be a reason to refuse it, and finalizers stayed.
TEST_F(DeclarationsTest, OneThatGoesWritesNoStatus) {
  Json json = *ParseJson(*Object("a", "1"));
  json["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  declarations_.Read({MakeObjectBytes(DumpJson(json))}, now_);
  Serve();
  EXPECT_FALSE(declarations_.TakeKinds()->front().status);
}

TEST_F(DeclarationsTest, MayHaveParentsUnlessTheyAreNotServed) {
  declarations_.Read({Object("a", "1")}, now_);
  const Declaration& declaration = declarations_.Find("a")->declaration;
  EXPECT_TRUE(declarations_.MayHaveParents(declaration)) << "nobody knows";
  DeclaredResource webs{"example.com", "v1", "webs", {}, ""};
  declarations_.On(Resolved{webs}, now_);
  EXPECT_FALSE(declarations_.MayHaveParents(declaration));
  declarations_.On(ResolveFailed{webs, ApiFailure{403, "Forbidden", "", std::nullopt}}, now_);
  EXPECT_TRUE(declarations_.MayHaveParents(declaration));
}

TEST_F(DeclarationsTest, OneThatGoesNeedsItsParentsInAVersionThatIsServed) {
  Json json = *ParseJson(*Object("a", "1"));
  const auto read = [&] { declarations_.Read({MakeObjectBytes(DumpJson(json))}, now_); };
  read();
  Serve();
  declarations_.Doubt(kWebs, now_);
  declarations_.On(Resolved{{"example.com", "v1", "webs", {}, ""}}, now_);
  EXPECT_EQ(declarations_.TakeKinds()->front().kind.parent, kWebs) << "it may be served again";
  json["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  read();
  EXPECT_TRUE(declarations_.TakeKinds()->empty());
  EXPECT_TRUE(declarations_.MayHaveParents(declarations_.Find("a")->declaration));
  ResourceType other = kWebs;
  other.version = "v2";
  declarations_.On(Resolved{{"example.com", "", "webs", other, ""}}, now_);
  EXPECT_EQ(declarations_.TakeKinds()->front().kind.parent, other);
  EXPECT_EQ(declarations_.ServedFor(*declarations_.Find("a")), std::vector<ResourceType>{other})
      << "the planner chooses the same";
}

TEST_F(DeclarationsTest, ANewProgramIsNewsForTheParents) {
  declarations_.Read({Object("a", "1")}, now_);
  uint64_t sequence = 0;
  const auto answer = [&](const std::string& revision) {
    Outputs out;
    declarations_.OnTick(now_, 8, &sequence, &out);
    declarations_.On(HookAnswered{sequence, {HookState{true, revision, ""}, "", false}}, now_);
    return declarations_.TakeNewPrograms();
  };
  declarations_.TakeNews();
  EXPECT_TRUE(answer("r1").empty()) << "the first one that is seen";
  EXPECT_EQ(declarations_.TakeNews(), std::set<std::string>{"a"});
  EXPECT_TRUE(answer("r1").empty());
  EXPECT_TRUE(declarations_.TakeNews().empty());
  EXPECT_EQ(answer("r2"), std::set<std::string>{"a"});
}

TEST_F(DeclarationsTest, IsReleasedOnceItWasFreeForLongEnough) {
  declarations_.Read({Object("a", "1")}, now_);
  const auto released = [this](bool free, absl::Duration later) {
    declarations_.SetFree("a", free, absl::Seconds(6), now_ + later);
    return declarations_.FactsOf("a").released;
  };
  EXPECT_FALSE(released(true, absl::Seconds(0)));
  EXPECT_FALSE(released(true, absl::Seconds(5)));
  EXPECT_FALSE(released(false, absl::Seconds(6)));
  EXPECT_FALSE(released(true, absl::Seconds(7))) << "it counts from the beginning";
  EXPECT_TRUE(released(true, absl::Seconds(13)));
}

}  // namespace
}  // namespace xebec::watcher
