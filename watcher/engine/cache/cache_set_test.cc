// SPDX-License-Identifier: Apache-2.0
// What a CacheSet makes of the buckets that it holds.
#include "watcher/engine/cache/cache_set.h"

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/fake_resource.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Bookmark;
using testing::FakeResource;
using testing::MakeBuckets;
using testing::PartType;
using testing::ScrapType;
using testing::UidIn;
using testing::WidgetType;

constexpr ControllerId kWidgets = 0;
constexpr absl::Duration kEver = -absl::InfiniteDuration();

/// Widgets "w0" … "w3", each in the bucket of its number, with a part each, and a related scrap
/// that belongs to nobody.
class CacheSetTest : public ::testing::Test {
 protected:
  CacheSetTest() {
    for (const uint32_t bucket : {0, 1, 2, 3}) {
      const std::string name = absl::StrCat("w", bucket);
      server_[WidgetType()].Write(name, "", UidOf(bucket));
      server_[PartType()].Write(name + "-part", UidOf(bucket));
    }
    server_[ScrapType()].Write("scrap", "");
  }
  static std::string UidOf(uint32_t bucket) { return UidIn(bucket, "w"); }
  static PlannerDescription Description() {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = WidgetType();
    kind.children = {ChildRule{.type = PartType()}};
    kind.related = {ChildRule{.type = ScrapType()}};
    return {"r1", {kind}};
  }
  /// Holds the buckets and brings everything up to date.
  void Begin(std::initializer_list<uint32_t> buckets) {
    Hold(buckets);
    Feed(DescriptionArrived{Description()});
    Run();
  }
  void Hold(std::initializer_list<uint32_t> buckets, uint32_t count = 4) {
    CacheContext context{now_, &out_};
    cache_.Hold(MakeBuckets(buckets, count), context);
  }
  void RequireFresh(absl::Duration since) {
    CacheContext context{now_, &out_};
    const BucketSet none(4);
    cache_.RequireFresh({since, none}, context);
  }
  template <typename T>
  void Feed(T input) {
    CacheContext context{now_, &out_};
    cache_.On(std::move(input), context);
  }
  bool Ready(uint32_t bucket, absl::Duration since = kEver) const {
    return cache_.Ready(kWidgets, bucket, {since});
  }
  /// The buckets that are ready.
  std::vector<uint32_t> AllReady() const {
    std::vector<uint32_t> ready;
    for (const uint32_t bucket : {0, 1, 2, 3}) {
      if (Ready(bucket)) ready.push_back(bucket);
    }
    return ready;
  }
  /// Answers all requests, and the requests that follow.
  void Run() {
    for (int i = 0; i < 100 && (!out_.empty() || cache_.NextDeadline() <= now_); ++i) {
      for (const Output& output : std::exchange(out_, {})) Answer(output);
      CacheContext context{now_, &out_};
      cache_.OnTick(context);
    }
    for (Changed& change : cache_.TakeChanges()) changes_.push_back(std::move(change));
  }
  /// Brings the watches what has happened.
  void Show() {
    for (auto& [id, watch] : watches_) {
      const FakeResource& server = server_.at(watch.type);
      std::vector<kube::WatchEvent> events;
      while (watch.seen < server.version()) {
        events.push_back(server.Event(++watch.seen, watch.projection));
      }
      if (!events.empty()) Feed(EventsArrived{id, std::move(events)});
    }
    Run();
  }
  template <typename T>
  std::vector<T> Took() {
    std::vector<T> took;
    for (const Changed& change : std::exchange(changes_, {})) {
      if (const auto* match = std::get_if<T>(&change)) took.push_back(*match);
    }
    return took;
  }
  /// Which of the first four buckets' parts, widgets are stored.
  std::string Stored(const ResourceType& type, const std::string& suffix = "") const {
    std::string stored;
    for (const uint32_t bucket : {0, 1, 2, 3}) {
      const ObjectKey key{"default", absl::StrCat("w", bucket, suffix)};
      if (cache_.store(*cache_.watches().Find(type, "")).Find(key) != nullptr) {
        absl::StrAppend(&stored, bucket);
      }
    }
    return stored;
  }

  struct Watch {
    ResourceType type;
    kube::Projection projection;
    int64_t seen = 0;
  };
  absl::Duration now_ = absl::Seconds(100);
  CacheSet cache_{Options(), "watcher-a"};
  Outputs out_;
  std::vector<Changed> changes_;
  std::map<ResourceType, FakeResource> server_;
  std::map<StreamId, Watch> watches_;

