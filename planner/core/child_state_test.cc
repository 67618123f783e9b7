// SPDX-License-Identifier: Apache-2.0
#include "planner/core/child_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/model/fields.h"
#include "common/model/well_known.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kNow = absl::FromUnixSeconds(1767225600);

class ChildStateTest : public ::testing::Test {
 protected:
  ChildStateTest() {
    view_.ns = "default";
    view_.name = "p";
    view_.uid = "u";
    view_.now = kNow;
    child_.type = testing::ScriptedConfigMap();
    child_.object = *ParseJson(R"({"metadata": {"name": "a"}, "data": {"x": "1"}})");
  }

  // Makes the live object by a change of the desired one.
  void Live(const std::function<void(Json&)>& change = [](Json&) {}) {
    Child live;
    live.type = child_.type;
    live.ns = view_.ns;
    live.name = "a";
    live.uid = "child-uid";
    live.object = CompleteObject(view_, child_);
    change(live.object);
    view_.children = {std::move(live)};
  }

  void LiveCoOwned() {
    Live([&](Json& live) {
      live[std::string(kCoOwnersMember)] = {"other", kind_.description.controller};
    });
  }

  Outcome& LastApply(OutcomeCode code) {
    Outcome outcome;
    outcome.operation = OperationId(Apply{}, ObjectRef{child_.type, view_.ns, "a"});
    outcome.code = code;
    const Json desired = CompleteObject(view_, child_);
    outcome.digest = FindString(desired, {"metadata", "annotations", kDigestAnnotation});
    outcome.result_digest = FieldsDigest(view_.children[0].object, desired);
    view_.last_outcomes = {outcome};
    return view_.last_outcomes[0];
  }

  bool HasSameFieldsAsLive() {
    return HasSameFields(view_.children[0].object, CompleteObject(view_, child_),
                         kind_.description.controller);
  }

  ChildState State() { return CompareChild(view_, child_).state; }

  Json parent_ = {{"apiVersion", "test.example/v1"}, {"kind", "Scripted"}};
  Kind kind_ = testing::ScriptedKind();
  View view_{.parent = parent_, .kind = kind_.description};
  DesiredChild child_;
};

TEST_F(ChildStateTest, CompleteObjectSaysWhoseItIs) {
  const Json object = CompleteObject(view_, child_);
  EXPECT_EQ(object["apiVersion"], "v1");
  EXPECT_EQ(object["kind"], "ConfigMap");
  EXPECT_EQ(object["metadata"]["namespace"], "default");
  EXPECT_EQ(object["metadata"]["ownerReferences"],
            *ParseJson(R"([{"apiVersion": "test.example/v1", "kind": "Scripted", "name": "p",
                            "uid": "u", "controller": true, "blockOwnerDeletion": true}])"));
  EXPECT_EQ(FindString(object, {"metadata", "annotations", kDigestAnnotation}), StampOf(object));
}

TEST_F(ChildStateTest, ChildThatOutlivesTheParentHasNoOwner) {
  child_.owned = false;
  EXPECT_FALSE(CompleteObject(view_, child_)["metadata"].contains("ownerReferences"));
}

TEST_F(ChildStateTest, AbsentAndTerminatingAreTold) {
  EXPECT_EQ(State(), ChildState::kAbsent);
  Live();
  view_.children[0].deleting = true;
  EXPECT_EQ(State(), ChildState::kTerminating);
}

TEST_F(ChildStateTest, EqualIsCurrentWhateverElseTheObjectHas) {
  Live([](Json& live) {
    live["data"]["other"] = "theirs";
    live["metadata"]["labels"] = {{"theirs", "1"}};
    live["metadata"]["uid"] = "child-uid";
  });
  EXPECT_EQ(State(), ChildState::kCurrent);
}

TEST_F(ChildStateTest, DriftIsToldWithItsField) {
  Live([](Json& live) { live["data"]["x"] = "2"; });
  const ChildComparison comparison = CompareChild(view_, child_);
  EXPECT_EQ(comparison.state, ChildState::kDiffers);
  EXPECT_EQ(comparison.field, "data.x");
}

