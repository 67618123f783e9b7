// SPDX-License-Identifier: Apache-2.0
#include "planner/core/conditions.h"

#include <gtest/gtest.h>

#include "planner/core/status.h"

namespace xebec::planner {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1767225600);

TEST(Conditions, TimeStaysWhileTheStatusIsTheSame) {
  const ShownCondition shown{{"Ready", "False", "Old", ""}, "2020-01-01T00:00:00Z", 1};
  const Json same = RenderCondition({"Ready", "False", "New", "m"}, 2, &shown, kNow);
  EXPECT_EQ(same["lastTransitionTime"], "2020-01-01T00:00:00Z");
  EXPECT_EQ(same["reason"], "New");
  EXPECT_EQ(same["observedGeneration"], 2);
  const Json flipped = RenderCondition({"Ready", "True", "New", "m"}, 2, &shown, kNow);
  EXPECT_EQ(flipped["lastTransitionTime"], "2026-01-01T00:00:00Z");
}

TEST(Conditions, WithoutATimeAndGenerationNoneIsWritten) {
  const Json json = RenderCondition({"Ready", "True", "", ""}, 0, nullptr, absl::InfinitePast());
  EXPECT_EQ(DumpJson(json), R"({"message":"","reason":"Unknown","status":"True","type":"Ready"})");
}

TEST(Conditions, LongMessagesAreCut) {
  const Json json =
      RenderCondition({"Ready", "True", "R", std::string(5000, 'x')}, 0, nullptr, kNow);
  EXPECT_LE(json["message"].get<std::string>().size(), kMaxConditionMessage);
}

TEST(Conditions, MalformedEntriesAreLeftOut) {
  const Json parent = *ParseJson(R"({"status": {"conditions":
      [5, {"status": "True"}, {"type": "A", "status": 3}, {"type": "A", "status": "True"}]}})");
  const auto shown = ReadConditions(parent);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].condition.status, "");
  EXPECT_TRUE(ReadConditions(*ParseJson(R"({"status": {"conditions": {}}})")).empty());
  EXPECT_TRUE(ReadConditions(*ParseJson(R"({"status": 5})")).empty());
}

TEST(Status, ReconcilingStandsWhileReadyIsNotTrue) {
  StatusDraft draft;
  draft.conditions = {{"Ready", "False", "Deploying", "0 of 1"}};
  AddKstatus(&draft);
  EXPECT_EQ(FindCondition(&draft.conditions, "Reconciling")->status, "True");
  EXPECT_EQ(FindCondition(&draft.conditions, "Stalled")->status, "");
}

TEST(Status, NeitherReconcilingNorStalledStandsWhenReady) {
  StatusDraft draft;
  draft.conditions = {{"Ready", "True", "Done", ""}};
  AddKstatus(&draft);
  EXPECT_EQ(FindCondition(&draft.conditions, "Reconciling")->status, "");
  EXPECT_EQ(FindCondition(&draft.conditions, "Stalled")->status, "");
}

TEST(Status, StalledExcludesReconciling) {
  StatusDraft draft;
  draft.conditions = {{"Stalled", "True", "No", ""}, {"Ready", "False", "No", ""}};
  AddKstatus(&draft);
  EXPECT_EQ(FindCondition(&draft.conditions, "Reconciling")->status, "");
  EXPECT_EQ(draft.conditions.front().type, "Ready");
  EXPECT_EQ(draft.conditions.back().type, "Stalled");
}

TEST(Status, KindWithoutReadinessShowsUnknown) {
  StatusDraft draft;
  AddKstatus(&draft);
  EXPECT_EQ(draft.conditions.front().status, "Unknown");
}

Parent WithStatus(std::string_view status) {
  Parent parent;
  parent.name = "a";
  parent.object = {{"status", *ParseJson(status)}};
  return parent;
}

TEST(Status, EqualStatusIsNoChange) {
  StatusDraft draft;
  draft.fields = {{"count", 3}};
  draft.generation = 2;
  draft.conditions = {{"Ready", "True", "R", "m"}};
  const Parent parent = WithStatus(R"({"count": 3, "observedGeneration": 2, "foreign": {"x": 1},
      "conditions": [{"type": "Ready", "status": "True", "reason": "R", "message": "m",
                      "observedGeneration": 2, "lastTransitionTime": "2020-01-01T00:00:00Z"},
                     {"type": "Foreign", "status": "True"}]})");
  EXPECT_FALSE(MakeStatus(parent, kNow, draft).changed);
}

TEST(Status, EveryDifferenceInOurFieldsIsAChange) {
  StatusDraft draft;
  draft.fields = {{"count", 3}, {"gone", nullptr}};
  draft.conditions = {{"Ready", "True", "R", "m"}, {"Stalled", "", "", ""}};
  const std::string ready = R"({"type": "Ready", "status": "True", "reason": "R", "message": "m"})";
  const auto changed = [&](const std::string& rest, const std::string& conditions) {
    return MakeStatus(WithStatus("{" + rest + "\"conditions\": [" + conditions + "]}"), kNow, draft)
        .changed;
  };
  EXPECT_FALSE(changed("\"count\": 3,", ready));
  EXPECT_TRUE(changed("\"count\": 4,", ready));
  EXPECT_TRUE(changed("", ready));
  EXPECT_TRUE(changed("\"count\": 3, \"gone\": 1,", ready));
  EXPECT_TRUE(changed("\"count\": 3, \"observedGeneration\": 1,", ready));
  EXPECT_TRUE(changed("\"count\": 3,", ""));
  EXPECT_TRUE(changed("\"count\": 3,", ready + R"(, {"type": "Stalled", "status": "True"})"));
  EXPECT_TRUE(changed("\"count\": 3,",
                      R"({"type": "Ready", "status": "True", "reason": "R", "message": "other"})"));
}

