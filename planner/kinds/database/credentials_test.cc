// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"

namespace xebec::planner {
namespace {

using ::testing::Contains;
using testing::DatabaseScene;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OperationIds;

constexpr const char* kSmall = R"({"image": "postgres:16"})";

bool AsksForSecret(const Plan& plan) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (std::holds_alternative<EnsureSecret>(operation.action)) return true;
    }
  }
  return false;
}

std::string State(const DatabaseScene& db) {
  return FindString(db.Status(), {"credentials", "state"});
}

TEST(DatabaseCredentials, SecretIsMadeOnceAndRecorded) {
  DatabaseScene db(kSmall);
  const Plan plan = db.Reconcile();
  EXPECT_TRUE(AsksForSecret(plan));
  EXPECT_TRUE(plan.resync_after.has_value()) << "no watch tells of it";
  db.Converge();
  EXPECT_EQ(State(db), "Created");
  EXPECT_EQ(FindString(db.Status(), {"credentials", "secretName"}), "db-credentials");
}

TEST(DatabaseCredentials, SecretHasNoOwnerAndIsNeverApplied) {
  DatabaseScene db(kSmall);
  db.BringUp();
  const Json* secret = db.world.Get(db.Ref(SecretType(), "db-credentials"));
  ASSERT_NE(secret, nullptr);
  EXPECT_FALSE((*secret)["metadata"].contains("ownerReferences"));
  EXPECT_THAT(db.world.writes, Not(Contains(HasSubstr("apply secrets"))));
}

TEST(DatabaseCredentials, AskedForInEveryReconcileUntilAllReplicasAreReadyAndTheJobHasSucceeded) {
  DatabaseScene db(R"({"image": "a", "replicas": 2})");
  db.Converge();
  EXPECT_TRUE(AsksForSecret(db.Ask()));
  db.Roll(1);
  db.Converge();
  EXPECT_TRUE(AsksForSecret(db.Ask()));
  db.RollAll();
  db.Converge();
  db.RemoveSecret();
  EXPECT_TRUE(AsksForSecret(db.Ask())) << "the Pod of the Job needs it";
  db.Converge();
  db.EndJob("Complete");
  db.Converge();
  EXPECT_FALSE(AsksForSecret(db.Ask()));
  db.Roll(1);
  EXPECT_TRUE(AsksForSecret(db.Ask()));
}

TEST(DatabaseCredentials, DatabaseMadeAgainUnderTheSameNameFindsThem) {
  DatabaseScene db(kSmall);
  db.BringUp();
  const std::string uid =
      FindString(*db.world.Get(db.Ref(SecretType(), "db-credentials")), {"metadata", "uid"});
  db.world.Delete(db.parent);
  Json again;
  again["metadata"]["name"] = "db";
  again["spec"] = *ParseJson(kSmall);
  db.world.Put(db.kind.description.parent, again);
  db.BringUp();
  EXPECT_EQ(State(db), "Existed");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "");
  EXPECT_EQ(FindString(*db.world.Get(db.Ref(SecretType(), "db-credentials")), {"metadata", "uid"}),
            uid);
}

TEST(DatabaseCredentials, SecretCreatedAgainIsReportedAsLostWithOneWarningAndNoRestart) {
  DatabaseScene db(kSmall);
  db.BringUp();
  const Json before = db.Set()["spec"];
  db.RemoveSecret();
  db.Roll(0);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "True CredentialsLost");
  EXPECT_EQ(State(db), "Lost");
  db.RollAll();
  db.Converge();
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "True CredentialsLost") << "until it is accepted";
  EXPECT_EQ(db.Set()["spec"], before);
  int warnings = 0;
  for (const std::string& event : db.world.events) {
    warnings += event.find("Warning CredentialsLost") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(WritesNothing(db.Ask()));
}

