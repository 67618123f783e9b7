// SPDX-License-Identifier: Apache-2.0
// A list of namespaces, each watched for itself.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

class EngineNamespacesTest : public ::testing::Test {
 protected:
  static Options OfTwo() {
    Options options = Harness::WithoutElection();
    options.namespaces = {"default", "team"};
    return options;
  }
  void WidgetInEach() {
    for (const char* ns : {"default", "team", "other"}) h_.cluster.SetWidget("w", 1, 7, ns);
  }
  /// The namespaces that have a part.
  std::vector<std::string> WithParts() const {
    std::vector<std::string> namespaces;
    for (const auto& [key, part] : h_.cluster.All(PartType())) namespaces.push_back(key.ns);
    return namespaces;
  }

  const ApiFailure forbidden_{403, "Forbidden", "", std::nullopt};
  Harness h_{OfTwo()};
};

TEST_F(EngineNamespacesTest, EachIsWatchedForItselfAndNoOtherIsWatched) {
  WidgetInEach();
  h_.Start();
  EXPECT_EQ(h_.StreamOf(WidgetType()), 0u) << "of all namespaces";
  EXPECT_NE(h_.StreamOf(WidgetType(), "team"), 0u);
  h_.RunReconciles();
  EXPECT_EQ(WithParts(), (std::vector<std::string>{"default", "team"}));
  EXPECT_EQ(h_.Keys().size(), 2u);
  h_.cluster.Delete(PartType(), "w-0");  // in default
  h_.Deliver();
  EXPECT_EQ(h_.TakeObservation().observation.envelope.parent.ref.ns, "default");
  EXPECT_TRUE(h_.observations.empty()) << "the same name elsewhere is somebody else";
}

TEST_F(EngineNamespacesTest, OneThatMayNotBeReadStopsNoOther) {
  WidgetInEach();
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Feed(CreditsChanged{4, 4});
  for (const Discover& request : h_.Take<Discover>())
    h_.Feed(Discovered{request.type, true, true, false});
  for (const StartList& list : h_.Take<StartList>()) {
    if (list.ns == "team") {
      h_.Feed(ListFailed{list.stream, forbidden_});
    } else {
      h_.outputs.push_back(list);
    }
  }
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(WithParts(), std::vector<std::string>{"default"});
  h_.Advance(absl::Minutes(1));  // it may be read by now
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(WithParts(), (std::vector<std::string>{"default", "team"}));
}

TEST_F(EngineNamespacesTest, AChildKindThatMayNotBeReadInOneIsMissingThereAlone) {
  WidgetInEach();
  h_.Start();
  h_.RunReconciles();
  h_.Feed(WatchEnded{h_.StreamOf(PartType(), "team"), forbidden_});
  h_.cluster.SetWidget("w", 2, 7, "team");
  h_.cluster.SetWidget("w", 2, 7, "default");
  h_.Deliver();
  for (int i = 0; i < 2; ++i) {
    const Observation seen = h_.TakeObservation().observation;
    EXPECT_EQ(seen.children.empty(), seen.envelope.parent.ref.ns == "team");
  }
}

TEST_F(EngineNamespacesTest, AnOwnWriteIsWaitedForInItsNamespace) {
  WidgetInEach();
  h_.Start();
  h_.held = {"parts"};
  h_.RunReconciles();
  const KeyView waiting = h_.Key("w", "team");
  EXPECT_EQ(waiting.state, KeyState::kWaitingForCache);
  ASSERT_EQ(waiting.waiting_for.size(), 1u);
  EXPECT_THAT(waiting.waiting_for[0], ::testing::StartsWith("Part team/w-0 at "));
  h_.held = {};
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w", "team").state, KeyState::kIdle);
}

TEST_F(EngineNamespacesTest, FiguresTellThemApart) {
  h_.Start();
  std::vector<std::string> watched;
  for (const ResourceFigures& each : h_.engine.Figures(h_.now).resources) {
    watched.push_back(each.type.plural + "@" + each.ns);
  }
  EXPECT_THAT(watched, ::testing::UnorderedElementsAre("parts@default", "parts@team",
                                                       "widgets@default", "widgets@team"));
}

TEST_F(EngineNamespacesTest, AParentThatMayNotBeReadIsNotPlannedFromWhatItOnceWas) {
  WidgetInEach();
  h_.Start();
  h_.RunReconciles();
  h_.Feed(WatchEnded{h_.StreamOf(WidgetType(), "team"), forbidden_});
  kube::DecodedObject part = h_.cluster.List(PartType(), "team").front();
  part.header.resource_version = "9000";
  h_.Feed(EventsArrived{h_.StreamOf(PartType(), "team"),
                        {{kube::WatchEventType::kDeleted, part, 0, "", ""}}});
  EXPECT_TRUE(h_.observations.empty());
  h_.Advance(absl::Minutes(1));
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
