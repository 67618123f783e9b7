// SPDX-License-Identifier: Apache-2.0
// Objects that name their parent by a label, in the caches of watchers that share the parents.
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::MakeBuckets;
using testing::MakeObject;
using testing::Modified;
using testing::PartType;
using testing::UidIn;
using testing::WidgetType;

/// The widget of that bucket, "w0" … "w3".
kube::DecodedObject Widget(uint32_t bucket, const std::string& version) {
  return MakeObject(absl::StrCat("w", bucket), UidIn(bucket, "w"), version);
}
/// A part that names the widget of that bucket and is controlled by another object.
kube::DecodedObject Part(uint32_t bucket, const std::string& version) {
  kube::DecodedObject part = MakeObject(absl::StrCat("part", bucket), absl::StrCat("up", bucket),
                                        version, UidIn(1, "set"));
  part.header.parent_label = absl::StrCat("w", bucket);
  part.header.controlled = false;
  return part;
}

/// The caches of a watcher that holds some of four buckets, whose answers the tests give.
class LabelParentsTest : public ::testing::Test {
 protected:
  void Begin(std::initializer_list<uint32_t> buckets, bool stateful = false) {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = WidgetType();
    kind.children = {ChildRule{.type = PartType(), .parent_label = "widget", .stateful = stateful}};
    Hold(buckets);
    Feed(DescriptionArrived{{"r1", {kind}}});
    for (const ResourceType& type : {WidgetType(), PartType()}) {
      Feed(Discovered{type, true, true, false});
    }
  }
  void Hold(std::initializer_list<uint32_t> buckets, const std::string& from = "") {
    Do([&](CacheContext& context) {
      context.from = from;
      cache_.Hold(MakeBuckets(buckets), context);
    });
  }
  /// Another watcher hands these parts over, and has left out parts with these labels.
  void TransferParts(std::vector<kube::DecodedObject> parts, std::vector<ObjectKey> left_out) {
    Feed(ListArrived{lists_.at("parts").back(), {std::move(parts), "20", ""}, std::move(left_out)});
  }
  template <typename T>
  void Feed(T input) {
    Do([&](CacheContext& context) { cache_.On(std::move(input), context); });
  }
  template <typename Call>
  void Do(const Call& call) {
    Outputs out;
    CacheContext context{now_, &out};
    call(context);
    for (const Output& output : out) {
      if (const auto* watch = std::get_if<StartWatch>(&output)) {
        streams_[watch->type.plural] = watch->stream;
      } else if (const auto* list = std::get_if<StartList>(&output)) {
        lists_[list->type.plural].push_back(list->stream);
      }
    }
  }
  void List(const ResourceType& type, std::vector<kube::DecodedObject> objects,
            const std::string& version) {
    Feed(ListArrived{lists_.at(type.plural).back(), {std::move(objects), version, ""}});
  }
  void Events(const ResourceType& type, std::vector<kube::WatchEvent> events) {
    Feed(EventsArrived{streams_.at(type.plural), std::move(events)});
  }
  /// A list of the widgets of these buckets. What the filter does not keep comes as a header.
  void ListWidgets(std::initializer_list<uint32_t> buckets, const std::string& version) {
    std::vector<kube::DecodedObject> widgets;
    for (const uint32_t bucket : buckets) widgets.push_back(Widget(bucket, "5"));
    List(WidgetType(), std::move(widgets), version);
  }
  void ListParts(const std::string& version) {
    std::vector<kube::DecodedObject> parts;
    for (const uint32_t bucket : {0, 1, 2, 3}) parts.push_back(Part(bucket, "6"));
    List(PartType(), std::move(parts), version);
  }
  /// Runs all steps that are due.
  void Tick() {
    for (int i = 0; i < 20 && cache_.NextDeadline() <= now_; ++i) {
      Do([&](CacheContext& context) { cache_.OnTick(context); });
    }
  }
  std::set<std::string> Parts() const {
    std::set<std::string> names;
    const WatchId watch = *cache_.watches().Find(PartType(), "");
    for (const StoredObject* part : cache_.store(watch).InNamespace("")) {
      names.insert(part->parent_label());
    }
    return names;
  }
  using Names = std::set<std::string>;

