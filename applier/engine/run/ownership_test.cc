// SPDX-License-Identifier: Apache-2.0
// Whose an object is, is proven before it is changed or deleted.
#include "applier/engine/outcomes/live_object.h"
#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/plan_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum OutcomeCode;

/// A ConfigMap without controller.
Json Unowned(const std::string& name) {
  Json object = ConfigMap(name);
  object["metadata"].erase("ownerReferences");
  return object;
}

TEST(LiveObject, OfAnAnswerBeyondTheLimitsTheHeadIsRead) {
  const std::string head =
      R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a","uid":"u","resourceVersion":"7"},"spec":)";
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  for (const std::string& spec : {deep, std::string("100000000000000000000")}) {
    const auto live = ReadLiveObject(head + spec + "}");
    ASSERT_TRUE(live.has_value()) << spec;
    EXPECT_EQ(live->uid, "u");
    EXPECT_EQ(live->resource_version, "7");
  }
  EXPECT_FALSE(ReadLiveObject(head + "[").has_value());
}

TEST(Ownership, ForeignObjectIsNotDeletedThoughThePlanKnowsItsUid) {
  FakeApiServer server = ServerWithParent();
  Json rival = ConfigMap("a");
  rival["metadata"]["ownerReferences"][0]["uid"] = "other-uid";
  rival["metadata"]["labels"]["xebec.dev/database"] = "iris";
  const std::string a = FindString(server.Put(PathOf("a"), rival), {"metadata", "uid"});
  const std::string b = FindString(server.Put(PathOf("b"), Unowned("b")), {"metadata", "uid"});
  const Driven driven =
      Drive(MakePlan({{DeleteOp(ConfigMap("a"), a), DeleteOp(ConfigMap("b"), b)}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused, kRefused));
  EXPECT_EQ(driven.report.outcomes[0].reason, "NotOwned");
  EXPECT_THAT(driven.report.outcomes[0].message, HasSubstr("controlled by Iris"));
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(Ownership, ForeignObjectIsNotChangedThoughThePlanKnowsItsUid) {
  FakeApiServer server = ServerWithParent();
  const std::string uid = FindString(server.Put(PathOf("a"), Unowned("a")), {"metadata", "uid"});
  const Driven driven = Drive(MakePlan({{UpdateOp(Unowned("a"), uid, "3")}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused));
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(Ownership, IndirectlyOwnedObjectIsProvenByTheLabelWithTheParentsName) {
  FakeApiServer server = ServerWithParent();
  Json claim = Unowned("a");
  claim["metadata"]["labels"]["xebec.dev/database"] = "iris";
  const std::string uid = FindString(server.Put(PathOf("a"), claim), {"metadata", "uid"});
  Json grown = Unowned("a");
  grown["data"]["key"] = "more";
  EXPECT_THAT(Codes(Drive(MakePlan({{UpdateOp(grown, uid, "3")}}), &server).report),
              ElementsAre(kChanged));
  EXPECT_THAT(Codes(Drive(MakePlan({{DeleteOp(grown, uid)}}), &server).report),
              ElementsAre(kDeleted));
}

TEST(Ownership, ObjectOfAnotherKindsControllerIsProvenByTheLabelToo) {
  FakeApiServer server = ServerWithParent();
  Json claim = ConfigMap("a");
  claim["metadata"]["ownerReferences"][0] = {
      {"apiVersion", "apps/v1"}, {"kind", "StatefulSet"}, {"uid", "s"}, {"controller", true}};
  const std::string a = FindString(server.Put(PathOf("a"), claim), {"metadata", "uid"});
  EXPECT_THAT(Codes(Drive(MakePlan({{DeleteOp(claim, a)}}), &server).report),
              ElementsAre(kRefused));
  claim["metadata"]["labels"]["xebec.dev/database"] = "iris";
  const std::string b = FindString(server.Put(PathOf("b"), claim), {"metadata", "uid"});
  EXPECT_THAT(Codes(Drive(MakePlan({{DeleteOp(ConfigMap("b"), b)}}), &server).report),
              ElementsAre(kDeleted));
}

TEST(Ownership, ALabelOfAnotherKeyProvesNothing) {
  FakeApiServer server = ServerWithParent();
  Json theirs = Unowned("a");
  theirs["metadata"]["labels"]["app"] = "iris";
  const std::string uid = FindString(server.Put(PathOf("a"), theirs), {"metadata", "uid"});
  Policy policy;
  policy.parent_labels = {"test.xebec.dev/probe"};
  for (const Policy& each : {Policy(), policy}) {
    const Driven driven =
        Drive(MakePlan({{DeleteOp(ConfigMap("a"), uid)}}), &server, "", std::nullopt, each);
    EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused));
  }
  policy.parent_labels = {"app"};
  EXPECT_THAT(
      Codes(Drive(MakePlan({{DeleteOp(ConfigMap("a"), uid)}}), &server, "", std::nullopt, policy)
                .report),
      ElementsAre(kDeleted));
}

TEST(Ownership, ProofByReadingCanBeTurnedOff) {
  FakeApiServer server = ServerWithParent();
  const std::string uid = FindString(server.Put(PathOf("a"), Unowned("a")), {"metadata", "uid"});
  Policy policy;
  policy.verify_owner = false;
  const Driven driven =
      Drive(MakePlan({{DeleteOp(ConfigMap("a"), uid)}}), &server, "", std::nullopt, policy);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kDeleted));
  EXPECT_EQ(driven.requests, 1u);
}

TEST(Ownership, ObjectThatCannotBeReadIsNotDeleted) {
  FakeApiServer server = ServerWithParent();
  const std::string uid = FindString(server.Put(PathOf("a"), ConfigMap("a")), {"metadata", "uid"});
  server.forbidden = {"GET configmaps"};
  const Driven driven = Drive(MakePlan({{DeleteOp(ConfigMap("a"), uid)}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kForbidden));
  EXPECT_EQ(driven.report.outcomes[0].certainty, Certainty::kRejected);
  EXPECT_THAT(server.effects(), IsEmpty());
}

}  // namespace
}  // namespace xebec::applier
