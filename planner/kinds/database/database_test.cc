// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/model/names.h"
#include "planner/kinds/database/init_script.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"

namespace xebec::planner {
namespace {

using ::testing::Contains;
using testing::DatabaseScene;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::OperationIds;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kSample = R"({"name": "name-of-database", "port": 5432, "storage-size": "50G",
                                    "image": "super-great-docker-image", "replicas": 3})";
constexpr const char* kSmall = R"({"image": "postgres:16"})";

// The original's controller only printed what it saw.
TEST(Database, NewOneGetsServiceConfigSecretAndStatefulSet) {
  DatabaseScene db(kSample);
  db.Reconcile();
  const Json* service = db.world.Get(db.Ref(ServiceType(), "db"));
  const Json* config = db.world.Get(db.Ref(ConfigMapType(), "db-config"));
  ASSERT_NE(service, nullptr);
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(FindString(*service, {"spec", "clusterIP"}), "None");
  EXPECT_EQ((*service)["spec"]["ports"][0]["port"], 5432);
  EXPECT_EQ(FindString(*config, {"data", "host"}), "db-0.db.default.svc");
  EXPECT_EQ(FindString(*config, {"data", "port"}), "5432");
  EXPECT_EQ(FindString(*config, {"data", "database"}), "name-of-database");
  EXPECT_NE(db.world.Get(db.Ref(SecretType(), "db-credentials")), nullptr);
  const Json set = db.Set();
  EXPECT_EQ(set["spec"]["replicas"], 3);
  EXPECT_EQ(FindString(set, {"spec", "serviceName"}), "db");
  const Json& claim = set["spec"]["volumeClaimTemplates"][0];
  EXPECT_EQ(FindString(claim, {"spec", "resources", "requests", "storage"}), "50G");
}

TEST(Database, ContainerGetsPortDatabaseAndPasswordInTheDefaultVariables) {
  DatabaseScene db(kSample);
  db.Reconcile();
  const Json container = db.Set()["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(FindString(container, {"image"}), "super-great-docker-image");
  EXPECT_EQ(container["env"], *ParseJson(R"([
    {"name": "PGPORT", "value": "5432"},
    {"name": "POSTGRES_DB", "value": "name-of-database"},
    {"name": "POSTGRES_PASSWORD",
     "valueFrom": {"secretKeyRef": {"name": "db-credentials", "key": "password"}}}])"));
  EXPECT_EQ(FindString(container["volumeMounts"][0], {"mountPath"}), "/var/lib/postgresql/data");
}

TEST(Database, VariablesMountPathAndEnvCanBeSet) {
  DatabaseScene db(R"({"image": "mysql", "port": 3306, "mountPath": "/var/lib/mysql",
      "portVariable": "MYSQL_TCP_PORT", "databaseVariable": "MYSQL_DATABASE",
      "passwordVariable": "MYSQL_ROOT_PASSWORD",
      "env": [{"name": "TZ", "value": "UTC"}, {"name": "MYSQL_DATABASE", "value": "mine"}]})");
  db.Reconcile();
  const Json container = db.Set()["spec"]["template"]["spec"]["containers"][0];
  std::vector<std::string> names;
  for (const Json& entry : container["env"]) names.push_back(FindString(entry, {"name"}));
  EXPECT_THAT(names, ElementsAre("MYSQL_TCP_PORT", "MYSQL_ROOT_PASSWORD", "TZ", "MYSQL_DATABASE"));
  EXPECT_EQ(FindString(container["volumeMounts"][0], {"mountPath"}), "/var/lib/mysql");
}

TEST(Database, ComesUpAndBecomesIdle) {
  DatabaseScene db(kSample);
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Creating");
  db.Roll(1);
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Initializing");
  db.RollAll();
  db.EndJob("Complete");
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Running");
  EXPECT_EQ(db.Status()["replicas"], 3);
  EXPECT_EQ(db.Status()["readyReplicas"], 3);
  EXPECT_EQ(db.Status()["endpoint"], "db-0.db.default.svc:5432");
  EXPECT_EQ(db.Status()["selector"], "xebec.dev/database=db");
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
  EXPECT_TRUE(WritesNothing(db.Ask()));
  EXPECT_FALSE(db.Ask().resync_after.has_value());
}

TEST(Database, EventsTellWhatWasMade) {
  DatabaseScene db(kSmall);
  db.Reconcile();
  EXPECT_THAT(db.world.events, Contains("Normal Created Created statefulset \"db\""));
}

