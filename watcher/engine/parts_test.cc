// SPDX-License-Identifier: Apache-2.0
// The small parts: budget, names, keys, revisions, topology, gate, histogram.
#include <algorithm>

#include "common/model/names.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/cache/revisions.h"
#include "watcher/engine/cache/topology.h"
#include "watcher/engine/cache/watch_set.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/queue/deletion_budget.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/queue/wanted_names.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::MakeObject;
using testing::Modified;

constexpr absl::Duration kNow = absl::Seconds(1000);

TEST(DeletionBudget, NeverHoldsAParentBecauseOfItsOwnDeletions) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 1000, kNow);
  EXPECT_TRUE(budget.Allows(1, kNow));
  EXPECT_FALSE(budget.Allows(2, kNow));
}

TEST(DeletionBudget, HoldsOnlyWhenOthersHaveUsedItUpAndOnlyForTheInterval) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 6, kNow);
  budget.Charge(2, 6, kNow + absl::Seconds(20));
  EXPECT_TRUE(budget.Allows(1, kNow + absl::Seconds(20)));
  EXPECT_FALSE(budget.Allows(3, kNow + absl::Seconds(20)));
  EXPECT_EQ(budget.AllowedAt(3, kNow + absl::Seconds(20)), kNow + absl::Minutes(1));
  EXPECT_TRUE(budget.Allows(3, kNow + absl::Minutes(1)));
}

TEST(DeletionBudget, GivesBackWhatWasNotCarriedOut) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 12, kNow);
  budget.Refund(1, 5);
  EXPECT_TRUE(budget.Allows(2, kNow));
  budget.Refund(1, 500);
  EXPECT_TRUE(budget.Allows(2, kNow));
}

TEST(WantedNames, WakesExactlyThoseWhoWaitForTheName) {
  WantedNames wanted;
  wanted.Set(1, {{0, {"default", "a"}}, {1, {"default", "b"}}});
  wanted.Set(2, {{0, {"default", "a"}}});
  EXPECT_EQ(wanted.Waiting(0, {"default", "a"}), (std::vector<KeyId>{1, 2}));
  EXPECT_TRUE(wanted.Waiting(0, {"other", "a"}).empty());
  EXPECT_EQ(wanted.WaitingFor(1), (std::vector<KeyId>{1}));
  wanted.Set(1, {});
  EXPECT_EQ(wanted.Waiting(0, {"default", "a"}), (std::vector<KeyId>{2}));
  wanted.Set(2, {});
  EXPECT_EQ(wanted, WantedNames());
}

TEST(KeyTable, FindsByNameUidAndLabel) {
  KeyTable keys;
  const std::string long_name(200, 'x');
  const KeyId a = keys.Add(0, {"default", "a"}, "ua");
  const KeyId b = keys.Add(0, {"default", long_name}, "ub");
  EXPECT_EQ(*keys.FindUid("ua"), a);
  EXPECT_EQ(*keys.FindLabel(0, "default", "a"), a);
  EXPECT_EQ(*keys.FindLabel(0, "default", LabelValue(long_name)), b);
  EXPECT_EQ(keys.FindLabel(0, "default", "zz"), nullptr);
  EXPECT_EQ(keys.Find(1, {"default", "a"}), nullptr);
}

TEST(KeyTable, ANewIncarnationForgetsTheOldOne) {
  KeyTable keys;
  const KeyId key = keys.Add(0, {"default", "a"}, "u1");
  keys.at(key).again = 3;
  EXPECT_EQ(keys.Add(0, {"default", "a"}, "u2"), key);
  EXPECT_EQ(keys.at(key).again, 0u);
  EXPECT_EQ(keys.FindUid("u1"), nullptr);
}

TEST(KeyTable, NamespacesAreSearchedAlone) {
  KeyTable keys;
  keys.Add(0, {"a", "x"}, "1");
  keys.Add(0, {"b", "x"}, "2");
  keys.Add(1, {"a", "x"}, "3");
  EXPECT_EQ(keys.InNamespace(0, "a").size(), 1u);
  EXPECT_EQ(keys.InNamespace(0, "").size(), 2u);
  keys.Remove(*keys.FindUid("1"));
  EXPECT_TRUE(keys.InNamespace(0, "a").empty());
  EXPECT_EQ(keys.All().size(), 2u);
}

