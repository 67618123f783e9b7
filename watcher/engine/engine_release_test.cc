// SPDX-License-Identifier: Apache-2.0
// Operators that are deleted: their finalizers go from all parents before they are released.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;

class EngineReleaseTest : public EngineDeclarationsTest {
 protected:
  static Json SpecWithFinalizer(const char* version = "v1") {
    Json spec = FakeCluster::OperatorOfWidgets();
    spec["finalizer"] = true;
    spec["parent"]["version"] = version;
    return spec;
  }
  /// A widget whose operator wants a finalizer.
  void StartWithFinalizer() {
    t_.cluster.SetWidget("w", 1, 7);
    Start(SpecWithFinalizer());
    Guard();
    AnswerNothing();
  }
  /// The widget gets the finalizer of its operator, or loses it.
  void SetFinalizer(bool present) {
    t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", present);
    Complete();
    AnswerNothing();
  }
  void DeleteOperator() {
    t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
    Complete();
  }
  /// The operator stays until the planner has removed the finalizer.
  void ExpectReleasedAfterTheFinalizer() {
    EXPECT_FALSE(Released());
    const Observation last = AnswerNothing();
    ASSERT_NE(last.declaration, nullptr) << "no widget was planned";
    EXPECT_THAT(*last.declaration, HasSubstr("deletionTimestamp"));
    SetFinalizer(false);
    EXPECT_TRUE(Released());
  }
};

TEST_F(EngineReleaseTest, AnOperatorThatGoesLeavesItsParentsAloneAndIsReleasedAfterThem) {
  StartWithFinalizer();
  SetFinalizer(true);
  DeleteOperator();
  t_.Advance(absl::Seconds(1));
  AnswerOperators();
  const auto shown = [&] { return t_.engine.Observe({OperatorType(), "", "web"}, t_.now); };
  EXPECT_FALSE(shown()->declaration_facts->released);
  t_.Feed(CreditsChanged{4, 4, 0});  // no hook is needed for that
  t_.cluster.SetWidget("w", 1, 8);
  Complete();
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
  SetFinalizer(false);
  t_.Advance(absl::Seconds(1));
  EXPECT_TRUE(shown()->declaration_facts->released);
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesWaitsUntilItsParentsAreKnown) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  t_.cluster.SetOperator("web", FakeCluster::OperatorOfWidgets());
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  t_.unread = {"widgets"};
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  AnswerOperators();
  EXPECT_FALSE(Released());
  t_.unread.clear();
  t_.unserved = {"parts"};  // they are not needed any more
  t_.Advance(absl::Seconds(11));
  Complete();
  ExpectReleasedAfterTheFinalizer();
}

// The version was served when the Operator was read, and not when its parents were to be listed.
TEST_F(EngineReleaseTest, AnOperatorThatGoesWaitsUntilItIsKnownThatItsParentsAreNotServed) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  t_.cluster.SetOperator("web", SpecWithFinalizer());
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 64});
  t_.Deliver();
  t_.Advance(absl::Milliseconds(60));
  for (const Resolve& each : t_.Take<Resolve>()) {
    DeclaredResource widgets = each.resource;
    widgets.type = WidgetType();
    t_.Feed(Resolved{widgets});
  }
  t_.unserved = t_.unread = {"widgets"};
  Complete();
  EXPECT_FALSE(Released());
  t_.unread.clear();
  t_.Advance(absl::Seconds(11));
  Complete();
  EXPECT_TRUE(Released()) << "they are served in no version";
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesShowsTheParentThatKeepsIt) {
  StartWithFinalizer();
  SetFinalizer(true);
  DeleteOperator();
  AnswerOperators();
  Retry();
  t_.Advance(absl::Seconds(6));
  const auto observation = t_.engine.Observe({OperatorType(), "", "web"}, t_.now);
  EXPECT_FALSE(observation->declaration_facts->released);
  EXPECT_EQ(observation->declaration_facts->problems, 1u);
  EXPECT_EQ(observation->declaration_facts->failure, "default/w: no connection");
}

TEST_F(EngineReleaseTest, AnOperatorOfAVersionThatIsNotServedRemovesItsFinalizersInAnother) {
  StartWithFinalizer();
  SetFinalizer(true);
  t_.cluster.SetOperator("web", SpecWithFinalizer("v2"));
  Complete();
  AnswerOperators();
  DeleteOperator();
  ExpectReleasedAfterTheFinalizer();
}

/// The API server serves the widgets in another version than before, or in none. It ends their
/// watch.
class DroppedVersionTest : public EngineReleaseTest {
 protected:
  DroppedVersionTest() {
    StartWithFinalizer();
    SetFinalizer(true);
    t_.Advance(absl::Seconds(5));
  }
  void Drop() {
    t_.unserved = {"widgets/v1"};
    t_.Feed(WatchEnded{t_.StreamOf(WidgetType()), std::nullopt});
    Complete();
  }
  void ServeOther() {
    t_.types.push_back(WidgetType());
    t_.types.back().version = "v2";
  }
};

TEST_F(DroppedVersionTest, AnOperatorThatGoesAfterwardsRemovesItsFinalizersInAnother) {
  ServeOther();
  Drop();
  DeleteOperator();
  ExpectReleasedAfterTheFinalizer();
}