TEST(Database, ScalesUpAndDown) {
  DatabaseScene db(kSample);
  db.BringUp();
  for (int64_t replicas : {5, 1, 0}) {
    db.EditSpec("{\"replicas\": " + std::to_string(replicas) + "}");
    db.Converge();
    EXPECT_EQ(db.Set()["spec"]["replicas"], replicas);
    EXPECT_THAT(db.world.events, Contains("Normal Scaled Scaled statefulset \"db\" to " +
                                          std::to_string(replicas) + " replicas"));
    db.RollAll();
    db.Converge();
    EXPECT_EQ(db.Status()["phase"], replicas == 0 ? "Stopped" : "Running");
  }
}

TEST(Database, ReplicaThatFailsShowsAsDegraded) {
  DatabaseScene db(kSample);
  db.BringUp();
  db.Roll(2);
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Degraded");
  EXPECT_EQ(db.ConditionOf("Ready"), "False ReplicasNotReady");
}

TEST(Database, ImageChangeRollsAndIsNotTakenForReadyBefore) {
  DatabaseScene db(kSample);
  db.BringUp();
  db.EditSpec(R"({"image": "better"})");
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Updating");
  EXPECT_EQ(db.ConditionOf("Ready"), "False ReplicasNotReady");
  db.RollAll();
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
}

TEST(Database, InvalidQuantitiesAndPortsAreRefusedWithAMessage) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"image": "a", "storage-size": "lots"})", "spec.storage-size"},
      {R"({"image": "a", "storage-size": "0"})", "spec.storage-size"},
      {R"({"image": "a", "storage-size": "-5G"})", "spec.storage-size"},
      {R"({"image": "a", "storage-size": 50})", "spec.storage-size"},
      {R"({"image": "a", "port": 0})", "spec.port"},
      {R"({"image": "a", "port": 65536})", "spec.port"},
      {R"({"image": "a", "port": "5432"})", "spec.port"},
      {R"({"image": "a", "replicas": -1})", "spec.replicas"},
      {R"({"image": "a", "mountPath": "data"})", "spec.mountPath"},
      {R"({"image": "a", "passwordVariable": "1 2"})", "spec.passwordVariable"},
      {R"({"image": "a", "portVariable": "A", "databaseVariable": "A"})", "spec.databaseVariable"},
      {R"({"image": "a", "passwordVariable": "PGPORT"})", "spec.passwordVariable"},
      {R"({"image": "a", "passwordVariable": "POSTGRES_DB"})", "spec.passwordVariable"},
      {R"({"image": " a"})", "spec.image"},
      {R"({"image": "a", "init": {"image": "b "}})", "spec.init is wrong: image"},
      {R"({"image": "a", "deletionPolicy": "Delete"})", "spec.deletionPolicy"},
      {R"({"image": "a", "init": {"command": "sh"}})", "spec.init is wrong: command"},
      {R"({})", "spec.image"},
  };
  for (const auto& [spec, field] : cases) {
    DatabaseScene db(spec);
    db.Converge();
    EXPECT_EQ(db.ConditionOf("Ready"), "False InvalidSpec") << spec;
    EXPECT_THAT(db.MessageOf("Ready"), HasSubstr(field));
    EXPECT_THAT(db.world.List("StatefulSet"), IsEmpty());
    EXPECT_THAT(db.world.List("Secret"), IsEmpty());
  }
}

TEST(Database, NamesThatCannotNameAServiceAreMadeToFit) {
  for (const std::string& name :
       {std::string("a.b"), std::string("9lives"), std::string(253, 'x')}) {
    DatabaseScene db(kSmall, name);
    db.BringUp();
    const std::string set = FindString(db.Set(), {"metadata", "name"});
    EXPECT_TRUE(IsDns1123Label(set)) << set;
    EXPECT_LE(set.size(), 52u);
    EXPECT_TRUE(set[0] >= 'a' && set[0] <= 'z') << set;
    EXPECT_LE(db.JobName().size(), 63u);
    EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
  }
}

TEST(Database, InvalidSpecShowsNoConditionOfAnotherSpec) {
  DatabaseScene db(R"({"image": "a", "storage-size": "50G"})");
  db.BringUp();
  for (const char* spec : {R"({"storage-size": "0"})", R"({"image": " a"})"}) {
    db.EditSpec(spec);
    db.Converge();
    EXPECT_EQ(db.ConditionOf("Ready"), "False InvalidSpec");
    EXPECT_EQ(db.ConditionOf("Progressing"), "False InvalidSpec");
    EXPECT_EQ(db.ConditionOf("StorageResized"), "");
    EXPECT_EQ(db.ConditionOf("Initialized"), "True InitSucceeded");
  }
}

TEST(Database, DeletionLeavesVolumesAndPassword) {
  DatabaseScene db(kSmall);
  db.BringUp();
  db.world.Delete(db.parent);
  EXPECT_THAT(db.world.List("StatefulSet"), IsEmpty());
  EXPECT_THAT(db.world.List("PersistentVolumeClaim"), SizeIs(1));
  EXPECT_THAT(db.world.List("Secret"), SizeIs(1));
}

