// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/object_store.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Children;
using testing::MakeForeign;
using testing::MakeObject;
using testing::UidIn;

// A complete list that is taken over at once.
void TakeList(ObjectStore* store, uint32_t number, const std::string& version,
              const std::vector<kube::DecodedObject>& objects, StoreChanges* changes,
              bool compare_bytes = false) {
  store->BeginList(number);
  Snapshot news;
  for (const auto& o : objects) {
    if (!store->Confirm(o, compare_bytes)) news.Set({o.header.ns, o.header.name}, ToStored(o));
  }
  store->EndList();
  store->Merge(&news, 0, objects.size(), kube::BucketFilter(), changes);
  store->Sweep(0, 1000, version, kube::BucketFilter(), changes);
  store->Advance(version);
}

std::vector<ChangeType> Types(const StoreChanges& changes) {
  std::vector<ChangeType> types;
  for (const StoreChange& change : changes) types.push_back(change.type);
  return types;
}

std::vector<ObjectKey> Names(const ObjectStore& store, std::vector<Slot> slots) {
  store.Sort(&slots);
  std::vector<ObjectKey> names;
  for (const Slot slot : slots) names.push_back(store.objects().KeyOf(slot));
  return names;
}

TEST(ObjectStore, AddsChangesAndDeletesInOrder) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5"), &changes);
  store.Upsert(MakeObject("a", "u1", "6"), &changes);
  store.Remove(MakeObject("a", "u1", "7").header, &changes);
  EXPECT_EQ(Types(changes),
            (std::vector{ChangeType::kAdded, ChangeType::kModified, ChangeType::kDeleted}));
  EXPECT_EQ(changes[1].before->resource_version, "5");
  EXPECT_EQ(changes[1].after->resource_version, "6");
  EXPECT_TRUE(changes[2].gone);
  EXPECT_TRUE(store.SawDeletion("u1"));
  EXPECT_EQ(store.Find({"default", "a"}), nullptr);
}

TEST(ObjectStore, IgnoresDuplicatesAndOlderStates) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "10"), &changes);
  store.Upsert(MakeObject("a", "u1", "10"), &changes);
  store.Upsert(MakeObject("a", "u1", "9"), &changes);
  EXPECT_EQ(changes.size(), 1u);
  EXPECT_EQ(store.Find({"default", "a"})->resource_version, "10");
}

TEST(ObjectStore, SameNameWithAnotherUidIsADeletionAndAnAddition) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5", "p1"), &changes);
  store.Upsert(MakeObject("a", "u2", "6", "p2"), &changes);
  EXPECT_EQ(Types(changes),
            (std::vector{ChangeType::kAdded, ChangeType::kDeleted, ChangeType::kAdded}));
  EXPECT_TRUE(store.OwnedBy("p1").empty());
  EXPECT_EQ(store.OwnedBy("p2").size(), 1u);
}

TEST(ObjectStore, IgnoresADeletionOfAnotherIncarnation) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u2", "6"), &changes);
  changes.clear();
  store.Remove(MakeObject("a", "u1", "5").header, &changes);
  EXPECT_TRUE(changes.empty());
  EXPECT_NE(store.Find({"default", "a"}), nullptr);
}

TEST(ObjectStore, KeepsNothingOfForeignObjectsButTellsTheirNames) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeForeign("x", "u1", "5"), &changes);
  store.Remove(MakeForeign("x", "u1", "6").header, &changes);
  ASSERT_EQ(Types(changes), (std::vector{ChangeType::kForeign, ChangeType::kForeign}));
  EXPECT_FALSE(changes[0].gone);
  EXPECT_TRUE(changes[1].gone);
  EXPECT_TRUE(store.objects().empty());
}

TEST(ObjectStore, ForgetsAnObjectThatBecomesForeign) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5", "p1"), &changes);
  store.Upsert(MakeForeign("a", "u1", "6"), &changes);
  EXPECT_EQ(store.Find({"default", "a"}), nullptr);
  EXPECT_TRUE(store.OwnedBy("p1").empty());
}