TEST_F(DroppedVersionTest, AnOperatorThatGoesMeanwhileRemovesItsFinalizersInAnother) {
  ServeOther();
  DeleteOperator();
  Drop();
  ExpectReleasedAfterTheFinalizer();
}

TEST_F(DroppedVersionTest, AnOperatorThatStaysKeepsItsKeys) {
  ServeOther();
  Drop();
  EXPECT_FALSE(t_.Key("w").ref.name.empty());
  t_.unserved.clear();
  t_.Advance(absl::Seconds(11));
  Complete();
  t_.cluster.SetWidget("w", 1, 8);
  Complete();
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("\"finalizer\":true"));
}

TEST_F(DroppedVersionTest, AnOperatorIsReleasedIfNoneIsServed) {
  Drop();
  DeleteOperator();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

// An older Operator became valid, and there are as many as run.
TEST_F(EngineReleaseTest, AnExcessOperatorRemovesItsFinalizersFirst) {
  const Json none = {{"parent", {{"version", "v1"}, {"resource", "none"}}},
                     {"hook", {{"address", "hook:1"}}}};
  for (size_t i = 0; i < kMaxDeclared; ++i) t_.cluster.SetOperator("old" + std::to_string(i), none);
  StartWithFinalizer();
  EXPECT_THAT(t_.engine.Observe({OperatorType(), "", "web"}, t_.now)->declaration_facts->refusal,
              HasSubstr("oldest Operators"));
  SetFinalizer(true);
  DeleteOperator();
  ExpectReleasedAfterTheFinalizer();
}

TEST_F(EngineReleaseTest, AnOperatorWhoseParentsAreServedInNoVersionIsReleased) {
  StartWithFinalizer();
  t_.unserved = {"widgets"};
  t_.cluster.SetOperator("web", SpecWithFinalizer("v2"));
  Complete();
  DeleteOperator();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

TEST_F(EngineReleaseTest, AnOperatorThatIsRefusedMeanwhileRemovesItsFinalizersFirst) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  t_.cluster.SetOperator("web", SpecWithFinalizer());
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  PlannerDescription description = WidgetDescription();  // widgets are built in now
  description.kinds.push_back(OperatorDescription().kinds[0]);
  t_.Feed(DescriptionArrived{description});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  AnswerNothing();
  EXPECT_FALSE(Released());
  SetFinalizer(false);
  EXPECT_TRUE(Released());
}

/// An operator without parents in two buckets, of which another watcher leads one.
class SharedReleaseTest : public EngineDeclarationsTest {
 protected:
  static Options TwoBuckets() {
    Options options = WithHooks();
    options.leader_election = true;
    options.buckets = 2;
    return options;
  }
  SharedReleaseTest() : EngineDeclarationsTest(TwoBuckets()) {}

  /// This watcher leads both buckets, and then one.
  void StartWithOther() {
    Start();
    t_.Feed(t_.leases.List());
    t_.Feed(Join{});
    Renew();
    Assignment next = t_.leases.assignment();
    next.buckets.at(1) = {"watcher-b", next.buckets.at(1).epoch + 1, true};
    t_.leases.Assign(next);
    OtherTells({.buckets = 2});
  }
  void OtherTells(const MemberFacts& facts) {
    t_.leases.Renew(7, "watcher-b", facts);
    t_.Feed(t_.leases.List());
    Renew();
  }
  /// What this watcher tells, as if it came from the other one, which has counted in `buckets`.
  MemberFacts SameOf(const BucketSet& buckets) {
    for (LeaseNumber lease = 1; lease < 50; ++lease) {
      const LeaseSeen& seen = t_.leases.at(lease);
      if (seen.holder != "watcher-a" || lease == kAssignmentLease) continue;
      MemberFacts facts = *DecodeMember(seen.content);
      facts.declared->buckets = buckets;
      return facts;
    }
    return {};
  }
  bool ReleasedAfterSeconds(int seconds, const BucketSet& buckets_of_other) {
    for (int i = 0; i < seconds; ++i) {
      t_.Advance(absl::Seconds(1));
      Renew();
      OtherTells(SameOf(buckets_of_other));
    }
    return t_.engine.Observe({OperatorType(), "", "web"}, t_.now)->declaration_facts->released;
  }

 private:
  void Renew() {
    for (int i = 0; i < 4; ++i) {
      t_.AnswerLeases();
      Complete();
      AnswerNothing();
    }
  }
};

// The other watcher has not seen the assignment that gives it the bucket. Its parents there may
// have the finalizer.
TEST_F(SharedReleaseTest, AnOperatorStaysUntilTheHoldersOfAllBucketsHaveCounted) {
  StartWithOther();
  Guard();
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  Complete();
  EXPECT_FALSE(ReleasedAfterSeconds(20, BucketSet(2)));
  EXPECT_FALSE(ReleasedAfterSeconds(20, *BucketSet::Parse("0", 2)));
  EXPECT_TRUE(ReleasedAfterSeconds(20, *BucketSet::Parse("1", 2)));
}

}  // namespace
}  // namespace xebec::watcher::testing