 private:
  void Answer(const Output& output) {
    if (const auto* discover = std::get_if<Discover>(&output)) {
      Feed(Discovered{discover->type, true, true, false});
    } else if (const auto* stop = std::get_if<StopStream>(&output)) {
      watches_.erase(stop->stream);
    } else if (const auto* watch = std::get_if<StartWatch>(&output)) {
      Open(*watch);
    } else if (const auto* list = std::get_if<StartList>(&output)) {
      const FakeResource& server = server_[list->type];
      Feed(ListArrived{
          list->stream,
          {server.List(server.version(), list->projection), absl::StrCat(server.version()), ""}});
    }
  }
  void Open(const StartWatch& request) {
    const FakeResource& server = server_[request.type];
    Watch& watch = watches_[request.stream] = {request.type, request.projection};
    if (!absl::SimpleAtoi(request.resource_version, &watch.seen)) watch.seen = server.version();
  }
};

TEST_F(CacheSetTest, BeforeItIsKnownWhatToHoldNothingIsRequested) {
  Feed(DescriptionArrived{Description()});
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(cache_.Unsynced().size(), 1u);
  Hold({0, 1, 2, 3});
  EXPECT_EQ(out_.size(), 3u);
  Run();
  EXPECT_TRUE(cache_.Unsynced().empty());
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST_F(CacheSetTest, HoldsTheParentsOfItsBucketsTheirChildrenAndAllThatIsRelated) {
  Begin({0, 2});
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(Stored(WidgetType()), "02");
  EXPECT_EQ(Stored(PartType(), "-part"), "02");
  EXPECT_EQ(cache_.store(*cache_.watches().Find(ScrapType(), "")).objects().size(), 1u);
  EXPECT_EQ(Took<ParentAdded>().size(), 2u);
}

TEST_F(CacheSetTest, AParentIsFoundInItsSlotAndWhenAnotherObjectHasTheSlotByName) {
  Begin({0, 1, 2, 3});
  const ObjectKey w0{"default", "w0"}, other{"default", "other"};
  Slot slot = kNoSlot;
  const StoredObject* parent = cache_.Parent(kWidgets, w0, UidOf(0), &slot);
  ASSERT_NE(parent, nullptr);
  const Slot first = slot;
  EXPECT_NE(first, kNoSlot);
  EXPECT_EQ(cache_.Parent(kWidgets, w0, UidOf(0), &slot), parent);

  server_[WidgetType()].Delete("w0");
  server_[WidgetType()].Write("other", "", UidIn(0, "other"));
  Show();
  Slot slot_of_other = kNoSlot;
  ASSERT_NE(cache_.Parent(kWidgets, other, UidIn(0, "other"), &slot_of_other), nullptr);
  EXPECT_EQ(slot_of_other, first);
  EXPECT_EQ(cache_.Parent(kWidgets, w0, UidOf(0), &slot), nullptr);
  EXPECT_EQ(slot, kNoSlot);

  server_[WidgetType()].Write("w0", "", UidIn(0, "again"));
  Show();
  slot = first;
  parent = cache_.Parent(kWidgets, w0, UidOf(0), &slot);
  ASSERT_NE(parent, nullptr);
  EXPECT_EQ(parent->uid, Uid(UidIn(0, "again")));
}

TEST_F(CacheSetTest, AllBucketsAreRequestedAsIfThereWereNone) {
  Begin({0, 1, 2, 3});
  for (const auto& [id, watch] : watches_) EXPECT_FALSE(watch.projection.keep.active());
  Hold({0, 1, 2, 3, 4, 5, 6, 7}, 8);
  EXPECT_TRUE(out_.empty());
}

TEST_F(CacheSetTest, GainedBucketsBecomeReadyBesideTheOthers) {
  Begin({0});
  Took<ParentAdded>();
  Hold({0, 1});
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0}));
  Run();
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0, 1}));
  std::vector<Changed> changes = changes_;
  const std::vector<ParentAdded> added = Took<ParentAdded>();
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].name.name, "w1");
  EXPECT_TRUE(added[0].initial) << "nobody created it just now";
  changes_ = std::move(changes);
  EXPECT_FALSE(Took<BucketsReady>().empty());
  server_[WidgetType()].Write("new", "", UidIn(1, "new"));
  Show();
  EXPECT_FALSE(Took<ParentAdded>().at(0).initial);
}