TEST(Revisions, MoveOverOnceAndNotBackForARemainingOldPlanner) {
  Revisions revisions;
  EXPECT_TRUE(revisions.OnDescription({"r1", {}}));
  EXPECT_FALSE(revisions.OnDescription({"r1", {}})) << "a reconnect is nothing new";
  EXPECT_TRUE(revisions.OnDescription({"r2", {}}));
  EXPECT_EQ(revisions.current()->revision, "r1");
  EXPECT_EQ(revisions.InUse().size(), 2u);
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r2");
  EXPECT_FALSE(revisions.OnDescription({"r1", {}}));
  EXPECT_EQ(revisions.candidate(), nullptr);
}

TEST(Revisions, ARollbackIsTakenOnceTheSuccessorHasBeenSilentForAWhile) {
  Revisions revisions;
  revisions.OnDescription({"r1", {}});
  revisions.OnDescription({"r2", {}});
  revisions.Move();
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow));
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(1)));
  revisions.OnOwnPlan();  // r2 is still there
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(8)));
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(9)));
  EXPECT_TRUE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(14)));
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r1");
}

TEST(Revisions, AnUnknownRevisionIsNotTaken) {
  Revisions revisions;
  revisions.OnDescription({"r1", {}});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(revisions.OnForeignPlan("rx", kNow + absl::Seconds(i)));
}

KindDescription Kind(const std::string& controller, const std::string& plural,
                     const std::string& child) {
  KindDescription kind;
  kind.controller = controller;
  kind.parent = {.group = "example.com", .version = "v1", .kind = "K" + plural, .plural = plural};
  ChildRule rule;
  rule.type = {.group = "", .version = "v1", .kind = "C" + child, .plural = child};
  kind.children.push_back(rule);
  return kind;
}

const ResourceSpec& SpecOf(const Topology& topology, const std::string& plural) {
  return *std::find_if(topology.resources.begin(), topology.resources.end(),
                       [&](const ResourceSpec& spec) { return spec.type.plural == plural; });
}

TEST(KeyTable, ANameThatIsTheLabelOfALongerOneDoesNotTakeItAway) {
  KeyTable table;
  const std::string long_name(100, 'n');
  const std::string label = LabelValue(long_name);
  const KeyId key = table.Add(0, {"ns", long_name}, "u1");
  table.Remove(table.Add(0, {"ns", label}, "u2"));
  ASSERT_NE(table.FindLabel(0, "ns", label), nullptr);
  EXPECT_EQ(*table.FindLabel(0, "ns", label), key);
}

TEST(Revisions, OneThatWasOvertakenBeforeItsTurnIsNotTakenForANewOne) {
  Revisions revisions;
  for (const char* revision : {"r1", "r2", "r3"}) revisions.OnDescription({revision, {}});
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r3");
  EXPECT_FALSE(revisions.OnDescription({"r2", {}})) << "a lane of it reconnects";
}

TEST(Topology, OneWatchServesAllControllersOfAKind) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].children[0].fields = {"spec"};
  description.kinds[1].children[0].fields = {"status"};
  const Topology topology = BuildTopology({&description}, {});
  EXPECT_EQ(topology.resources.size(), 3u);
  const ResourceSpec& pods = SpecOf(topology, "pods");
  EXPECT_EQ(pods.projection.fields, (std::vector<std::string>{"spec", "status"}));
  EXPECT_EQ(pods.projection.controller_kinds,
            (std::vector<std::string>{"example.com/v1/Kas", "example.com/v1/Kbs"}));
  EXPECT_TRUE(SpecOf(topology, "as").projection.controller_kinds.empty())
      << "parents are kept whole";
}

TEST(Topology, TheWiderNeedWins) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].children[0].fields = {"spec"};
  description.kinds[0].children[0].label_selector = "x=y";
  description.kinds[1].related.push_back(description.kinds[1].children[0]);
  const ResourceSpec pods = SpecOf(BuildTopology({&description}, {}), "pods");
  EXPECT_TRUE(pods.projection.fields.empty());
  EXPECT_EQ(pods.label_selector, "");
  EXPECT_TRUE(pods.projection.controller_kinds.empty());
}

TEST(Topology, ASecondControllerOfAParentIsRefusedWithAMessage) {
  const PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "as", "jobs")}};
  const Topology topology = BuildTopology({&description}, {});
  ASSERT_EQ(topology.controllers.size(), 1u);
  ASSERT_EQ(topology.refusals.size(), 1u);
  EXPECT_NE(topology.refusals[0].find("as.example.com is planned by controller a"),
            std::string::npos);
  EXPECT_EQ(topology.resources.size(), 2u) << "what only the refused one needs is not watched";
}