  absl::Duration now_ = absl::Seconds(100);
  CacheSet cache_{Options{}, "me"};
  std::map<std::string, StreamId> streams_;
  std::map<std::string, std::vector<StreamId>> lists_;
};

TEST_F(LabelParentsTest, EachWatcherKeepsThoseOfItsOwnParents) {
  Begin({0, 1});
  ListWidgets({0, 1}, "10");
  ListParts("10");
  EXPECT_EQ(Parts(), (Names{"w0", "w1"}));
  cache_ = CacheSet(Options{}, "other");
  Begin({2, 3});
  ListWidgets({2, 3}, "10");
  ListParts("10");
  EXPECT_EQ(Parts(), (Names{"w2", "w3"}));
}

TEST_F(LabelParentsTest, AllAreKeptUntilTheParentsAreListed) {
  Begin({0, 1});
  ListParts("10");
  Tick();
  EXPECT_EQ(Parts().size(), 4u);
  ListWidgets({0, 1}, "11");
  Tick();
  EXPECT_EQ(Parts(), (Names{"w0", "w1"}));
  EXPECT_EQ(lists_.at("parts").size(), 1u);
}

TEST_F(LabelParentsTest, AListDoesNotDeleteWhatItIsNotReadFor) {
  Begin({0, 1});
  ListParts("10");
  ListWidgets({0, 1}, "11");
  const WatchId watch = *cache_.watches().Find(PartType(), "");
  Do([&](CacheContext& context) { cache_.Doubt(watch, context); });
  ListParts("12");
  EXPECT_FALSE(cache_.store(watch).SawDeletion("up2"));
  Tick();
  EXPECT_EQ(Parts(), (Names{"w0", "w1"}));
}

TEST_F(LabelParentsTest, EventsOfOtherParentsObjectsAreForeign) {
  Begin({0, 1});
  ListWidgets({0, 1}, "10");
  ListParts("10");
  Events(PartType(), {Modified(Part(2, "11")), Modified(Part(1, "12")), Deleted(Part(3, "13"))});
  EXPECT_EQ(Parts(), (Names{"w0", "w1"}));
}

TEST_F(LabelParentsTest, AnObjectOfADeletedParentIsForgottenWithItsNextEvent) {
  Begin({0, 1});
  ListWidgets({0, 1}, "10");
  ListParts("10");
  Events(WidgetType(), {Deleted(Widget(1, "11"))});
  Events(PartType(), {Modified(Part(1, "12"))});
  EXPECT_EQ(Parts(), Names{"w0"});
  const WatchId watch = *cache_.watches().Find(PartType(), "");
  EXPECT_FALSE(cache_.store(watch).SawDeletion("up1")) << "it exists";
}

TEST_F(LabelParentsTest, AGainedBucketBringsItsObjectsWhicheverListComesFirst) {
  for (const bool parents_first : {false, true}) {
    cache_ = CacheSet(Options{}, "me");
    Begin({0});
    ListWidgets({0}, "10");
    ListParts("10");
    EXPECT_EQ(Parts(), Names{"w0"});
    Hold({0, 2});
    if (parents_first) ListWidgets({0, 2}, "20");
    ListParts("20");
    if (!parents_first) ListWidgets({0, 2}, "20");
    Tick();
    EXPECT_EQ(Parts(), (Names{"w0", "w2"})) << parents_first;
    Hold({2});
    Tick();
    EXPECT_EQ(Parts(), Names{"w2"});
  }
}

TEST_F(LabelParentsTest, AParentThatComesAfterItsObjectsLeadsToAList) {
  Begin({0, 1});
  ListWidgets({0}, "10");
  ListParts("10");
  EXPECT_EQ(Parts(), Names{"w0"});
  Tick();
  const size_t lists = lists_.at("parts").size();
  Events(WidgetType(), {Added(Widget(1, "11"))});
  Events(WidgetType(), {Modified(Widget(1, "12"))});
  EXPECT_EQ(lists_.at("parts").size(), lists) << "more parents may come";
  now_ = cache_.NextDeadline();
  Tick();
  EXPECT_EQ(lists_.at("parts").size(), lists + 1);
  ListParts("12");
  EXPECT_EQ(Parts(), (Names{"w0", "w1"}));
}

