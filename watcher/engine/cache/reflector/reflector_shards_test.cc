// SPDX-License-Identifier: Apache-2.0
// A cache of parents whose API server can select those of some buckets (KEP-5866), or cannot.
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::kPods;
using testing::ListEnd;
using testing::MakeObject;
using testing::Parents;
using testing::ReflectorTest;
using testing::UidIn;

/// A reflector that holds the parents of bucket 1 and watches from version 10.
class ShardsTest : public ReflectorTest {
 protected:
  ShardsTest() {
    ResourceSpec spec{kPods, "", "", {}};
    spec.projection.keep = Parents({1});
    reflector_ = Reflector(spec, {.barrier_pages = 0});
    Start();
    first_ = *Requested<StartList>();
    kube::ListPage page{{MakeObject("a", UidIn(1), "5")}, "10", ""};
    page.foreign = 1;
    Do([&](auto& c) { reflector_.OnList({Stream(), page}, c); });
  }
  void Ask() {
    now_ += absl::Seconds(1);
    Do([&](auto& c) { reflector_.RequireFresh({now_}, c); });
  }
  /// Answers the page of Ask, of several, as a server that selects.
  void Confirm() {
    Ask();
    kube::ListPage page{{MakeObject("a", UidIn(1), "5")}, "20", "more"};
    page.sharded = true;
    EXPECT_EQ(Requested<StartList>()->shard_selector, kube::ShardSelector(Parents({1})));
    const StreamId stream = Requested<StartList>()->stream;
    Do([&](auto& c) { reflector_.OnList({stream, page}, c); });
  }
  void FailPage(int status) {
    const StreamId stream = Requested<StartList>()->stream;
    Do([&](auto& c) { reflector_.OnListFailed({stream, {status, "", "", std::nullopt}}, c); });
  }

  StartList first_;
};

TEST_F(ShardsTest, TheFirstListAsksForASelectionAndItsWatchDoesNotUntilTheServerConfirmsIt) {
  EXPECT_EQ(first_.shard_selector, kube::ShardSelector(Parents({1})));
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->shard_selector, "");
}

TEST_F(ShardsTest, PagesAskForASelectionAndAfterItsConfirmationTheNextWatchIsSelected) {
  Confirm();
  EXPECT_EQ(Requested<StartWatch>(), nullptr) << "the watch goes on";
  now_ += absl::Minutes(10);
  EndCleanly();
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->shard_selector, kube::ShardSelector(Parents({1})));
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
  Fail(410);
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_NE(Requested<StartList>()->shard_selector, "");
}

TEST_F(ShardsTest, WithoutAConfirmationWatchesAreNotSelected) {
  Ask();
  kube::ListPage page{{}, "20", "more"};
  page.foreign = 2;
  const StreamId stream = Requested<StartList>()->stream;
  Do([&](auto& c) { reflector_.OnList({stream, page}, c); });
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  now_ += absl::Minutes(10);
  EndCleanly();
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->shard_selector, "");
}

TEST_F(ShardsTest, AServerThatRefusesTheSelectorIsAskedWithoutItAtOnce) {
  for (const int status : {400, 422, 500}) {
    reflector_ = Reflector(reflector_.spec(), {.barrier_pages = 0});
    Start();
    Events({ListEnd("10")});
    Ask();
    FailPage(status);
    ASSERT_NE(Requested<StartList>(), nullptr) << status;
    EXPECT_EQ(Requested<StartList>()->shard_selector, "");
    AnswerPage({}, "10", "more");
    EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
  }
}

TEST_F(ShardsTest, AWatchThatIsRefusedForItsSelectorIsOpenedWithoutItAtOnce) {
  for (const int status : {400, 422, 500}) {
    reflector_ = Reflector(reflector_.spec(), {.barrier_pages = 0});
    Start();
    Events({ListEnd("10")});
    Confirm();
    now_ += absl::Minutes(10);
    EndCleanly();
    ASSERT_NE(Requested<StartWatch>(), nullptr);
    ASSERT_NE(Requested<StartWatch>()->shard_selector, "");
    Fail(status);
    ASSERT_NE(Requested<StartWatch>(), nullptr) << status;
    EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
    EXPECT_EQ(Requested<StartWatch>()->shard_selector, "");
  }
}

TEST_F(ShardsTest, AListThatIsRefusedForItsSelectorIsRepeatedWithoutItAtOnce) {
  Fail(410);
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_NE(Requested<StartList>()->shard_selector, "");
  FailPage(500);
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->shard_selector, "");
  FailPage(500);
  EXPECT_EQ(Requested<StartList>(), nullptr) << "now it waits";
}

}  // namespace
}  // namespace xebec::watcher
