// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/init_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/core/make_plan.h"
#include "planner/kinds/built_in.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"

namespace xebec::planner {
namespace {

using testing::DatabaseScene;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSmall = R"({"image": "postgres:16", "replicas": 2})";

struct Running : DatabaseScene {
  explicit Running(std::string_view spec = kSmall) : DatabaseScene(spec) {
    Converge();
    RollAll();
    Converge();
  }
  std::string State() const { return FindString(Status(), {"init", "state"}); }
};

TEST(DatabaseInit, RunsAfterTheFirstReplicaIsReady) {
  DatabaseScene db(kSmall);
  db.Converge();
  db.Roll(0);
  db.Converge();
  EXPECT_EQ(db.JobName(), "");
  EXPECT_EQ(db.ConditionOf("Initialized"), "False WaitingForReplica");
  db.Roll(1);
  db.Converge();
  EXPECT_NE(db.JobName(), "");
  EXPECT_EQ(db.ConditionOf("Initialized"), "False InitRunning");
}

TEST(DatabaseInit, JobConnectsWithTheDatabasesDetailsAndTheDefaultScript) {
  Running db;
  const Json container = db.Job()["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(FindString(container, {"image"}), "postgres:16");
  EXPECT_EQ(container["command"], Json::array({"sh", "/xebec/init.sh"}));
  EXPECT_EQ(FindString(container["env"][0], {"value"}), "db-0.db.default.svc");
  EXPECT_FALSE(db.Job()["spec"]["template"]["metadata"]["labels"].contains("xebec.dev/database"))
      << "the Service must not send clients to it";
}

TEST(DatabaseInit, ImageAndCommandCanBeSet) {
  Running db(R"({"image": "a", "init": {"image": "tool", "command": ["run", "it"]}})");
  const Json container = db.Job()["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(FindString(container, {"image"}), "tool");
  EXPECT_EQ(container["command"], Json::array({"run", "it"}));
}

TEST(DatabaseInit, SuccessIsRecordedWithTheJobsUidWhenAnythingDependsOnIt) {
  Running db;
  EXPECT_EQ(db.ConditionOf("Ready"), "False InitRunning");
  db.EndJob("Complete");
  db.Reconcile();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
  EXPECT_EQ(db.State(), "Succeeded");
  EXPECT_EQ(FindString(db.Status(), {"init", "jobUID"}), FindString(db.Job(), {"metadata", "uid"}));
}

TEST(DatabaseInit, RemovedJobScalingAndImageChangesNeverRunItAgain) {
  Running db;
  db.EndJob("Complete");
  db.Converge();
  db.RemoveJob();
  for (const char* change : {R"({"replicas": 5})", R"({"image": "b"})", R"({"replicas": 0})",
                             R"({"replicas": 1})", R"({"init": {"command": ["again"]}})"}) {
    db.EditSpec(change);
    db.Converge();
    db.RollAll();
    db.Converge();
    EXPECT_EQ(db.JobName(), "") << change;
  }
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
}

TEST(DatabaseInit, UnfinishedJobOfAnotherSpecIsReplaced) {
  for (const char* change : {R"({"init": {"image": "right"}})", R"({"port": 5433})",
                             R"({"init": {"command": ["other"]}})"}) {
    for (const char* end : {"", "Failed"}) {
      Running db(R"({"image": "a", "init": {"image": "wrong"}})");
      const std::string uid = FindString(db.Job(), {"metadata", "uid"});
      if (*end != '\0') db.EndJob(end);
      db.Converge();
      db.EditSpec(change);
      db.Converge();
      EXPECT_NE(FindString(db.Job(), {"metadata", "uid"}), uid) << change << end;
      EXPECT_EQ(db.ConditionOf("Initialized"), "False InitRunning");
      db.RollAll();
      db.EndJob("Complete");
      db.Converge();
      EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
    }
  }
}

TEST(DatabaseInit, FailedJobThatIsDeletedWhileNoReplicaIsReadyRunsLater) {
  Running db;
  db.EndJob("Failed");
  db.Converge();
  db.Roll(0);
  db.Converge();
  db.RemoveJob();
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Initialized"), "False WaitingForReplica");
  db.RollAll();
  db.Converge();
  EXPECT_NE(db.JobName(), "");
}

TEST(DatabaseInit, ReplacementIsRecordedBeforeTheJobIsDeleted) {
  Running db;
  db.EditSpec(R"({"init": {"image": "right"}})");
  const Plan first = db.Reconcile();
  EXPECT_NE(db.JobName(), "") << "still there";
  EXPECT_EQ(db.State(), "Replacing");
  EXPECT_TRUE(first.resync_after.has_value());
  db.world.linger = true;
  db.Reconcile();
  db.Converge();
  EXPECT_EQ(db.State(), "Replacing");
  db.world.linger = false;
  db.RemoveJob();
  db.Converge();
  EXPECT_EQ(db.State(), "Running");
}

TEST(DatabaseInit, JobThatSucceedsWhileItIsToBeReplacedCounts) {
  Running db;
  db.EditSpec(R"({"init": {"image": "right"}})");
  db.Reconcile();
  db.EndJob("Complete");
  db.Converge();
  EXPECT_EQ(db.State(), "Succeeded");
}

TEST(DatabaseInit, DeletionOfAReplacedJobCarriesItsVersion) {
  Running db;
  db.EditSpec(R"({"init": {"image": "right"}})");
  db.Reconcile();
  for (const Stage& stage : db.Ask().stages) {
    for (const Operation& operation : stage.operations) {
      if (!std::holds_alternative<Delete>(operation.action)) continue;
      EXPECT_EQ(operation.precondition.resource_version,
                FindString(db.Job(), {"metadata", "resourceVersion"}));
      EXPECT_EQ(std::get<Delete>(operation.action).propagation, Propagation::kForeground);
      return;
    }
  }
  FAIL() << "no deletion";
}

TEST(DatabaseInit, JobHasADeadlineAndResources) {
  Running db(R"({"image": "a", "resources": {"limits": {"cpu": "1"}}})");
  EXPECT_EQ(db.Job()["spec"]["activeDeadlineSeconds"], 3600);
  EXPECT_EQ(db.Job()["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"],
            "1");
  Running own(R"({"image": "a", "resources": {"limits": {"cpu": "1"}},
                  "init": {"resources": {"limits": {"cpu": "2"}}, "deadlineSeconds": 60}})");
  EXPECT_EQ(own.Job()["spec"]["activeDeadlineSeconds"], 60);
  EXPECT_EQ(own.Job()["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"],
            "2");
}

TEST(DatabaseInit, ShowsTheReasonOfItsPod) {
  Running db;
  db.PutPod("init", R"({"phase": "Pending", "containerStatuses": [{"name": "init", "image": "x",
      "state": {"waiting": {"reason": "ImagePullBackOff"}}}]})",
            db.Job());
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Initialized"), "False ImagePullBackOff");
  EXPECT_EQ(db.ConditionOf("Ready"), "False ImagePullBackOff");
}