TEST(Topology, OnlyAllowedKindsAreWatched) {
  const PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "jobs")}};
  Options options;
  options.allowed_kinds = {"bs.example.com"};
  const Topology topology = BuildTopology({&description}, options);
  ASSERT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.controllers[0].controller, "b");
  EXPECT_EQ(topology.resources[0].ns, "") << "of all namespaces";
}

TEST(Topology, EachResourceIsWatchedInEachNamespaceThatIsLookedAt) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].parent.cluster_scoped = true;
  Options options;
  options.namespaces = {"team-b", "team-a"};
  std::vector<std::string> watched;
  for (const ResourceSpec& spec : BuildTopology({&description}, options).resources) {
    watched.push_back(Describe(spec));
  }
  EXPECT_THAT(watched, ::testing::UnorderedElementsAre(
                           "as.example.com", "bs.example.com in namespace team-a",
                           "bs.example.com in namespace team-b", "pods in namespace team-a",
                           "pods in namespace team-b"));
}

TEST(WatchSet, OneSeesEverythingOrEachItsNamespace) {
  WatchSet everything;
  everything.Add("", 7);
  EXPECT_EQ(*everything.Find("a"), 7u);
  EXPECT_EQ(*everything.Find(""), 7u);
  EXPECT_EQ(everything.Seeing("a"), std::vector<WatchId>{7});
  WatchSet two;
  two.Add("b", 2);
  two.Add("a", 1);
  EXPECT_EQ(*two.Find("b"), 2u);
  EXPECT_EQ(two.Find("c"), nullptr);
  EXPECT_EQ(two.Seeing("b"), std::vector<WatchId>{2});
  EXPECT_EQ(two.Seeing("c"), std::vector<WatchId>{});
  EXPECT_EQ(two.Seeing(""), (std::vector<WatchId>{1, 2})) << "of a cluster-scoped parent";
  EXPECT_EQ(WatchSet().Find("a"), nullptr);
}

TEST(Topology, TheUnionOfTwoRevisionsIsWatchedAndTheFirstIsPlannedWith) {
  const PlannerDescription old_one{"r1", {Kind("a", "as", "pods")}};
  const PlannerDescription new_one{"r2", {Kind("a", "as", "jobs"), Kind("b", "bs", "jobs")}};
  const Topology topology = BuildTopology({&old_one, &new_one}, {});
  EXPECT_EQ(topology.resources.size(), 4u);
  ASSERT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.controllers[0].children[0].type.plural, "pods");
  EXPECT_TRUE(topology.refusals.empty());
}

TEST(Topology, TwoParentLabelsOfOneKindAreRefused) {
  PlannerDescription description{"r1", {Kind("a", "as", "pvcs"), Kind("b", "bs", "pvcs")}};
  description.kinds[0].children[0].parent_label = "x";
  description.kinds[1].children[0].parent_label = "y";
  const Topology topology = BuildTopology({&description}, {});
  EXPECT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.refusals.size(), 1u);
}

/// A reflector that watches from version 10 with the objects that were fed.
class GateTest : public ::testing::Test {
 protected:
  GateTest() : reflector_({{"", "v1", "Part", "parts", false}, "", "", {}}, {}) {
    ReflectorContext context = Context();
    reflector_.Start(context);
    reflector_.OnDiscovered({{}, true, true, false}, context);
    Feed({Bookmark("10", true)});
  }
  ReflectorContext Context() {
    return {.now = kNow, .last_stream = &stream_, .changes = &changes_, .out = &out_};
  }
  void Feed(std::vector<kube::WatchEvent> events) {
    ReflectorContext context = Context();
    reflector_.OnEvents({reflector_.stream(), std::move(events)}, context);
  }
  GateState Written(const std::string& version, const std::string& baseline = "") {
    Requirement requirement;
    requirement.object = {"default", "a"};
    requirement.uid = "ua";
    requirement.version = version;
    requirement.baseline = baseline;
    return CheckGate(requirement, reflector_);
  }
  GateState DeletedOnce(const std::string& known_version = "") {
    Requirement requirement;
    requirement.object = {"default", "a"};
    requirement.uid = "ua";
    requirement.baseline = known_version;
    return CheckGate(requirement, reflector_);
  }

  StreamId stream_ = 0;
  StoreChanges changes_;
  Outputs out_;
  Reflector reflector_;
};

