// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/data_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/kinds/database/init_run.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"

namespace xebec::planner {
namespace {

using ::testing::Contains;
using testing::DatabaseScene;
using ::testing::HasSubstr;

constexpr const char* kSmall = R"({"image": "postgres:16"})";

struct Up : DatabaseScene {
  Up() : DatabaseScene(kSmall) { BringUp(); }

  // The volume of replica 0 is lost; the StatefulSet controller makes another one.
  void LoseVolume() {
    world.Finish(Ref(ClaimType(), "data-db-0"));
    RollAll();
    Converge();
  }
  std::string ClaimUid() const { return FindString(Claim(0), {"metadata", "uid"}); }
};

TEST(DatabaseData, MountPathCannotChange) {
  Up db;
  const Json before = db.Set();
  db.EditSpec(R"({"mountPath": "/elsewhere"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False InvalidSpec");
  EXPECT_THAT(db.MessageOf("Ready"), HasSubstr("set it back to \"/var/lib/postgresql/data\""));
  EXPECT_EQ(db.Set(), before);
  db.EditSpec(R"({"mountPath": null})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
}

TEST(DatabaseData, NameOfTheDatabaseCannotChange) {
  Up db;
  db.EditSpec(R"({"name": "other"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False InvalidSpec");
  EXPECT_EQ(FindString(*db.world.Get(db.Ref(ConfigMapType(), "db-config")), {"data", "database"}),
            "db");
  db.EditSpec(R"({"name": "db"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady") << "the default, in words";
}

TEST(DatabaseData, MountPathCannotChangeWithoutARecordEither) {
  Up db;
  db.world.Edit(db.parent, [](Json& object) { object["status"].erase("data"); });
  db.EditSpec(R"({"mountPath": "/elsewhere"})");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False InvalidSpec");
}

TEST(DatabaseData, ChangedMountPathOfTheStatefulSetIsDriftAndRestored) {
  Up db;
  db.world.Edit(db.Ref(StatefulSetType(), "db"), [](Json& set) {
    set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"][0]["mountPath"] = "/x";
  });
  db.Converge();
  EXPECT_THAT(DumpJson(db.Set()["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]),
              HasSubstr("/var/lib/postgresql/data"));
}

TEST(DatabaseData, ReplacedClaimIsReportedAsLostData) {
  Up db;
  EXPECT_EQ(FindString(db.Status(), {"data", "claimUID"}), db.ClaimUid());
  db.LoseVolume();
  EXPECT_EQ(db.ConditionOf("DataLost"), "True DataLost");
  EXPECT_EQ(db.ConditionOf("Ready"), "False DataLost");
  EXPECT_THAT(db.world.events, Contains(HasSubstr("Warning DataLost")));
  EXPECT_TRUE(WritesNothing(db.Ask()));
}

TEST(DatabaseData, LossEndsWhenTheNewClaimIsAccepted) {
  Up db;
  db.LoseVolume();
  db.Annotate(kAcceptDataAnnotation, "another uid");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "False DataLost");
  db.Annotate(kAcceptDataAnnotation, db.ClaimUid());
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
  EXPECT_EQ(db.ConditionOf("DataLost"), "");
}

TEST(DatabaseData, EmptyVolumeCanBeInitializedAgain) {
  Up db;
  db.LoseVolume();
  const std::string first = FindString(db.Job(), {"metadata", "uid"});
  db.Annotate(kAcceptDataAnnotation, db.ClaimUid());
  db.Annotate(kInitAgainAnnotation, first);
  db.Converge();
  EXPECT_NE(FindString(db.Job(), {"metadata", "uid"}), first);
  EXPECT_EQ(db.ConditionOf("Initialized"), "False InitRunning");
  db.EndJob("Complete");
  db.Converge();
  EXPECT_EQ(db.ConditionOf("Ready"), "True DatabaseReady");
}

TEST(DatabaseData, ClaimThatIsMissingIsNotLost) {
  Up db;
  db.world.Finish(db.Ref(ClaimType(), "data-db-0"));
  db.Converge();
  EXPECT_EQ(db.ConditionOf("DataLost"), "") << "it may have lost its label only";
}

}  // namespace
}  // namespace xebec::planner