TEST(DatabaseInit, JobWithoutPodsIsReportedAfterAWhile) {
  Running db;
  db.world.now += absl::Seconds(15);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Initialized"), "False PodsNotCreated");
}

TEST(DatabaseInit, JobWhosePodIsRefusedShowsTheReason) {
  Running db;
  db.world.warnings.push_back({{"involvedObject", {{"uid", db.Job()["metadata"]["uid"]}}},
                               {"reason", "FailedCreate"},
                               {"message", "exceeded quota: tight"}});
  db.world.now += absl::Seconds(15);
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Initialized"), "False QuotaExceeded");
  EXPECT_THAT(db.MessageOf("Initialized"), HasSubstr("exceeded quota: tight"));
  EXPECT_EQ(db.ConditionOf("Ready"), "False QuotaExceeded");
}

TEST(DatabaseInit, CrashBetweenSuccessAndItsRecordIsHealedFromTheJob) {
  Running db;
  db.EndJob("Complete");
  Plan plan = db.Ask();
  plan.status.reset();
  db.world.Carry(plan);
  db.Converge();
  EXPECT_EQ(db.State(), "Succeeded");
}

TEST(DatabaseInit, JobGoneWithNothingRecordedIsUnknownAndNotRunAgain) {
  Running db;
  const std::string uid = FindString(db.Job(), {"metadata", "uid"});
  db.RemoveJob();
  db.Converge();
  EXPECT_EQ(db.JobName(), "");
  EXPECT_EQ(db.ConditionOf("InitUnknown"), "True InitUnknown");
  EXPECT_EQ(db.ConditionOf("Ready"), "False InitUnknown");
  EXPECT_THAT(db.MessageOf("InitUnknown"), HasSubstr(uid));
  EXPECT_THAT(db.MessageOf("InitUnknown"), HasSubstr("spec.init.skip"));
  EXPECT_TRUE(WritesNothing(db.Ask()));
}