TEST(DatabaseCredentials, LossEndsWhenItIsAccepted) {
  DatabaseScene db(kSmall);
  db.BringUp();
  db.RemoveSecret();
  db.Roll(0);
  db.Converge();
  db.RollAll();
  db.Converge();
  db.Annotate(kAcceptCredentialsAnnotation, "another uid");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "True CredentialsLost");
  db.Annotate(kAcceptCredentialsAnnotation, FindString(db.Status(), {"credentials", "uid"}));
  db.Converge();
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "");
  EXPECT_EQ(State(db), "Created");
}

TEST(DatabaseCredentials, VolumeOlderThanTheDatabaseProvesThatTheSecretWasLost) {
  DatabaseScene db(kSmall);
  db.BringUp();
  db.world.Edit(db.Ref(ClaimType(), "data-db-0"), [](Json& claim) {
    claim["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  });
  db.world.Delete(db.parent);
  db.RemoveSecret();
  Json again;
  again["metadata"]["name"] = "db";
  again["metadata"]["creationTimestamp"] = "2026-01-02T00:00:00Z";
  again["spec"] = *ParseJson(kSmall);
  db.world.Put(db.kind.description.parent, again);
  db.Converge();
  EXPECT_EQ(State(db), "Lost");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "True CredentialsLost");
}

TEST(DatabaseCredentials, VariableOfTheUserIsWhatTheInitJobLogsInWith) {
  DatabaseScene db(R"({"image": "a", "env": [{"name": "POSTGRES_PASSWORD", "value": "mine"},
                                             {"name": "POSTGRES_DB", "value": "shop"}]})");
  db.Converge();
  db.RollAll();
  db.Converge();
  const Json env = db.Job()["spec"]["template"]["spec"]["containers"][0]["env"];
  EXPECT_THAT(DumpJson(env), HasSubstr(R"({"name":"DATABASE_PASSWORD","value":"mine"})"));
  EXPECT_THAT(DumpJson(env), HasSubstr(R"({"name":"DATABASE_NAME","value":"shop"})"));
}

TEST(DatabaseCredentials, ExistingSecretIsUsedAndNoneIsMade) {
  DatabaseScene db(R"({"image": "a", "passwordSecretName": "mine"})");
  const Plan plan = db.Reconcile();
  EXPECT_FALSE(AsksForSecret(plan));
  EXPECT_EQ(State(db), "External");
  const Json env = db.Set()["spec"]["template"]["spec"]["containers"][0]["env"];
  EXPECT_EQ(FindString(env[2], {"valueFrom", "secretKeyRef", "name"}), "mine");
  db.EditSpec(R"({"passwordSecretName": null})");
  db.Converge();
  EXPECT_EQ(State(db), "Created");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "") << "there are no data yet";
}

TEST(DatabaseCredentials, DataWithThePasswordOfAnExistingSecretDoNotHaveTheNewOne) {
  DatabaseScene db(R"({"image": "a", "passwordSecretName": "mine"})");
  db.BringUp();
  ASSERT_NE(FindString(db.Status(), {"data", "claimUID"}), "");
  db.EditSpec(R"({"passwordSecretName": null})");
  db.Converge();
  EXPECT_EQ(State(db), "Lost");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "True CredentialsLost");
}

TEST(DatabaseCredentials, AFailureToCreateTheSecretLosesNothing) {
  DatabaseScene db(kSmall);
  db.world.refusals["ensure-secret secrets default/db-credentials"] = OutcomeCode::kQuotaExceeded;
  db.Converge();
  EXPECT_EQ(State(db), "");
  db.world.refusals.clear();
  db.BringUp();
  EXPECT_EQ(State(db), "Created");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "");
}

TEST(DatabaseCredentials, TheOwnSecretIsFoundAgainAfterAnotherOne) {
  DatabaseScene db(kSmall);
  db.BringUp();
  db.EditSpec(R"({"passwordSecretName": "mine"})");
  db.Converge();
  EXPECT_EQ(State(db), "External");
  db.EditSpec(R"({"passwordSecretName": null})");
  db.Converge();
  EXPECT_EQ(State(db), "Existed");
  EXPECT_EQ(db.ConditionOf("CredentialsLost"), "");
}
}  // namespace
}  // namespace xebec::planner