TEST_F(ChildStateTest, RemovedFieldIsSeenByTheDigest) {
  child_.object["data"]["y"] = "2";
  Live();
  child_.object["data"].erase("y");
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, WithoutDigestTheFieldsDecide) {
  Live([](Json& live) { live["metadata"].erase("annotations"); });
  EXPECT_EQ(State(), ChildState::kUnstamped);
  Live([](Json& live) {
    live["metadata"].erase("annotations");
    live["data"]["x"] = "2";
  });
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, LabelsThatWeWouldAddReplaceNothing) {
  child_.object["metadata"]["labels"] = {{"ours", "1"}};
  Live([](Json& live) {
    live["metadata"].erase("annotations");
    live["metadata"].erase("labels");
    live["metadata"]["ownerReferences"][0].erase("blockOwnerDeletion");
  });
  EXPECT_EQ(State(), ChildState::kUnstamped);
  EXPECT_TRUE(IsAsDesired(State()));
}

TEST_F(ChildStateTest, DigestOfAnotherFormatIsLeftWhereTheFieldsAreEqual) {
  const auto older = [](Json& live) {
    live["metadata"]["annotations"][std::string(kDigestAnnotation)] = "v0:abc";
  };
  Live(older);
  EXPECT_EQ(State(), ChildState::kCurrent);
  Live([&](Json& live) {
    older(live);
    live["data"]["x"] = "2";
  });
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, WhatTheServerStoredDifferentlyIsLeftAlone) {
  for (OutcomeCode code : {OutcomeCode::kCreated, OutcomeCode::kChanged, OutcomeCode::kUnchanged}) {
    Live([](Json& live) { live["data"]["x"] = "rewritten"; });
    LastApply(code);
    EXPECT_EQ(State(), ChildState::kRewritten) << Name(code);
    EXPECT_EQ(CompareChild(view_, child_).field, "data.x");
  }
}

TEST_F(ChildStateTest, AnyOtherValueThanTheStoredOneIsAppliedAgain) {
  Live([](Json& live) { live["data"]["x"] = "rewritten"; });
  LastApply(OutcomeCode::kUnchanged);
  view_.children[0].object["data"]["x"] = "drifted";
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, OutcomeOfAnotherDigestSaysNothing) {
  Live([](Json& live) { live["data"]["x"] = "rewritten"; });
  LastApply(OutcomeCode::kUnchanged).digest = "v1:older";
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, RefusedApplySaysNothingOfWhatIsStored) {
  Live([](Json& live) { live["data"]["x"] = "drifted"; });
  LastApply(OutcomeCode::kForbidden);
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, FieldsThatAnotherWriterFlipsAgainAndAgainWait) {
  Live();
  LastApply(OutcomeCode::kChanged).repeats = 5;
  view_.last_outcomes[0].at = kNow - absl::Seconds(4);
  view_.children[0].object["data"]["x"] = "theirs";
  const ChildComparison comparison = CompareChild(view_, child_);
  EXPECT_EQ(comparison.state, ChildState::kFieldManagerConflict);
  EXPECT_EQ(comparison.wait, absl::Seconds(6));
  view_.now = kNow + absl::Seconds(6);
  EXPECT_EQ(State(), ChildState::kDiffers);
}

TEST_F(ChildStateTest, DigestIsIndependentOfMemberOrder) {
  const std::string first =
      FindString(CompleteObject(view_, child_), {"metadata", "annotations", kDigestAnnotation});
  child_.object = *ParseJson(R"({"data": {"x": "1"}, "metadata": {"name": "a"}})");
  EXPECT_EQ(
      FindString(CompleteObject(view_, child_), {"metadata", "annotations", kDigestAnnotation}),
      first);
}

// An applier that stops between an apply and the repair of its field ownership leaves this.
TEST_F(ChildStateTest, CoOwnedChildIsAppliedAgain) {
  LiveCoOwned();
  EXPECT_EQ(State(), ChildState::kDiffers);
  EXPECT_FALSE(HasSameFieldsAsLive());
}

TEST_F(ChildStateTest, ChildThatAnotherManagerOwnsTwiceIsLeftAlone) {
  Live([](Json& live) { live[std::string(kCoOwnersMember)] = Json::array({"other"}); });
  EXPECT_EQ(State(), ChildState::kCurrent);
  EXPECT_TRUE(HasSameFieldsAsLive());
}