TEST(DatabaseInit, JobRemovedBeforeAnybodySawItIsUnknownToo) {
  DatabaseScene db(kSmall);
  db.Converge();
  db.RollAll();
  db.Reconcile();
  ASSERT_NE(db.JobName(), "");
  db.RemoveJob();
  db.Converge();
  EXPECT_EQ(db.JobName(), "");
  EXPECT_EQ(db.ConditionOf("InitUnknown"), "True InitUnknown");
}

TEST(DatabaseInit, UnknownEndsBySkippingOrByAskingAgain) {
  Running skipped;
  skipped.RemoveJob();
  skipped.Converge();
  skipped.EditSpec(R"({"init": {"skip": true}})");
  skipped.Converge();
  EXPECT_EQ(skipped.ConditionOf("InitUnknown"), "");
  EXPECT_EQ(skipped.ConditionOf("Ready"), "True DatabaseReady");

  Running again;
  const std::string uid = FindString(again.Job(), {"metadata", "uid"});
  again.RemoveJob();
  again.Converge();
  again.Annotate(kInitAgainAnnotation, uid);
  again.Converge();
  EXPECT_NE(again.JobName(), "");
  again.RemoveJob();
  again.Converge();
  EXPECT_EQ(again.JobName(), "") << "once for each time of asking";
}

TEST(DatabaseInit, FailureIsTold) {
  Running db;
  db.EndJob("Failed");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False InitFailed");
  EXPECT_THAT(db.MessageOf("Ready"), HasSubstr("as the test says"));
  EXPECT_TRUE(WritesNothing(db.Ask()));
}

TEST(DatabaseInit, FailedJobRunsAgainWhenItIsDeleted) {
  Running db;
  db.EndJob("Failed");
  db.Converge();
  const std::string uid = FindString(db.Job(), {"metadata", "uid"});
  db.RemoveJob();
  db.Converge();
  ASSERT_NE(db.JobName(), "");
  EXPECT_NE(FindString(db.Job(), {"metadata", "uid"}), uid);
}

TEST(DatabaseInit, SkipRunsNone) {
  Running db(R"({"image": "a", "init": {"skip": true}})");
  EXPECT_EQ(db.JobName(), "");
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
}

TEST(DatabaseInit, DatabaseMadeAgainRunsItsOwn) {
  Running db;
  db.EndJob("Complete");
  db.Converge();
  const std::string name = db.JobName();
  db.world.Delete(db.parent);
  EXPECT_EQ(db.JobName(), "");
  Json again;
  again["metadata"]["name"] = "db";
  again["spec"] = *ParseJson(kSmall);
  db.world.Put(db.kind.description.parent, again);
  db.Converge();
  db.RollAll();
  db.Converge();
  EXPECT_NE(db.JobName(), "");
  EXPECT_NE(db.JobName(), name) << "the old one may still be going";
}

}  // namespace
}  // namespace xebec::planner