TEST(ObjectStore, FindsByOwnerAndByParentLabel) {
  ObjectStore store;
  StoreChanges changes;
  kube::DecodedObject claim = MakeObject("data-db-0", "u1", "5");
  claim.header.parent_label = "db";
  store.Upsert(claim, &changes);
  store.Upsert(MakeObject("b", "u2", "6", "p"), &changes);
  store.Upsert(MakeObject("a", "u3", "7", "p"), &changes);
  EXPECT_EQ(Names(store, store.Labelled("default", "db")),
            (std::vector<ObjectKey>{{"default", "data-db-0"}}));
  EXPECT_TRUE(store.Labelled("other", "db").empty());
  EXPECT_EQ(Names(store, store.OwnedBy("p")),
            (std::vector<ObjectKey>{{"default", "a"}, {"default", "b"}}));
  claim.header.parent_label = "";
  claim.header.resource_version = "8";
  store.Upsert(claim, &changes);
  EXPECT_TRUE(store.Labelled("default", "db").empty());
}

TEST(ObjectStore, AListMakesDeletionsOfWhatItLacks) {
  ObjectStore store;
  StoreChanges changes;
  for (const char* name : {"gone", "kept", "changed"}) {
    store.Upsert(MakeObject(name, std::string("u-") + name, "5"), &changes);
  }
  changes.clear();
  TakeList(&store, 1, "12",
           {MakeObject("kept", "u-kept", "5"), MakeObject("changed", "u-changed", "8"),
            MakeObject("new", "u-new", "9")},
           &changes);
  EXPECT_EQ(Types(changes),
            (std::vector{ChangeType::kModified, ChangeType::kAdded, ChangeType::kDeleted}));
  EXPECT_EQ(store.watermark(), "12");
  EXPECT_EQ(store.objects().size(), 3u);
}

TEST(ObjectStore, ChangesThatAListShowsAreMarked) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5"), &changes);
  store.Upsert(MakeObject("a", "u1", "6"), &changes);
  EXPECT_FALSE(changes.back().listed);
  TakeList(&store, 1, "8", {MakeObject("a", "u1", "7")}, &changes);
  ASSERT_EQ(Types(changes).back(), ChangeType::kModified);
  EXPECT_TRUE(changes.back().listed);
}

TEST(ObjectStore, ARepeatedListSharesTheBytesThatAreThere) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5"), &changes);
  const SharedBytes bytes = store.Find({"default", "a"})->json.packed();
  TakeList(&store, 1, "6", {MakeObject("a", "u1", "5")}, &changes);
  ASSERT_NE(store.Find({"default", "a"}), nullptr);
  changes.clear();
  EXPECT_EQ(bytes.users(), 2u) << "the store and this test";
}

TEST(ObjectStore, AListWithAnotherProjectionBringsNewBytesOfTheSameVersion) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5"), &changes);
  changes.clear();
  kube::DecodedObject wider = MakeObject("a", "u1", "5");
  wider.json = MakeObjectBytes("{\"wider\":1}");
  TakeList(&store, 1, "6", {wider}, &changes, /*compare_bytes=*/true);
  EXPECT_EQ(Types(changes), (std::vector{ChangeType::kModified}));
  EXPECT_EQ(*store.Find({"default", "a"})->json.Unpack(), "{\"wider\":1}");
}