TEST_F(CacheSetTest, ABucketIsReadyOnceAllCachesHoldIt) {
  Begin({0});
  Hold({0, 1});
  Outputs rest;
  for (const Output& output : std::exchange(out_, {})) {
    const auto* list = std::get_if<StartList>(&output);
    (list != nullptr && list->type == PartType() ? rest : out_).push_back(output);
  }
  Run();
  EXPECT_FALSE(Ready(1)) << "parts are not listed";
  EXPECT_TRUE(Ready(0));
  Took<BucketsReady>();
  out_ = std::move(rest);
  Run();
  EXPECT_TRUE(Ready(1));
  EXPECT_EQ(Took<BucketsReady>().size(), 1u);
}

TEST_F(CacheSetTest, LostBucketsAreForgottenAndNobodyIsToldOfADeletion) {
  Begin({0, 1});
  changes_.clear();
  Hold({1});
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{1})) << "at once";
  Run();
  EXPECT_EQ(Stored(WidgetType()), "1");
  EXPECT_EQ(Stored(PartType(), "-part"), "1");
  size_t removed = 0;
  for (const Changed& change : changes_) {
    if (std::holds_alternative<Progressed>(change)) continue;
    ASSERT_TRUE(std::holds_alternative<ParentRemoved>(change)) << change.index();
    EXPECT_EQ(std::get<ParentRemoved>(change).name.name, "w0");
    ++removed;
  }
  EXPECT_EQ(removed, 1u);
}

TEST_F(CacheSetTest, NamesOfOtherBucketsStayVisible) {
  Begin({1});
  changes_.clear();
  server_[PartType()].Delete("w0-part");
  Show();
  const std::vector<NameChanged> names = Took<NameChanged>();
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0].name.name, "w0-part");
  EXPECT_TRUE(names[0].gone);
}

TEST_F(CacheSetTest, ABarrierStopsOnlyThoseThatNeedIt) {
  Begin({0, 1});
  const absl::Duration before = now_;
  now_ += absl::Seconds(10);
  const absl::Duration since = now_;
  RequireFresh(since);
  EXPECT_TRUE(Ready(0, before));
  EXPECT_FALSE(Ready(1, since));
  EXPECT_TRUE(cache_.ControllerReady(kWidgets));
  changes_.clear();
  Run();
  EXPECT_TRUE(Ready(1, since));
  EXPECT_FALSE(Took<BucketsReady>().empty());
  EXPECT_FALSE(Ready(1, since + absl::Seconds(1)));
}

TEST_F(CacheSetTest, ABucketThatIsLostAndRegainedIsReadyAfterItsList) {
  Begin({0, 1});
  Hold({0});
  Hold({0, 1});
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0}));
  server_[PartType()].Delete("w1-part");
  Run();
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(Stored(WidgetType()), "01");
  EXPECT_EQ(Stored(PartType(), "-part"), "0");
}

TEST_F(CacheSetTest, AnotherNumberOfBucketsIsListedAgain) {
  Begin({0, 1});
  Hold({0, 1}, 8);
  EXPECT_FALSE(Ready(0)) << "bucket 0 of eight";
  Run();
  EXPECT_TRUE(Ready(0));
  EXPECT_TRUE(Ready(1));
  EXPECT_EQ(Stored(WidgetType()), "0") << "of four are those two of eight";
}

TEST_F(CacheSetTest, AWiderRevisionIsWaitedForWhileBucketsAreGained) {
  Begin({0});
  PlannerDescription next = Description();
  next.revision = "r2";
  next.kinds[0].related.clear();
  Hold({0, 1});
  Feed(DescriptionArrived{next});
  Run();
  EXPECT_EQ(cache_.revision(), "r2");
  EXPECT_EQ(AllReady(), (std::vector<uint32_t>{0, 1}));
}

TEST_F(CacheSetTest, NothingIsHeldOfNoBuckets) {
  Begin({});
  EXPECT_TRUE(AllReady().empty());
  EXPECT_EQ(Stored(WidgetType()), "");
  EXPECT_EQ(cache_.store(*cache_.watches().Find(ScrapType(), "")).objects().size(), 1u);
}

}  // namespace
}  // namespace xebec::watcher
