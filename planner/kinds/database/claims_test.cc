// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"

namespace xebec::planner {
namespace {

using ::testing::Contains;
using testing::DatabaseScene;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::OperationIds;

constexpr const char* kSpec = R"({"image": "a", "replicas": 2, "storage-size": "50G"})";

struct Up : DatabaseScene {
  Up() : DatabaseScene(kSpec) { BringUp(); }
  // The volume of a claim grows to what was asked for.
  void Provision(int64_t ordinal) {
    const std::string name = FindString(Claim(ordinal), {"metadata", "name"});
    world.Edit(Ref(ClaimType(), name), [](Json& claim) {
      claim["status"]["capacity"] = claim["spec"]["resources"]["requests"];
    });
  }
};

const Operation* FindApply(const Plan& plan, const std::string& name) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (operation.target.name == name) return &operation;
    }
  }
  return nullptr;
}

TEST(DatabaseClaims, AreLeftAloneWhenIdle) {
  Up db;
  EXPECT_EQ(db.Asked(0), "50G");
  EXPECT_FALSE(db.Claim(0)["metadata"].contains("annotations"));
  EXPECT_EQ(db.ConditionOf("StorageResized"), "");
}

TEST(DatabaseClaims, GrowDirectlyByUidAndVersionAndTheTemplateKeepsItsSize) {
  Up db;
  const Json before = db.Set()["spec"]["volumeClaimTemplates"];
  const Json claim = db.Claim(1);
  db.EditSpec(R"({"storage-size": "100G"})");
  const Plan plan = db.Reconcile();
  const Operation* apply = FindApply(plan, "data-db-1");
  ASSERT_NE(apply, nullptr);
  EXPECT_EQ(apply->precondition.uid, FindString(claim, {"metadata", "uid"}));
  EXPECT_EQ(apply->precondition.resource_version,
            FindString(claim, {"metadata", "resourceVersion"}));
  db.Converge();
  EXPECT_EQ(db.Asked(0), "100G");
  EXPECT_EQ(db.Asked(1), "100G");
  EXPECT_FALSE(db.Claim(0)["metadata"].contains("ownerReferences")) << "it outlives the Database";
  EXPECT_EQ(db.Set()["spec"]["volumeClaimTemplates"], before) << "immutable";
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False Resizing");
  db.Provision(0);
  db.Provision(1);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "");
  EXPECT_TRUE(WritesNothing(db.Ask()));
}

TEST(DatabaseClaims, OfNewOrdinalsGrowAfterTheirCreation) {
  Up db;
  db.EditSpec(R"({"storage-size": "100G", "replicas": 3})");
  db.Converge();
  db.RollAll();
  EXPECT_EQ(db.Asked(2), "50G") << "what the template says";
  db.Converge();
  EXPECT_EQ(db.Asked(2), "100G");
}

TEST(DatabaseClaims, SameSizeInOtherWordsChangesNothing) {
  Up db;
  db.EditSpec(R"({"storage-size": "50000M"})");
  db.Converge();
  EXPECT_EQ(db.Asked(0), "50G");
  EXPECT_EQ(db.ConditionOf("StorageResized"), "");
}

TEST(DatabaseClaims, ShrinkingIsRefusedWithAMessageAndTheRestGoesOn) {
  Up db;
  db.EditSpec(R"({"storage-size": "20G", "image": "b"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False ShrinkRefused");
  EXPECT_THAT(db.MessageOf("StorageResized"), HasSubstr("50G"));
  EXPECT_THAT(db.world.events, Contains(HasSubstr("Warning ShrinkRefused")));
  EXPECT_EQ(db.Asked(0), "50G");
  EXPECT_EQ(FindString(db.Set()["spec"]["template"]["spec"]["containers"][0], {"image"}), "b");
  db.RollAll();
  db.Converge();
  EXPECT_TRUE(WritesNothing(db.Ask())) << "what is refused is not tried again and again";
}

