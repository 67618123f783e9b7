// SPDX-License-Identifier: Apache-2.0
#include "planner/core/status_change.h"

#include <gtest/gtest.h>

#include <string>

namespace xebec::planner {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1767225600);

constexpr const char* kShown = R"({"observedGeneration": 2, "phase": "Rolling", "readyReplicas": 1,
    "conditions": [{"type": "Ready", "status": "False", "reason": "Deploying", "message": "1 of 3",
                    "observedGeneration": 2},
                   {"type": "Reconciling", "status": "True", "reason": "Progressing",
                    "message": "1 of 3", "observedGeneration": 2}]})";

/// The parent of generation 2 that has one of three replicas, and the status of the next one.
class ShowsProgress : public ::testing::Test {
 protected:
  ShowsProgress() {
    draft_.generation = 2;
    draft_.fields = {{"phase", "Rolling"}, {"readyReplicas", 2}};
    draft_.conditions = {{"Ready", "False", "Deploying", "2 of 3"},
                         {"Stalled", "", "", ""},
                         {"Reconciling", "True", "Progressing", "2 of 3"}};
  }

  StatusIntent Intent(const std::string& shown = kShown) const {
    Parent parent;
    parent.kind = "Widget";
    parent.name = "w";
    parent.object["status"] = *ParseJson(shown);
    return MakeStatus(parent, kNow, draft_);
  }
  bool Progress(const std::string& shown = kShown) const { return Intent(shown).progress_only; }
  Condition& Ready() { return draft_.conditions.front(); }

  StatusDraft draft_;
};

TEST_F(ShowsProgress, IfOnlyReplicasAndMessagesChange) { EXPECT_TRUE(Progress()); }

TEST_F(ShowsProgress, IfACountAppearsOrDisappears) {
  draft_.fields["updatedReplicas"] = 1;
  EXPECT_TRUE(Progress());
  draft_.fields["readyReplicas"] = nullptr;
  EXPECT_TRUE(Progress());
}

TEST_F(ShowsProgress, NotIfNothingChanges) {
  draft_.fields["readyReplicas"] = 1;
  Ready().message = draft_.conditions.back().message = "1 of 3";
  EXPECT_FALSE(Intent().changed);
  EXPECT_FALSE(Progress());
}

TEST_F(ShowsProgress, NotIfTheParentIsReady) {
  Ready().status = "True";
  EXPECT_FALSE(Progress());
  EXPECT_FALSE(Progress(R"({"observedGeneration": 2, "phase": "Rolling", "conditions": [
      {"type": "Ready", "status": "True", "reason": "Deploying", "observedGeneration": 2},
      {"type": "Reconciling", "status": "True", "reason": "Progressing", "observedGeneration": 2}]})"))
      << "nothing follows";
}

TEST_F(ShowsProgress, NotIfTheKindReportsNoReadiness) {
  Ready().status = "Unknown";
  EXPECT_FALSE(Progress(R"({"observedGeneration": 2, "phase": "Rolling", "conditions": [
      {"type": "Ready", "status": "Unknown", "reason": "Deploying", "observedGeneration": 2},
      {"type": "Reconciling", "status": "True", "reason": "Progressing", "observedGeneration": 2}]})"));
}

TEST_F(ShowsProgress, NotOfTheFirstStatus) { EXPECT_FALSE(Progress("{}")); }

TEST_F(ShowsProgress, NotIfAWordChanges) {
  draft_.fields["phase"] = "Waiting";
  EXPECT_FALSE(Progress());
  draft_.fields["phase"] = "Rolling";
  draft_.fields["readyReplicas"] = "two";
  EXPECT_FALSE(Progress()) << "a number becomes a word";
}

TEST_F(ShowsProgress, NotIfAnotherNumberChanges) {
  draft_.fields["startTimes"] = 4;
  EXPECT_FALSE(Progress()) << "a plan may wait for it";
}

TEST_F(ShowsProgress, NotIfAReasonChanges) {
  Ready().reason = "ImagePullBackOff";
  EXPECT_FALSE(Progress());
}

TEST_F(ShowsProgress, NotIfAConditionAppearsOrDisappears) {
  draft_.conditions.push_back({"Rewritten", "True", "StoredDifferently", "m"});
  EXPECT_FALSE(Progress());
  draft_.conditions.back() = {"Reconciling", "", "", ""};
  draft_.conditions.erase(draft_.conditions.begin() + 2);
  EXPECT_FALSE(Progress());
}

TEST_F(ShowsProgress, NotOfAStalledParent) {
  draft_.conditions[1] = {"Stalled", "True", "NameConflict", "m"};
  EXPECT_FALSE(Progress(R"({"observedGeneration": 2, "phase": "Rolling", "conditions": [
      {"type": "Ready", "status": "False", "reason": "Deploying", "observedGeneration": 2},
      {"type": "Stalled", "status": "True", "reason": "NameConflict", "observedGeneration": 2},
      {"type": "Reconciling", "status": "True", "reason": "Progressing", "observedGeneration": 2}]})"))
      << "a user has to act";
}

TEST_F(ShowsProgress, NotOfAnotherGeneration) {
  draft_.generation = 3;
  EXPECT_FALSE(Progress());
  draft_.generation = 2;
  draft_.generations["Ready"] = 1;
  EXPECT_FALSE(Progress()) << "of one condition";
}

TEST_F(ShowsProgress, NotIfAnEventIsDue) {
  draft_.events.push_back({EventCondition::kAnyChange, false, "Other", "Test", "n"});
  EXPECT_FALSE(Progress());
}

}  // namespace
}  // namespace xebec::planner
