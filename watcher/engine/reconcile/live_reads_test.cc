// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/live_reads.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {
namespace {

class LiveReadsTest : public ::testing::Test {
 protected:
  LiveReadsTest()
      : reads_(ReadPurpose::kAll, {{PartType(), "default", ""}, {PartType(), "default", "a"}}) {
    reads_.Send(cache_, 500, &sequences_, &out_);
  }

  const CacheSet cache_{Options(), "watcher-a"};
  Sequences sequences_;
  Outputs out_;
  LiveReads reads_;
};

TEST_F(LiveReadsTest, ListsARefWithoutANameAndGetsOneWithAName) {
  ASSERT_EQ(out_.size(), 2u);
  EXPECT_EQ(std::get<LiveList>(out_[0]).read, 1u);
  EXPECT_EQ(std::get<LiveGet>(out_[1]).ref.name, "a");
  EXPECT_EQ(reads_.Outstanding(), (std::vector<ReadId>{1, 2}));
}

TEST_F(LiveReadsTest, IsDoneWhenAllHaveAnswersAndTakesEachOnce) {
  EXPECT_TRUE(reads_.Take({1, {MakeObject("a", "ua", "5"), MakeForeign("b", "ub", "6")}}));
  EXPECT_FALSE(reads_.Take({1, {}}));
  EXPECT_FALSE(reads_.done());
  EXPECT_EQ(reads_.Fail({2, ApiFailure{404, "NotFound", "", std::nullopt}}),
            LiveReads::Failure::kAbsent);
  EXPECT_TRUE(reads_.done());
  EXPECT_EQ(reads_.reads()[0].found.size(), 1u) << "without the one that is not owned";
}

TEST_F(LiveReadsTest, ACoreKindIsNeverMissingWhateverAnAnswerSays) {
  reads_.Fail({1, ApiFailure{404, "NotFound", "", std::nullopt}});
  reads_.Fail({2, ApiFailure{404, "", "404 page not found", std::nullopt}});
  EXPECT_FALSE(reads_.done()) << "another server has answered";
  out_.clear();
  reads_.Send(cache_, 500, &sequences_, &out_);
  EXPECT_EQ(out_.size(), 2u);
}

TEST(LiveReads, AKindOfAnExtensionThatIsNotServedHasNoObjects) {
  const CacheSet cache(Options(), "watcher-a");
  Sequences sequences;
  Outputs out;
  LiveReads reads(ReadPurpose::kAll, {{{"apps", "v1", "Widget", "widgets"}, "default", ""}});
  reads.Send(cache, 500, &sequences, &out);
  reads.Fail({1, ApiFailure{404, "", "404 page not found", std::nullopt}});
  EXPECT_TRUE(reads.done());
}

TEST(LiveReads, WarningEventsOfAnObjectAreListedByItsName) {
  const CacheSet cache(Options(), "watcher-a");
  Sequences sequences;
  Outputs out;
  LiveReads reads(ReadPurpose::kEvents, {{PartType(), "default", "a"}});
  reads.Send(cache, 500, &sequences, &out);
  const auto& list = std::get<LiveList>(out.at(0));
  EXPECT_EQ(list.type, LiveReads::EventType());
  EXPECT_EQ(list.ns, "default");
  EXPECT_EQ(list.field_selector, "type=Warning,involvedObject.kind=Part,involvedObject.name=a");
  EXPECT_EQ(reads.Fail({1, ApiFailure{403, "Forbidden", "", std::nullopt}}),
            LiveReads::Failure::kUnanswered);
  EXPECT_TRUE(reads.done()) << "the planner can decide without them";
}

TEST_F(LiveReadsTest, OnlyFailedReadsAreSentAgain) {
  EXPECT_EQ(reads_.Fail({1, ApiFailure{500, "", "", std::nullopt}}), LiveReads::Failure::kFailed);
  EXPECT_EQ(reads_.Outstanding(), std::vector<ReadId>{2});
  out_.clear();
  reads_.Send(cache_, 500, &sequences_, &out_);
  ASSERT_EQ(out_.size(), 1u);
  EXPECT_EQ(std::get<LiveList>(out_[0]).read, 3u);
}

TEST_F(LiveReadsTest, ReadsThatFailTogetherAreOneFailedAttempt) {
  const Backoff backoff{absl::Seconds(1), absl::Minutes(1)};
  const ApiFailure broken{0, "", "", std::nullopt};
  for (uint32_t attempt = 0; attempt < 2; ++attempt) {
    for (const ReadId read : reads_.Outstanding()) {
      reads_.Fail({read, broken});
      EXPECT_EQ(reads_.RetryDelay(backoff, 7), BackoffDelay(backoff, attempt, 7));
    }
    out_.clear();
    reads_.Send(cache_, 500, &sequences_, &out_);
    ASSERT_EQ(out_.size(), 2u);
    EXPECT_EQ(std::get<LiveList>(out_[0]).limit, 500u >> (attempt + 1));
  }
}

TEST_F(LiveReadsTest, OnlyListsThatBreakOffGetSmaller) {
  reads_.Fail({1, ApiFailure{503, "", "", std::nullopt}});
  reads_.Fail({2, ApiFailure{0, "", "", std::nullopt}});
  out_.clear();
  reads_.Send(cache_, 500, &sequences_, &out_);
  EXPECT_EQ(std::get<LiveList>(out_[0]).limit, 500u);
  ApiFailure refused{0, "", "connection refused", std::nullopt};
  refused.not_sent = true;
  reads_.Fail({3, refused});
  out_.clear();
  reads_.Send(cache_, 500, &sequences_, &out_);
  EXPECT_EQ(std::get<LiveList>(out_[0]).limit, 500u);
}

TEST_F(LiveReadsTest, TheNextAttemptWaitsAsLongAsTheApiServerAsks) {
  const Backoff backoff{absl::Seconds(1), absl::Minutes(1)};
  reads_.Fail({1, ApiFailure{429, "TooManyRequests", "", absl::Seconds(40)}});
  reads_.Fail({2, ApiFailure{429, "TooManyRequests", "", absl::Seconds(2)}});
  EXPECT_EQ(reads_.RetryDelay(backoff, 7), absl::Seconds(40));
}

TEST_F(LiveReadsTest, AFailureOfAKindThatIsNotWatchedIsAnAnswer) {
  reads_.Fail({2, ApiFailure{500, "", "", std::nullopt}});
  reads_.AdaptToFailures(cache_);
  EXPECT_EQ(reads_.Outstanding(), std::vector<ReadId>{1});
  EXPECT_TRUE(reads_.Take({1, {}}));
  EXPECT_TRUE(reads_.done());
}

TEST_F(LiveReadsTest, ThePageHasAtLeastOneObjectUntilTheReadsAreExhausted) {
  for (int failures = 0; failures < 10; ++failures) {
    EXPECT_FALSE(reads_.exhausted());
    reads_.Fail({reads_.Outstanding().front(), ApiFailure{0, "", "", std::nullopt}});
    reads_.Fail({reads_.Outstanding().front(), ApiFailure{0, "", "", std::nullopt}});
    out_.clear();
    reads_.Send(cache_, 500, &sequences_, &out_);
  }
  EXPECT_TRUE(reads_.exhausted());
  EXPECT_EQ(std::get<LiveList>(out_.at(0)).limit, 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