TEST(Database, ForeignServiceOfThatNameIsReportedAndLeftAlone) {
  DatabaseScene db(kSmall);
  Json service = {{"metadata", {{"name", "db"}}}, {"spec", {{"clusterIP", "10.0.0.1"}}}};
  db.world.Put(ServiceType(), service);
  db.Converge();
  EXPECT_EQ(FindString(*db.world.Get(db.Ref(ServiceType(), "db")), {"spec", "clusterIP"}),
            "10.0.0.1");
  EXPECT_EQ(db.ConditionOf("Ready"), "False NameConflict");
}

TEST(Database, ScriptOnlyUsesWhatEveryShellHas) {
  EXPECT_THAT(std::string(kInitScript), StartsWith("#!/bin/sh\n"));
  EXPECT_THAT(std::string(kInitScript), Not(HasSubstr("[[")));
}

TEST(Database, MadeWithoutReplicasIsStoppedAndReady) {
  DatabaseScene db(R"({"image": "a", "replicas": 0})");
  db.Converge();
  db.RollAll();
  db.Converge();
  EXPECT_EQ(db.Status()["phase"], "Stopped");
  EXPECT_EQ(db.ConditionOf("Ready"), "True Stopped");
  EXPECT_EQ(db.ConditionOf("Progressing"), "False Complete");
  db.EditSpec(R"({"replicas": 1})");
  db.BringUp();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady") << "initialized with its first replica";
}

TEST(Database, StatefulSetIsFoundWithoutItsLabel) {
  const DatabaseScene db(kSmall);
  for (const ChildRule& rule : db.kind.description.children) {
    if (rule.type.kind != "StatefulSet") continue;
    EXPECT_EQ(rule.label_selector, "") << "taken for absent, it would be created with a new size";
  }
}

TEST(Database, PodFieldsArePassedOn) {
  DatabaseScene db(R"({"image": "a", "storageClassName": "fast", "nodeSelector": {"disk": "ssd"},
      "securityContext": {"fsGroup": 999}, "containerSecurityContext": {"runAsNonRoot": true},
      "affinity": {"nodeAffinity": {"a": 1}}, "tolerations": [{"key": "db", "operator": "Exists"}],
      "imagePullSecrets": [{"name": "pull"}]})");
  db.Converge();
  db.RollAll();
  db.Converge();
  const Json jobs = db.Job()["spec"]["template"]["spec"];
  const Json pods = db.Set()["spec"]["template"]["spec"];
  for (const Json& pod : {pods, jobs}) {
    EXPECT_EQ(pod["securityContext"]["fsGroup"], 999);
    EXPECT_EQ(pod["containers"][0]["securityContext"]["runAsNonRoot"], true);
    EXPECT_EQ(pod["affinity"]["nodeAffinity"]["a"], 1);
    EXPECT_EQ(pod["tolerations"][0]["key"], "db");
    EXPECT_EQ(pod["nodeSelector"]["disk"], "ssd");
    EXPECT_EQ(pod["imagePullSecrets"][0]["name"], "pull");
  }
  EXPECT_EQ(FindString(db.Set()["spec"]["volumeClaimTemplates"][0], {"spec", "storageClassName"}),
            "fast");
}

TEST(Database, ReadyShowsTheReasonOfItsPods) {
  DatabaseScene db(kSmall);
  db.Converge();
  db.Roll(0);
  db.PutPod("db-0", R"({"phase": "Pending", "containerStatuses": [{"name": "database",
      "image": "postgres:16", "state": {"waiting": {"reason": "ErrImagePull"}}}]})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False ErrImagePull");
  EXPECT_THAT(db.MessageOf("Ready"), HasSubstr("of Pod \"db-0\" cannot pull the image"));
  EXPECT_THAT(db.Ask().children,
              Not(Contains(::testing::Field(&ChildIntent::ref, db.Ref(PodType(), "db-0")))));
  EXPECT_FALSE(db.Ask().status->changed);
  db.PutPod("db-0", R"({"phase": "Running"})");
  db.RollAll();
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False InitRunning");
}

TEST(Database, ReadyNamesTheKeyThatTheSecretOfAUserLacks) {
  DatabaseScene db(R"({"image": "a", "passwordSecretName": "mine"})");
  db.Converge();
  db.Roll(0);
  db.PutPod("db-0", R"({"phase": "Pending", "containerStatuses": [{"name": "database",
      "state": {"waiting": {"reason": "CreateContainerConfigError",
                            "message": "couldn't find key password in Secret default/mine"}}}]})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False CreateContainerConfigError");
  EXPECT_THAT(db.MessageOf("Ready"),
              HasSubstr("couldn't find key password in Secret default/mine"));
}