TEST(DatabaseClaims, RefusalOfTheApiServerBecomesTheCondition) {
  Up db;
  db.world.refusals["apply persistentvolumeclaims default/data-db-0"] = OutcomeCode::kForbidden;
  db.EditSpec(R"({"storage-size": "100G"})");
  db.Reconcile();
  db.Reconcile();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False ResizeRefused");
  EXPECT_THAT(db.MessageOf("StorageResized"), HasSubstr("refused"));
  EXPECT_EQ(db.Asked(1), "100G") << "the others grow";
  db.EditSpec(R"({"storage-size": "50G"})");
  db.Reconcile();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False ShrinkRefused") << "the second one has 100G";
}

TEST(DatabaseClaims, OfAnotherOwnersStatefulSetAreNotTouched) {
  DatabaseScene db(kSpec);
  Json set = {{"metadata", {{"name", "db"}, {"labels", {{"xebec.dev/database", "db"}}}}}};
  set["spec"]["replicas"] = 1;
  set["spec"]["volumeClaimTemplates"] = *ParseJson(
      R"([{"metadata": {"name": "data", "labels": {"xebec.dev/database": "db"}},
           "spec": {"resources": {"requests": {"storage": "1G"}}}}])");
  db.world.Put(StatefulSetType(), set);
  db.Roll(1);
  db.Converge();
  EXPECT_EQ(db.Asked(0), "1G");
  EXPECT_EQ(db.ConditionOf("Ready"), "False NameConflict");
}

TEST(DatabaseClaims, ThatOnlyLookAlikeAreNotTouched) {
  Up db;
  for (const char* name : {"data-db-00", "data-db-x", "other-db-0", "data-db2-0"}) {
    Json claim = *ParseJson(R"({"metadata": {"labels": {"xebec.dev/database": "db"}},
                                "spec": {"resources": {"requests": {"storage": "1G"}}}})");
    claim["metadata"]["name"] = name;
    db.world.Put(ClaimType(), claim);
  }
  db.EditSpec(R"({"storage-size": "100G"})");
  db.Converge();
  for (const char* name : {"data-db-00", "data-db-x", "other-db-0", "data-db2-0"}) {
    EXPECT_EQ(FindString(*db.world.Get(db.Ref(ClaimType(), name)),
                         {"spec", "resources", "requests", "storage"}),
              "1G");
  }
}

TEST(DatabaseClaims, OfOrdinalsThatAreNotWantedAreLeftAloneUntilTheyAre) {
  Up db;
  db.EditSpec(R"({"replicas": 1, "storage-size": "100G"})");
  db.Converge();
  EXPECT_EQ(db.Asked(1), "50G");
  db.EditSpec(R"({"replicas": 2})");
  db.Converge();
  EXPECT_EQ(db.Asked(1), "100G");
}

TEST(DatabaseClaims, RefusedGrowthLeavesTheDatabaseReady) {
  Up db;
  for (const char* claim : {"data-db-0", "data-db-1"}) {
    db.world.refusals[std::string("apply persistentvolumeclaims default/") + claim] =
        OutcomeCode::kInvalid;
  }
  db.EditSpec(R"({"storage-size": "100G"})");
  db.Reconcile();
  db.Reconcile();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False ResizeRefused");
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
  EXPECT_EQ(db.ConditionOf("Stalled"), "");
}

TEST(DatabaseClaims, WithoutTheLabelIsNamedWhenItShouldGrow) {
  Up db;
  db.world.Edit(db.Ref(ClaimType(), "data-db-1"),
                [](Json& claim) { claim["metadata"].erase("labels"); });
  db.Converge();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "") << "nothing is to be done";
  db.EditSpec(R"({"storage-size": "100G"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("StorageResized"), "False ClaimNotLabelled");
  EXPECT_THAT(db.MessageOf("StorageResized"), HasSubstr("data-db-1"));
  EXPECT_THAT(db.MessageOf("StorageResized"), HasSubstr("xebec.dev/database=db"));
  EXPECT_EQ(db.Asked(0), "100G");
}
}  // namespace
}  // namespace xebec::planner
