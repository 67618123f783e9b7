// SPDX-License-Identifier: Apache-2.0
#include "planner/core/make_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KindRegistry Kinds() {
  KindRegistry registry;
  registry.Register(testing::ScriptedKind());
  return registry;
}

Plan PlanOf(std::string parent) {
  Observation observation;
  observation.parent = MakeObjectBytes(std::move(parent));
  return MakePlan(observation, Kinds());
}

constexpr const char* kManifest = R"({"apiVersion": "test.example/v1", "kind": "Scripted",
    "metadata": {"name": "p"},
    "spec": {"children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}}]}})";

TEST(MakePlan, ManifestByHandIsPlannedWithANoteOfWhatIsMissing) {
  const Plan plan = PlanOf(kManifest);
  EXPECT_EQ(plan.verdict, Verdict::kOk);
  const Json child = testing::AppliedObject(plan, "apply configmaps default/a");
  EXPECT_EQ(child["metadata"]["namespace"], "default");
  EXPECT_FALSE(child["metadata"]["ownerReferences"][0].contains("uid"));
  ASSERT_EQ(plan.notes.size(), 2u);
  EXPECT_THAT(plan.notes[0], HasSubstr("no metadata.namespace"));
  for (const char* missing :
       {"envelope", "metadata.uid", "metadata.resourceVersion", "now", "ConfigMap"}) {
    EXPECT_THAT(plan.notes[1], HasSubstr(missing));
  }
  EXPECT_FALSE(plan.complete);
  const Json status = testing::StatusOf(plan);
  EXPECT_FALSE(status.contains("observedGeneration"));
  EXPECT_FALSE(status["conditions"][0].contains("lastTransitionTime"));
}

TEST(MakePlan, WholeObservationNeedsNoNote) {
  testing::Scene scene(testing::ScriptedKind(), {{"metadata", {{"name", "p"}}}});
  EXPECT_THAT(scene.Ask().notes, IsEmpty());
}

TEST(MakePlan, EnvelopeAndRevisionAreEchoed) {
  testing::Scene scene(testing::ScriptedKind(), {{"metadata", {{"name", "p"}}}});
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.envelope.sequence = 17;
  observation.envelope.reconcile_id = "abc";
  observation.envelope.planner_revision = "r2";
  const Plan plan = MakePlan(observation, Kinds());
  EXPECT_EQ(plan.envelope, observation.envelope);
  EXPECT_EQ(plan.planner_revision, "r2");
}

TEST(MakePlan, UnknownKindNamesTheKnownOnes) {
  const Plan plan =
      PlanOf(R"({"apiVersion": "x.example/v1", "kind": "Other", "metadata": {"name": "p"}})");
  EXPECT_EQ(plan.verdict, Verdict::kInvalid);
  EXPECT_THAT(plan.notes,
              ElementsAre("no controller for Other in group \"x.example\"; this planner "
                          "knows: Scripted (test.example)"));
  EXPECT_TRUE(WritesNothing(plan));
}

TEST(MakePlan, MalformedParentIsANote) {
  for (const char* bad : {"", "{", "null", "[]", "5", "\"x\"", "{\"apiVersion\": {}}"}) {
    const Plan plan = PlanOf(bad);
    EXPECT_EQ(plan.verdict, Verdict::kInvalid) << bad;
    EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("parent"))) << bad;
    EXPECT_TRUE(WritesNothing(plan)) << bad;
  }
  EXPECT_EQ(MakePlan(Observation{}, Kinds()).verdict, Verdict::kInvalid);
}

TEST(MakePlan, UnreadableChildStopsEverything) {
  testing::Scene scene(testing::ScriptedKind(), *ParseJson(kManifest));
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.children[0].objects.push_back(MakeObjectBytes("{"));
  const Plan plan = MakePlan(observation, Kinds());
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("children[0].objects[0]")));
}

TEST(MakePlan, KindThatFailsIsANoteAndNothingIsWritten) {
  const Plan plan = PlanOf(R"({"apiVersion": "test.example/v1", "kind": "Scripted",
      "metadata": {"name": "p"}, "spec": {"throws": true}})");
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_THAT(plan.notes.back(), HasSubstr("scripted cannot plan this parent"));
  EXPECT_TRUE(WritesNothing(plan));
}