TEST(Database, PodsThatAreNotCreatedAreReportedAfterAWhile) {
  DatabaseScene db(kSmall);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False ReplicasNotReady");
  ASSERT_TRUE(db.Ask().resync_after.has_value());
  db.world.now += absl::Seconds(15);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False PodsNotCreated");
  EXPECT_THAT(db.MessageOf("Ready"), HasSubstr("quota"));
  EXPECT_FALSE(db.Ask().status->changed);
  db.Roll(0);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False ReplicasNotReady");
}

class DatabaseWithoutPods : public ::testing::Test {
 protected:
  DatabaseWithoutPods() { db_.Converge(); }
  void FailToCreate(const Json& object, std::string_view message, std::string_view time) {
    db_.world.warnings.push_back({{"involvedObject", {{"uid", object["metadata"]["uid"]}}},
                                  {"reason", "FailedCreate"},
                                  {"message", message},
                                  {"lastTimestamp", time}});
  }
  std::string ReadyAfter(absl::Duration time) {
    db_.world.now += time;
    db_.Converge();
    return db_.ConditionOf("Ready");
  }

  DatabaseScene db_{kSmall};
};

TEST_F(DatabaseWithoutPods, ReadyShowsTheNewestEventOfTheStatefulSet) {
  FailToCreate(db_.Set(), "create Pod db-0 failed: exceeded quota: tight", "2026-01-01T00:00:02Z");
  FailToCreate(db_.Set(), "violates PodSecurity \"baseline\"", "2026-01-01T00:00:01Z");
  FailToCreate(*db_.world.Get(db_.parent), "of another object", "2026-01-01T00:00:03Z");
  EXPECT_EQ(ReadyAfter(absl::Seconds(15)), "False QuotaExceeded");
  EXPECT_EQ(db_.MessageOf("Ready"),
            "0 of 1 replicas are ready: create Pod db-0 failed: exceeded quota: tight");
  EXPECT_FALSE(db_.Ask().status->changed);
  EXPECT_EQ(db_.Ask().resync_after, absl::Minutes(1)) << "an Event causes no plan";

  FailToCreate(db_.Set(), "violates PodSecurity \"restricted\"", "2026-01-01T00:00:20Z");
  EXPECT_EQ(ReadyAfter(absl::Minutes(1)), "False PodSecurityViolation");
}

// A Pod that is too large for the quota: the old one was deleted, the new one is refused.
TEST_F(DatabaseWithoutPods, AnEventExplainsAPodThatARollingUpdateDoesNotReplace) {
  db_.world.Edit(db_.Ref(StatefulSetType(), "db"), [](Json& set) {
    set["status"]["currentRevision"] = "db-1";
    set["status"]["updateRevision"] = "db-2";
  });
  FailToCreate(db_.Set(), "exceeded quota: an earlier one", "2020-01-01T00:00:00Z");
  EXPECT_EQ(ReadyAfter(absl::Seconds(15)), "False ReplicasNotReady");
  EXPECT_EQ(db_.Ask().resync_after, absl::Minutes(1));
  FailToCreate(db_.Set(), "create Pod db-0 failed: exceeded quota: tight",
               absl::FormatTime(absl::RFC3339_sec, db_.world.now, absl::UTCTimeZone()));
  EXPECT_EQ(ReadyAfter(absl::Minutes(1)), "False QuotaExceeded");
}

TEST_F(DatabaseWithoutPods, ReadyShowsTheMessageOfAnUnknownFailure) {
  FailToCreate(db_.Set(), "admission webhook \"x\" denied the request", "");
  EXPECT_EQ(ReadyAfter(absl::Seconds(15)), "False PodsNotCreated");
  EXPECT_THAT(db_.MessageOf("Ready"), HasSubstr("admission webhook \"x\" denied the request"));
}

TEST_F(DatabaseWithoutPods, NoEventIsReadWhileTheStartIsNormalOrOnceThePodsExist) {
  const auto asks = [&] {
    const Observation seen = db_.world.Observe(db_.parent, db_.kind.description);
    KindRegistry registry;
    registry.Register(db_.kind);
    return MakePlan(seen, registry).event_reads;
  };
  EXPECT_THAT(asks(), IsEmpty());
  db_.world.now += absl::Seconds(15);
  EXPECT_THAT(asks(), ElementsAre(db_.Ref(StatefulSetType(), "db")));
  db_.BringUp();
  EXPECT_THAT(asks(), IsEmpty());
}
}  // namespace
}  // namespace xebec::planner
