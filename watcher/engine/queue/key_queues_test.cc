// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_queues.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

const absl::Duration kNow = absl::Seconds(100);

bool All(ControllerId) { return true; }

/// Two controllers without keys.
class KeyQueuesTest : public ::testing::Test {
 protected:
  KeyQueuesTest() { queues_.AddControllers(2, Options(), LimitShare()); }

  KeyId Add(ControllerId controller, const std::string& name, bool initial = false) {
    for (const KeyChange& change : Map(ParentAdded{controller, {"ns", name}, "u-" + name, initial}))
      queues_.Add(change.key, change.priority, change.reason, kNow);
    return *queues_.keys().Find(controller, {"ns", name});
  }
  std::vector<KeyChange> Map(const Changed& change) { return queues_.Map(change, cache_); }
  TakenKey TakeFirst() { return queues_.Take(All, kNow).value(); }
  std::optional<KeyId> Take(absl::FunctionRef<bool(ControllerId)> may_start = All) {
    const std::optional<TakenKey> taken = queues_.Take(may_start, kNow);
    return taken ? std::optional(taken->key) : std::nullopt;
  }

  CacheSet cache_{Options(), "watcher-a"};
  KeyQueues queues_;
};

TEST_F(KeyQueuesTest, TakesTheMostUrgentKeyOfAllControllers) {
  const KeyId slow = Add(0, "slow", /*initial=*/true);
  const KeyId fast = Add(1, "fast");
  EXPECT_EQ(Take(), fast);
  EXPECT_EQ(Take(), slow);
  EXPECT_EQ(Take(), std::nullopt);
}

TEST_F(KeyQueuesTest, TakesParentsOfAListThatWaitForAReconcileBeforeTheOthers) {
  Add(0, "reconciled", /*initial=*/true);
  for (const KeyChange& each : Map(ParentAdded{0, {"ns", "new"}, "u-new", true, true}))
    queues_.Add(each.key, each.priority, each.reason, kNow);
  EXPECT_EQ(Take(), queues_.keys().Find(0, {"ns", "new"}));
}

TEST_F(KeyQueuesTest, PassesOverControllersThatMayNotStart) {
  const KeyId other = Add(0, "other", /*initial=*/true);
  Add(1, "paused");
  EXPECT_EQ(Take([](ControllerId id) { return id == 0; }), other);
  EXPECT_EQ(Take([](ControllerId id) { return id == 0; }), std::nullopt);
}

TEST_F(KeyQueuesTest, AskNothingAboutControllersWithoutReadyKeys) {
  Add(1, "web");
  std::vector<ControllerId> asked;
  Take([&asked](ControllerId id) {
    asked.push_back(id);
    return false;
  });
  EXPECT_EQ(asked, std::vector<ControllerId>{1});
}

TEST_F(KeyQueuesTest, ParkedKeysComeBackWhenTheyMayStart) {
  const KeyId key = Add(0, "web");
  queues_.Park(TakeFirst(), kNow);
  EXPECT_FALSE(queues_.busy());
  queues_.CheckParked();
  EXPECT_TRUE(queues_.busy());
  const std::vector<ParkedKeys::Key> expected = {{key, Priority::kUser}};
  EXPECT_EQ(queues_.Unpark(10, [](KeyId) { return true; }), expected);
  EXPECT_FALSE(queues_.busy());
}

TEST_F(KeyQueuesTest, ARemovedKeyLeavesNothingBehind) {
  const KeyId key = Add(0, "web");
  queues_.Park(TakeFirst(), kNow);
  queues_.Add(key, Priority::kUser, "spec changed", kNow);
  queues_.Remove(key);
  EXPECT_EQ(Take(), std::nullopt);
  queues_.CheckParked();
  EXPECT_TRUE(queues_.Unpark(10, [](KeyId) { return true; }).empty());
  EXPECT_FALSE(queues_.keys().Has(key));
}

TEST_F(KeyQueuesTest, AFreedIdHasNoFiguresOfItsOldController) {
  const KeyId key = Add(1, "web");
  Take();
  queues_.Remove(key);
  EXPECT_GT(queues_.controllers()[1].queue.adds(), 0u);
  queues_.Free(1, Options(), LimitShare());
  EXPECT_TRUE(queues_.controllers()[1] == queues_.controllers()[0]);
}

TEST_F(KeyQueuesTest, ControllersWithoutKeysAreNotSwept) {
  queues_.SweepBuckets(BucketSet(1), "leadership acquired");
  Map(RevisionMoved{"r2"});
  EXPECT_TRUE(queues_.swept());
  Add(1, "web");
  queues_.SweepBuckets(BucketSet(1), "leadership acquired");
  EXPECT_FALSE(queues_.swept());
}

TEST_F(KeyQueuesTest, SweepsGoOnUntilAllKeysArePlannedAgain) {
  for (int i = 0; i < 5; ++i) Add(0, absl::StrCat("w", i));
  EXPECT_TRUE(queues_.swept());
  queues_.Sweep({0, "", std::nullopt, "planner revision", Priority::kBackground});
  size_t found = 0;
  for (int i = 0; i < 10 && !queues_.swept(); ++i) {
    EXPECT_TRUE(queues_.busy());
    found += queues_.SweepSome(2, 1, cache_).size();
  }
  EXPECT_EQ(found, 5u);
  EXPECT_TRUE(queues_.swept());
}

TEST_F(KeyQueuesTest, AWriteLoopDelaysTheKeyAndIsReportedOnce) {
  const KeyId key = Add(0, "web");
  int begun = 0;
  for (int i = 0; i < 40; ++i) begun += queues_.Pay(key, {1, 2}, kNow) ? 1 : 0;
  EXPECT_EQ(begun, 1);
  EXPECT_GT(queues_.controllers()[0].figures.slowed_writes, 0u);
  EXPECT_FALSE(queues_.Pay(key, {}, kNow)) << "it wrote nothing";
}

TEST_F(KeyQueuesTest, KeysWaitForNames) {
  const KeyId key = Add(0, "web");
  queues_.Want(key, {{.ns = "ns", .name = "taken"}}, cache_);
  EXPECT_EQ(queues_.keys().at(key).wanted.size(), 1u);
  queues_.Want(key, {}, cache_);
  EXPECT_TRUE(queues_.keys().at(key).wanted.empty());
}

}  // namespace
}  // namespace xebec::watcher