TEST(Status, OnlyOurFieldsAreListed) {
  StatusDraft draft;
  draft.fields = {{"count", 3}, {"gone", nullptr}};
  draft.conditions = {{"Ready", "True", "R", "m"}, {"Stalled", "", "", ""}};
  const StatusIntent intent = MakeStatus(
      WithStatus(R"({"foreign": 1, "conditions": [{"type": "Foreign", "status": "True"}]})"), kNow,
      draft);
  const Json status = (*ParseJson(*intent.object))["status"];
  EXPECT_EQ(status.size(), 2u);
  EXPECT_EQ(status["conditions"].size(), 1u);
  EXPECT_FALSE(status.contains("gone"));
}

Json AmendmentsOf(const StatusDraft& draft, const std::string& status) {
  const StatusIntent intent = MakeStatus(WithStatus(status), kNow, draft);
  return intent.amendments ? *ParseJson(*intent.amendments) : Json();
}

TEST(Status, OrdinaryStatusHasNoAmendments) {
  StatusDraft draft;
  draft.fields = {{"count", 3}, {"gone", nullptr}, {"map", {{"a", 1}}}};
  draft.conditions = {{"Ready", "True", "R", "m"}, {"Stalled", "", "", ""}};
  EXPECT_TRUE(AmendmentsOf(draft, "{}").is_null());
  EXPECT_TRUE(AmendmentsOf(draft, R"({"count": 1, "foreign": 1, "map": {"a": 2}, "conditions": [
      {"type": "Stalled", "status": "True"}, {"type": "Applied", "status": "True"}]})")
                  .is_null());
}

TEST(Status, MembersThatDisappearAreNullInTheAmendments) {
  StatusDraft draft;
  draft.fields = {{"gone", nullptr}, {"map", {{"a", 1}, {"b", {{"c", 1}}}}}};
  EXPECT_EQ(AmendmentsOf(draft, R"({"gone": 1, "observedGeneration": 4,
                "map": {"a": 1, "x": 1, "b": {"c": 2, "d": 1}}})"),
            *ParseJson(R"({"gone": null, "observedGeneration": null,
                           "map": {"x": null, "b": {"d": null}}})"));
}

TEST(Status, ConditionsOfOtherWritersAreInTheAmendments) {
  StatusDraft draft;
  draft.conditions = {{"Ready", "True", "R", "m"}};
  const Json foreign = {{"type", "Foreign"}, {"status", "True"}, {"lastProbeTime", "x"}};
  EXPECT_EQ(AmendmentsOf(draft, R"({"conditions": [{"type": "Ready", "status": "True"}, )" +
                                    DumpJson(foreign) + "]}"),
            (Json{{"conditions", {foreign}}}));
}

TEST(Status, AppliedIsPassedOnAsItIsShown) {
  const StatusIntent intent = MakeStatus(
      WithStatus(R"({"conditions": [{"type": "Applied", "status": "False", "reason": "Stale",
                     "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z"}]})"),
      kNow, {});
  ASSERT_TRUE(intent.observed_applied.has_value());
  EXPECT_EQ(intent.observed_applied->reason, "Stale");
  EXPECT_EQ(intent.observed_applied_since, "2020-01-01T00:00:00Z");
  EXPECT_EQ(intent.now, "2026-01-01T00:00:00Z");
}

TEST(Status, ObservedStatusIsPassedOnIfItChanges) {
  StatusDraft draft;
  draft.fields = {{"count", 3}};
  const std::string shown = R"({"count":1,"foreign":[1]})";
  EXPECT_EQ(*MakeStatus(WithStatus(shown), kNow, draft).observed, shown);
  EXPECT_EQ(MakeStatus(WithStatus("{}"), kNow, draft).observed, nullptr);
  EXPECT_EQ(MakeStatus(WithStatus(R"({"count":3})"), kNow, draft).observed, nullptr);
}

TEST(Status, EventOfAConditionIsDueOnlyWhenItFlips) {
  StatusDraft draft;
  AddFailure({"NameConflict", "held", false, true, "Apply"}, &draft);
  draft.events.push_back({EventCondition::kAnyChange, false, "Other", "Test", "n"});
  const StatusIntent first = MakeStatus(WithStatus("{}"), kNow, draft);
  EXPECT_EQ(first.events.size(), 2u);
  const StatusIntent again = MakeStatus(
      WithStatus(
          R"({"conditions": [{"type": "Ready", "status": "False", "reason": "NameConflict"}]})"),
      kNow, draft);
  ASSERT_EQ(again.events.size(), 1u);
  EXPECT_EQ(again.events[0].reason, "Other");
}

}  // namespace
}  // namespace xebec::planner