// The last apply was done, and its repair failed or was never finished.
TEST_F(ChildStateTest, CoOwnedChildIsAppliedAgainWhateverTheLastApplyLeft) {
  for (OutcomeCode code : {OutcomeCode::kChanged, OutcomeCode::kUnchanged}) {
    LiveCoOwned();
    LastApply(code);
    EXPECT_EQ(State(), ChildState::kDiffers) << Name(code);
    Json& live = view_.children[0].object;
    live["metadata"]["annotations"][std::string(kDigestAnnotation)] = "";
    EXPECT_EQ(State(), ChildState::kDiffers) << Name(code) << ": the second apply is missing";
    live["data"]["x"] = "rewritten";
    LastApply(code);
    EXPECT_EQ(State(), ChildState::kDiffers) << Name(code);
  }
}

TEST_F(ChildStateTest, CoOwnedChildThatIsChangedAgainAndAgainWaits) {
  LiveCoOwned();
  LastApply(OutcomeCode::kChanged).repeats = 5;
  view_.last_outcomes[0].at = kNow;
  EXPECT_EQ(State(), ChildState::kFieldManagerConflict);
}

TEST_F(ChildStateTest, SameFieldsAreToldByTheStamp) {
  Live();
  child_.object["data"]["x"] = "2";
  EXPECT_TRUE(HasSameFieldsAsLive());
  child_.object["data"] = {{"y", "2"}};
  EXPECT_FALSE(HasSameFieldsAsLive());
}

class PatchableFieldsTest : public ChildStateTest {
 protected:
  std::vector<std::string> Fields() {
    return PatchableFields(view_.children[0].object, CompleteObject(view_, child_),
                           "xebec.dev/test");
  }
  static constexpr char kStamp[] = "/metadata/annotations/xebec.dev~1desired-digest";
};

TEST_F(PatchableFieldsTest, AreTheChangedScalarsAndTheDigest) {
  Live();
  EXPECT_THAT(Fields(), IsEmpty());
  child_.object["data"]["x"] = "2";
  EXPECT_THAT(Fields(), ElementsAre("/data/x", kStamp));
}

TEST_F(PatchableFieldsTest, ADriftLeavesTheDigest) {
  Live([](Json& live) { live["data"].erase("x"); });
  EXPECT_THAT(Fields(), ElementsAre("/data/x"));
}

TEST_F(PatchableFieldsTest, AKeyThatLooksLikeAnIndexIsAKey) {
  child_.object["data"]["0"] = "1";
  Live();
  child_.object["data"]["0"] = "2";
  EXPECT_THAT(Fields(), ElementsAre("/data/0", kStamp));
}

TEST_F(PatchableFieldsTest, AreNoneIfAListDiffers) {
  child_.object["list"] = {"a"};
  Live();
  child_.object["data"]["x"] = "2";
  EXPECT_THAT(Fields(), ElementsAre("/data/x", kStamp));
  child_.object["list"] = Json::array({{{"name", "a"}, {"value", 1}}});
  Live();
  child_.object["list"][0]["value"] = 2;
  EXPECT_THAT(Fields(), IsEmpty());
}

TEST_F(PatchableFieldsTest, AreNoneIfAFieldMustDisappear) {
  child_.object["data"]["y"] = "1";
  Live();
  child_.object["data"].erase("y");
  EXPECT_THAT(Fields(), IsEmpty());
}

TEST_F(PatchableFieldsTest, AreNoneIfTheManagerApplies) {
  Live([](Json& live) { live[std::string(kAppliersMember)] = {"other"}; });
  child_.object["data"]["x"] = "2";
  EXPECT_THAT(Fields(), SizeIs(2));
  view_.children[0].object[std::string(kAppliersMember)] = {"other", "xebec.dev/test"};
  EXPECT_THAT(Fields(), IsEmpty());
}

TEST_F(ChildStateTest, StampOfAnOlderReleaseIsCurrentAndItsFieldsAreUnknown) {
  Live([](Json& live) {
    Json& stamp = live["metadata"]["annotations"][std::string(kDigestAnnotation)];
    stamp = DigestInStamp(stamp.get<std::string>());
  });
  EXPECT_EQ(State(), ChildState::kCurrent);
  EXPECT_FALSE(HasSameFieldsAsLive());
}

}  // namespace
}  // namespace xebec::planner
