// SPDX-License-Identifier: Apache-2.0
// The answers of watchers that ask each other.
#include "watcher/service/peers/testing/watchers.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kBuckets;
using testing::Names;
using ::testing::SizeIs;
using testing::Watcher;
using testing::WatchersTest;

TEST_F(WatchersTest, EachOneListsTheKeysOfAll) {
  for (Watcher* watcher : {&a_, &b_, &c_}) {
    const v1::ListKeysResponse keys = watcher->Keys();
    EXPECT_THAT(Names(keys), ElementsAre("apple", "banana", "cherry", "date", "elder"));
    EXPECT_THAT(keys.unanswered(), IsEmpty());
  }
  EXPECT_THAT(Names(b_.Keys(true)), ElementsAre("banana", "cherry"));
}

TEST_F(WatchersTest, ATokenIsGoodAtEveryWatcher) {
  v1::ListKeysRequest request;
  request.set_page_size(2);
  std::vector<std::string> pages;
  for (Watcher* watcher : {&a_, &b_, &c_}) {
    v1::ListKeysResponse page;
    ASSERT_TRUE(watcher->Call(&PeerStub::ListKeys, request, &page).ok());
    for (const std::string& name : Names(page)) pages.push_back(name);
    request.set_page_token(page.next_page_token());
  }
  EXPECT_THAT(pages, ElementsAre("apple", "banana", "cherry", "date", "elder"));
  EXPECT_EQ(request.page_token(), "");
}

TEST_F(WatchersTest, WhoDoesNotAnswerIsNamedInTheList) {
  b_.Vanish();
  const v1::ListKeysResponse keys = a_.Keys();
  EXPECT_THAT(Names(keys), ElementsAre("apple", "date", "elder"));
  ASSERT_THAT(keys.unanswered(), SizeIs(1));
  EXPECT_EQ(keys.unanswered(0).identity(), "watcher-b");
  EXPECT_NE(keys.unanswered(0).error(), "");

  b_.Serve();
  b_.SetBuckets({"banana", "cherry"});
  EXPECT_THAT(a_.Keys().keys(), SizeIs(5));
}

TEST_F(WatchersTest, AWatcherWithoutAnAddressIsNamedToo) {
  members_.Set({.identity = "watcher-d", .buckets = BucketSet::All(kBuckets)});
  const v1::ListKeysResponse keys = a_.Keys();
  EXPECT_THAT(keys.keys(), SizeIs(5));
  ASSERT_THAT(keys.unanswered(), SizeIs(1));
  EXPECT_THAT(keys.unanswered(0).error(), HasSubstr("advertise"));
}

TEST_F(WatchersTest, WhoHasNotListedItsParentsIsNamedInTheListOfEachOne) {
  b_.StartAgain();
  for (Watcher* watcher : {&a_, &b_, &c_}) {
    const v1::ListKeysResponse keys = watcher->Keys();
    EXPECT_THAT(Names(keys), ElementsAre("apple", "date", "elder"));
    ASSERT_THAT(keys.unanswered(), SizeIs(1));
    EXPECT_EQ(keys.unanswered(0).identity(), "watcher-b");
    EXPECT_TRUE(keys.unanswered(0).answered());
    EXPECT_EQ(keys.unanswered(0).error(),
              "is still listing the objects of 1 of its buckets (widgets.example.com is being "
              "discovered)");
  }
  b_.Change([](testing::Harness& harness) { harness.Deliver(); });
  EXPECT_THAT(a_.Keys().keys(), SizeIs(5));
  EXPECT_THAT(a_.Keys().unanswered(), IsEmpty());
}