TEST_F(LabelParentsTest, AParentThatComesAfterItsObjectsWereForgottenLeadsToAList) {
  Begin({0, 1});
  ListParts("10");
  Tick();
  EXPECT_EQ(Parts().size(), 4u);
  ListWidgets({0}, "11");
  Tick();
  EXPECT_EQ(Parts(), Names{"w0"});
  Events(WidgetType(), {Added(Widget(1, "12"))});
  now_ += absl::Seconds(6);
  Tick();
  EXPECT_EQ(lists_.at("parts").size(), 2u);
}

TEST_F(LabelParentsTest, ObjectsThatTheOtherWatcherLeftOutAreListedOnceTheirParentIsHere) {
  for (const bool parents_first : {false, true}) {
    for (const uint32_t late : {1u, 2u, 3u}) {  // own, gained, of another watcher
      cache_ = CacheSet(Options{}, "me");
      Begin({0, 1});
      ListWidgets({0, 1}, "10");
      ListParts("10");
      Tick();
      const size_t lists = lists_.at("parts").size();
      Hold({0, 1, 2}, "10.0.0.2:7442");
      if (parents_first) List(WidgetType(), {Widget(2, "5")}, "20");
      TransferParts({}, {{"default", absl::StrCat("w", late)}});
      if (!parents_first) List(WidgetType(), {Widget(2, "5")}, "20");
      now_ += absl::Seconds(6);
      Tick();
      EXPECT_EQ(lists_.at("parts").size(), lists + (late == 2 ? 2 : 1)) << late << parents_first;
    }
  }
}

TEST_F(LabelParentsTest, WhatSeveralWatchersLeftOutIsReviewed) {
  Begin({0});
  ListWidgets({0}, "10");
  ListParts("10");
  Tick();
  const size_t lists = lists_.at("parts").size();
  Hold({0, 1}, "10.0.0.2:7442");
  TransferParts({}, {{"default", "w1"}});
  Hold({0, 1, 2}, "10.0.0.3:7442");
  TransferParts({}, {{"default", "w3"}});
  const StreamId widgets = lists_.at("widgets").back();
  Feed(ListArrived{widgets, {{Widget(0, "5"), Widget(1, "5")}, "20", ""}});
  ListWidgets({0, 1, 2}, "20");
  now_ += absl::Seconds(6);
  Tick();
  EXPECT_EQ(lists_.at("parts").size(), lists + 3) << "two transfers, and a list for the part of w1";
}

TEST_F(LabelParentsTest, AParentThatComesAfterItsObjectsWereLeftOutElsewhereLeadsToAList) {
  Begin({0, 1});
  ListWidgets({0, 1}, "10");
  ListParts("10");
  Tick();
  Hold({0, 1, 2}, "10.0.0.2:7442");
  List(WidgetType(), {}, "20");
  TransferParts({}, {{"default", "w2"}});
  now_ += absl::Seconds(6);
  Tick();
  const size_t lists = lists_.at("parts").size();
  Events(WidgetType(), {Added(Widget(2, "21"))});
  now_ += absl::Seconds(6);
  Tick();
  EXPECT_EQ(lists_.at("parts").size(), lists + 1);
}

TEST_F(LabelParentsTest, ANewParentWithoutObjectsLeadsToNoList) {
  Begin({0, 1});
  ListWidgets({0}, "10");
  List(PartType(), {Part(0, "6")}, "10");
  Events(WidgetType(), {Added(Widget(1, "11"))});
  EXPECT_EQ(lists_.at("parts").size(), 1u);
}

TEST_F(LabelParentsTest, ObjectsThatHoldDataAreKeptWhoeverTheirParentIs) {
  Begin({0, 1}, /*stateful=*/true);
  ListWidgets({0, 1}, "10");
  ListParts("10");
  EXPECT_EQ(Parts().size(), 4u);
}

}  // namespace
}  // namespace xebec::watcher