class MakePlanWithEventReads : public ::testing::Test {
 protected:
  MakePlanWithEventReads() { seen_ = scene_.world.Observe(scene_.parent, scene_.kind.description); }
  Plan Ask() const { return MakePlan(seen_, Kinds()); }

  testing::Scene scene_{testing::ScriptedKind(), *ParseJson(R"({"metadata": {"name": "p"}, "spec": {
                            "eventReads": ["a"], "status": {"phase": "Up"}}})")};
  Observation seen_;
};

TEST_F(MakePlanWithEventReads, NothingIsWrittenUntilTheEventsAreRead) {
  ASSERT_EQ(Ask().event_reads.size(), 1u);
  EXPECT_EQ(Ask().event_reads[0].name, "a");
  EXPECT_TRUE(WritesNothing(Ask()));
  seen_.events.emplace();
  EXPECT_THAT(Ask().event_reads, IsEmpty());
  EXPECT_FALSE(WritesNothing(Ask()));
}

TEST_F(MakePlanWithEventReads, AWatcherWithoutThisFeatureGetsAPlan) {
  seen_.capabilities.event_reads = false;
  EXPECT_THAT(Ask().event_reads, IsEmpty());
  EXPECT_FALSE(WritesNothing(Ask()));
}

TEST_F(MakePlanWithEventReads, ARequestByHandGetsAPlan) {
  seen_.envelope = {};
  EXPECT_THAT(Ask().event_reads, IsEmpty());
  EXPECT_FALSE(WritesNothing(Ask()));
}

TEST(MakePlan, ContradictionsAreNotPlanned) {
  testing::Scene scene(testing::ScriptedKindWithFinalizer(), *ParseJson(kManifest));
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.phase = Phase::kFinalize;
  EXPECT_EQ(MakePlan(observation, Kinds()).verdict, Verdict::kRetry);
  EXPECT_TRUE(WritesNothing(MakePlan(observation, Kinds())));
  observation.phase = Phase::kSync;
  observation.envelope.parent.uid = "another";
  EXPECT_THAT(MakePlan(observation, Kinds()).notes, ElementsAre(HasSubstr("another")));
}

TEST(MakePlan, ParentThatIsBeingDeletedIsFinalizedWhateverThePhaseSays) {
  testing::Scene scene(testing::ScriptedKind(), *ParseJson(kManifest));
  scene.world.Edit(scene.parent, [](Json& parent) {
    parent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  });
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.phase = Phase::kSync;
  EXPECT_TRUE(WritesNothing(MakePlan(observation, Kinds())));
}

TEST(MakePlan, HostileSpecsNeverCrash) {
  for (
      const char* spec :
      {"null", "5", "[]", R"({"children": [5, null, {}, {"kind": 3}, {"object": []}]})",
       R"({"children": [{"kind": "ConfigMap", "object": {"metadata": []}}]})",
       R"({"children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a", "annotations": 5}}}]})",
       R"({"status": []})", R"({"status": "x", "conditions": [{}]})", R"({"secrets": [{}]})"}) {
    testing::Scene scene(testing::ScriptedKind(),
                         {{"metadata", {{"name", "p"}}}, {"spec", *ParseJson(spec)}});
    const Plan plan = scene.Ask();
    EXPECT_EQ(plan, scene.Ask()) << spec;
  }
}

TEST(MakePlan, HostileStatusNeverCrashes) {
  for (const char* status : {"5", "[]", R"({"conditions": 5, "observedGeneration": "x"})",
                             R"({"conditions": [[], {"type": 5}]})"}) {
    testing::Scene scene(testing::ScriptedKind(), *ParseJson(kManifest));
    scene.world.Edit(scene.parent, [&](Json& parent) { parent["status"] = *ParseJson(status); });
    EXPECT_TRUE(scene.Ask().status->changed) << status;
  }
}

}  // namespace
}  // namespace xebec::planner