TEST_F(GateTest, AWriteIsWaitedForUntilTheCacheShowsItOrSomethingNewer) {
  EXPECT_EQ(Written("12"), GateState::kWaiting);
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
  EXPECT_EQ(Written("13"), GateState::kWaiting);
  Feed({Modified(MakeObject("a", "ua", "15"))});
  EXPECT_EQ(Written("13"), GateState::kOpen);
}

TEST_F(GateTest, AWriteThatChangedNothingPassesAtOnce) {
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
}

TEST_F(GateTest, AnObjectThatCameAndWentIsNotWaitedFor) {
  Feed({Added(MakeObject("a", "ua", "12")), Deleted(MakeObject("a", "ua", "13"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
}

TEST_F(GateTest, AWriteThatTheWatermarkPassedAndTheCacheLacksIsLost) {
  Feed({Bookmark("20")});
  EXPECT_EQ(Written("12"), GateState::kLost);
}

TEST_F(GateTest, VersionsThatCannotBeComparedWaitForAnyNewerEventOfTheObject) {
  Feed({Added(MakeObject("a", "ua", "11"))});
  EXPECT_EQ(Written("x7", "11"), GateState::kWaiting);
  Feed({Modified(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("x7", "11"), GateState::kOpen);
}

TEST_F(GateTest, ADeletionIsSeenWhenTheUidIsGoneOrTerminates) {
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(DeletedOnce(), GateState::kWaiting);
  kube::DecodedObject terminating = MakeObject("a", "ua", "13");
  terminating.header.deleting = true;
  Feed({Modified(terminating)});
  EXPECT_EQ(DeletedOnce(), GateState::kOpen);
  Feed({Deleted(MakeObject("a", "ua", "14"))});
  EXPECT_EQ(DeletedOnce(), GateState::kOpen);
}

TEST_F(GateTest, AbsenceSaysNothingBeforeTheObjectCanHaveBeenSeen) {
  EXPECT_EQ(DeletedOnce("15"), GateState::kWaiting);
  Feed({Added(MakeObject("a", "ua", "15"))});
  EXPECT_EQ(DeletedOnce("15"), GateState::kWaiting);
  Feed({Deleted(MakeObject("a", "ua", "16"))});
  EXPECT_EQ(DeletedOnce("15"), GateState::kOpen);
}

TEST_F(GateTest, AKindThatCannotBeWatchedHoldsNobodyUp) {
  ReflectorContext context = Context();
  reflector_.OnWatchEnded({reflector_.stream(), ApiFailure{403, "Forbidden", "", std::nullopt}},
                          context);
  EXPECT_EQ(Written("99"), GateState::kOpen);
}

TEST(Gate, BelongsInCacheByLabelsAndController) {
  const std::string owned =
      R"({"metadata":{"labels":{"app":"a"},"ownerReferences":[{"controller":true,"uid":"p"}]}})";
  ResourceSpec spec;
  spec.projection.controller_kinds = {"example.com/v1/Widget"};
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  EXPECT_FALSE(BelongsInCache(owned, spec, "q"));
  EXPECT_FALSE(BelongsInCache("{\"metadata\":{}}", spec, "p"));
  spec.label_selector = "app=a";
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  for (const char* selector : {"app=b", "app==b", "other=a", "app in (a)", "!app", "app!=b"}) {
    spec.label_selector = selector;
    EXPECT_FALSE(BelongsInCache(owned, spec, "p")) << selector;
  }
  spec.label_selector = "app==a";
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  EXPECT_FALSE(BelongsInCache("not json", spec, "p"));
}

TEST(WatermarkWaits, WakesWhoWaitedForLess) {
  WatermarkWaits waits;
  waits.Add("100", 1);
  waits.Add("99", 2);
  waits.Add("101", 3);
  EXPECT_EQ(waits.Passed("100"), (std::vector<KeyId>{2, 1}));
  EXPECT_TRUE(waits.Passed("100").empty());
}

TEST(DurationHistogram, CountsEachDurationOnce) {
  DurationHistogram histogram;
  histogram.Add(absl::Microseconds(500));
  histogram.Add(absl::Milliseconds(1));
  histogram.Add(absl::Hours(1));
  histogram.Add(-absl::Hours(1));
  EXPECT_EQ(histogram.buckets[0], 3u);
  EXPECT_EQ(histogram.buckets.back(), 1u);
  EXPECT_EQ(histogram.count, 4u);
}

}  // namespace
}  // namespace xebec::watcher