TEST_F(WatchersTest, AParentIsNotMissingBeforeAllAreListed) {
  b_.StartAgain();
  v1::ExplainResponse answer;
  for (Watcher* watcher : {&a_, &b_}) {
    const grpc::Status status = watcher->Explain("cherry", &answer);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(),
                AllOf(HasSubstr("widget default/cherry"), HasSubstr("may belong to watcher-b ("),
                      HasSubstr("is still listing")));
  }
  EXPECT_EQ(b_.Explain("cherry", &answer, true).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_TRUE(b_.Explain("apple", &answer).ok());
  v1::ExplainRequest other_kind;
  other_kind.set_kind("gadget");
  other_kind.set_name("cherry");
  EXPECT_EQ(b_.Call(&PeerStub::Explain, other_kind, &answer).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(WatchersTest, TheParentsOfBucketsWithoutAWatcherMayBeMissing) {
  BucketSet unassigned(kBuckets);
  unassigned.Add(7);
  members_.SetUnassigned(unassigned);
  const v1::ListKeysResponse keys = a_.Keys();
  EXPECT_THAT(keys.keys(), SizeIs(5));
  ASSERT_THAT(keys.unanswered(), SizeIs(1));
  EXPECT_EQ(keys.unanswered(0).identity(), "");
  EXPECT_TRUE(keys.unanswered(0).answered());
  EXPECT_EQ(keys.unanswered(0).error(), "1 of 1024 buckets have no watcher");

  v1::ExplainResponse answer;
  EXPECT_TRUE(a_.Explain("elder", &answer).ok());
  const grpc::Status status = a_.Explain("nobody", &answer);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(),
              HasSubstr("may belong to no watcher (1 of 1024 buckets have no watcher)"));
}

TEST_F(WatchersTest, AParentIsExplainedByTheWatcherThatHasIt) {
  for (Watcher* watcher : {&a_, &b_, &c_}) {
    v1::ExplainResponse answer;
    ASSERT_TRUE(watcher->Explain("cherry", &answer).ok());
    EXPECT_EQ(answer.key().uid(), b_.uid("cherry"));
    EXPECT_EQ(answer.last_outcomes_size(), 1);

    v1::GetObservationRequest request;
    request.set_kind("widget");
    request.set_namespace_("default");
    request.set_name("elder");
    v1::GetObservationResponse observed;
    ASSERT_TRUE(watcher->Call(&PeerStub::GetObservation, request, &observed).ok());
    EXPECT_EQ(observed.observation().envelope().parent().uid(), c_.uid("elder"));
  }
  v1::ExplainResponse answer;
  EXPECT_EQ(a_.Explain("cherry", &answer, true).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(WatchersTest, AParentIsMissingOnlyIfAllWatchersSaySo) {
  v1::ExplainResponse answer;
  EXPECT_EQ(a_.Explain("nobody", &answer).error_code(), grpc::StatusCode::NOT_FOUND);
  b_.Vanish();
  const grpc::Status status = a_.Explain("cherry", &answer);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(),
              AllOf(HasSubstr("widget default/cherry"), HasSubstr("may belong to watcher-b")));
  EXPECT_TRUE(a_.Explain("elder", &answer).ok());
  EXPECT_THAT(answer.unanswered(), IsEmpty()) << "its holder has answered";
}

TEST_F(WatchersTest, AParentOfAnotherBucketIsExplainedByItsHolder) {
  Watcher joining(&members_, "watcher-d", {"x", "y", "banana"});  // another uid than that of b
  joining.SetBuckets({});
  b_.SetBuckets({"banana"});
  v1::ExplainResponse answer;
  ASSERT_TRUE(joining.Explain("banana", &answer).ok());
  EXPECT_EQ(answer.key().uid(), b_.uid("banana"));
  EXPECT_THAT(answer.unanswered(), IsEmpty());
  b_.Vanish();
  ASSERT_TRUE(joining.Explain("banana", &answer).ok());
  EXPECT_EQ(answer.key().uid(), joining.uid("banana"));
  EXPECT_THAT(answer.unanswered(), SizeIs(1)) << "the holder may know it better";
}

TEST_F(WatchersTest, AKindOfTwoGroupsIsNotGuessedAcrossWatchers) {
  PlannerDescription both = testing::WidgetDescription("r2");
  both.kinds.push_back(both.kinds.front());
  both.kinds.back().controller = "widget.example.org";
  both.kinds.back().parent.group = "example.org";
  Watcher other(&members_, "watcher-d", {"grape"});
  other.Change([&](testing::Harness& harness) {
    harness.Feed(DescriptionArrived{both});
    harness.Deliver();
  });
  v1::ExplainResponse answer;
  const grpc::Status status = a_.Explain("grape", &answer);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("widgets.example.com or widgets.example.org"));
}

TEST_F(WatchersTest, AWatcherThatHangsDelaysOnlyTheAnswersThatNeedIt) {
  b_.Hold();
  std::atomic<bool> listed{false};
  v1::ListKeysResponse keys;
  std::thread user([&] {
    keys = a_.Keys();
    listed = true;
  });
  v1::ExplainResponse answer;
  EXPECT_TRUE(a_.Explain("apple", &answer).ok());
  EXPECT_FALSE(listed);
  user.join();
  EXPECT_THAT(Names(keys), ElementsAre("apple", "date", "elder"));
  EXPECT_THAT(keys.unanswered(), SizeIs(1));
  b_.Release();
}

TEST_F(WatchersTest, AWatcherThatStopsAnswersTheCallsThatWaitForOthers) {
  b_.Hold();
  c_.Hold();
  grpc::Status status(grpc::StatusCode::UNKNOWN, "no reply");
  v1::ListKeysResponse keys;
  a_.service().ListKeys({}, [&](const grpc::Status& said, const v1::ListKeysResponse& response) {
    status = said;
    keys = response;
  });
  a_.calls().Stop();
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(Names(keys), ElementsAre("apple", "date"));
  EXPECT_THAT(a_.Keys().unanswered(), SizeIs(2)) << "it asks nobody any more";
  b_.Release();
  c_.Release();
}

TEST_F(WatchersTest, TheyAskEachOtherAtTheSameTimeWithoutEnd) {
  std::vector<std::thread> users;
  std::atomic<int> bad{0};
  for (int user = 0; user < 12; ++user) {
    users.emplace_back([&, user] {
      Watcher* const watchers[] = {&a_, &b_, &c_};
      for (int i = 0; i < 25; ++i) {
        v1::ExplainResponse answer;
        const bool all = watchers[user % 3]->Keys().keys_size() == 5;
        const bool one = watchers[user % 3]->Explain(i % 2 ? "cherry" : "elder", &answer).ok();
        if (!all || !one) ++bad;
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(bad, 0);
}

TEST_F(WatchersTest, AnyOneListsAllWatchers) {
  BucketSet unassigned(kBuckets);
  unassigned.Add(7);
  members_.SetUnassigned(unassigned);
  const v1::ListWatchersResponse list = b_.Watchers();
  ASSERT_THAT(list.watchers(), SizeIs(3));
  uint64_t keys = 0;
  uint32_t buckets = 0;
  for (const v1::WatcherSummary& watcher : list.watchers()) {
    EXPECT_EQ(watcher.answering(), watcher.identity() == "watcher-b");
    EXPECT_EQ(watcher.state(), v1::WATCHER_STATE_ACTIVE);
    EXPECT_GT(watcher.resident_bytes(), 1u << 20);
    EXPECT_EQ(watcher.error(), "");
    keys += watcher.keys();
    buckets += watcher.bucket_count();
  }
  EXPECT_EQ(keys, 5u);
  EXPECT_EQ(list.bucket_count(), kBuckets);
  EXPECT_EQ(buckets, 8u);
  EXPECT_EQ(list.unassigned_buckets(), "7");
}

TEST_F(WatchersTest, AWatcherThatDoesNotAnswerIsListedWithTheReason) {
  MemberView silent{
      .identity = "watcher-b", .address = c_.address(), .state = MemberState::kSilent};
  silent.silent_since = absl::FromUnixSeconds(1000);
  silent.buckets = BucketSet(kBuckets);
  members_.Set(silent);
  MemberView waiting{
      .identity = "watcher-d", .state = MemberState::kWaiting, .reason = "64 != 128"};
  waiting.buckets = BucketSet(kBuckets);
  members_.Set(waiting);

  const v1::ListWatchersResponse list = a_.Watchers();
  ASSERT_THAT(list.watchers(), SizeIs(4));
  EXPECT_EQ(list.watchers(1).state(), v1::WATCHER_STATE_SILENT);
  EXPECT_EQ(list.watchers(1).silent_since().seconds(), 1000);
  EXPECT_EQ(list.watchers(1).error(), "another watcher answers at its address");
  EXPECT_FALSE(list.watchers(1).has_keys());
  EXPECT_EQ(list.watchers(3).state(), v1::WATCHER_STATE_WAITING);
  EXPECT_EQ(list.watchers(3).reason(), "64 != 128");
  EXPECT_THAT(list.watchers(3).error(), HasSubstr("advertise"));
}

}  // namespace
}  // namespace xebec::watcher