TEST(ObjectStore, EventsDuringAListCountWhereTheyAreNewer) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("changed", "u1", "5"), &changes);
  store.BeginList(1);
  store.Upsert(MakeObject("changed", "u1", "9"), &changes);  // the list shows version 7
  store.Upsert(MakeObject("late", "u2", "30"), &changes);    // after the list
  store.Upsert(MakeObject("early", "u3", "8"), &changes);    // gone again when the list was made
  Snapshot news;
  news.Set({"default", "changed"}, ToStored(MakeObject("changed", "u1", "7")));
  store.EndList();
  store.Merge(&news, 0, 10, kube::BucketFilter(), &changes);
  store.Sweep(0, 10, "20", kube::BucketFilter(), &changes);
  EXPECT_EQ(store.Find({"default", "changed"})->resource_version, "9");
  EXPECT_NE(store.Find({"default", "late"}), nullptr);
  EXPECT_EQ(store.Find({"default", "early"}), nullptr);
}

TEST(ObjectStore, ForgetsOtherBucketsInStepsAndDoesNotCallThatADeletion) {
  ObjectStore store;
  StoreChanges changes;
  for (const uint32_t bucket : {0, 1, 2}) {
    const std::string name(1, static_cast<char>('a' + bucket));
    store.Upsert(MakeObject(name, "u" + name, "5", UidIn(bucket)), &changes);
  }
  changes.clear();
  EXPECT_EQ(store.ForgetOthers(0, 2, Children({1}), /*renew=*/true, &changes),
            std::optional<Slot>(2));
  ASSERT_EQ(Types(changes), (std::vector{ChangeType::kForgotten}));
  EXPECT_EQ(changes[0].key.name, "a");
  EXPECT_EQ(changes[0].before->uid, "ua");
  EXPECT_FALSE(changes[0].gone) << "its name is not free";
  EXPECT_FALSE(store.SawDeletion("ua"));
  EXPECT_TRUE(store.OwnedBy(UidIn(0)).empty());
  EXPECT_EQ(store.ForgetOthers(2, 2, Children({1}), /*renew=*/false, &changes), std::nullopt);
  EXPECT_EQ(store.objects().size(), 1u);
  EXPECT_NE(store.Find({"default", "b"}), nullptr);
}

TEST(ObjectStore, ForgetsOneObjectUnlessItIsKept) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "ua", "5", UidIn(0)), &changes);
  changes.clear();
  store.ForgetOther({"default", "a"}, Children({0}), &changes);
  store.ForgetOther({"default", "a"}, kube::BucketFilter(), &changes);
  store.ForgetOther({"default", "b"}, Children({1}), &changes);
  EXPECT_TRUE(changes.empty());
  store.ForgetOther({"default", "a"}, Children({1}), &changes);
  EXPECT_EQ(Types(changes), (std::vector{ChangeType::kForgotten}));
}

TEST(ObjectStore, UidsAreTextsAgain) {
  for (const char* uid :
       {"", "u1", "0f0e0d0c-0b0a-4908-8706-050403020100", "0F0E0D0C-0B0A-4908-8706-050403020100",
        "not-a-uuid-but-thirty-six-letters-xx"}) {
    EXPECT_EQ(Uid(uid).str(), uid);
    EXPECT_EQ(Uid(uid), uid);
    EXPECT_EQ(Uid(uid).empty(), std::string(uid).empty());
  }
  EXPECT_LT(sizeof(Uid), 48u);
}

TEST(ObjectStore, TheWatermarkNeverGoesBack) {
  ObjectStore store;
  store.Advance("99");
  store.Advance("100");
  store.Advance("20");
  EXPECT_EQ(store.watermark(), "100");
}

TEST(ObjectStore, CopiesAreEqualUntilOneChanges) {
  ObjectStore store;
  StoreChanges changes;
  store.Upsert(MakeObject("a", "u1", "5", "p"), &changes);
  ObjectStore copy = store;
  EXPECT_EQ(copy.OwnedBy("p").size(), 1u);
  EXPECT_EQ(copy, store);
  copy.Upsert(MakeObject("a", "u1", "6"), &changes);
  EXPECT_EQ(store.OwnedBy("p").size(), 1u);
  EXPECT_FALSE(copy == store);
  EXPECT_EQ(store.Find({"default", "a"})->resource_version, "5");
}

}  // namespace
}  // namespace xebec::watcher
