// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/terms.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kStart = absl::Seconds(100);
constexpr TermChanges kWon{.won = true}, kLost{.lost = true}, kNothing{};

SeenVersions See() { return {}; }

/// The terms of "me" in two buckets.
class TermsTest : public ::testing::Test {
 protected:
  void Review(const BucketHolder& first, absl::Duration now = kStart) {
    terms_.Review({{first, {"other", 1, true}}}, /*member=*/true, alone_, now);
  }
  const Term& First() const { return terms_.at(0); }

  Terms terms_{2, "me", {.quarantine = absl::Seconds(40), .limit_interval = absl::Minutes(1)}};
  bool alone_ = false;
  const BucketSet none_{2};
};

TEST_F(TermsTest, ATermBeginsWhenTheAssignmentNamesAMember) {
  terms_.Review({{{"me", 5, true}, {"other", 1, true}}}, /*member=*/false, false, kStart);
  EXPECT_FALSE(First().held);
  EXPECT_EQ(terms_.TakeChanges(), kNothing);
  Review({"me", 5, true});
  EXPECT_TRUE(First().held);
  EXPECT_FALSE(terms_.at(1).held);
  EXPECT_TRUE(terms_.InForce(0));
  EXPECT_EQ(First().epoch, 5u);
  EXPECT_EQ(First().first_epoch, 5u);
  EXPECT_EQ(First().acquisitions, 1u);
  EXPECT_EQ(terms_.held(), 1u);
  EXPECT_THAT(terms_.Unheld().ToVector(), ElementsAre(1));
  EXPECT_EQ(terms_.TakeChanges(), kWon);
  EXPECT_THAT(terms_.TakeAcquired()->buckets.ToVector(), ElementsAre(0));
  EXPECT_EQ(terms_.TakeAcquired(), std::nullopt) << "they are taken";
}

TEST_F(TermsTest, ATermEndsWhenAnotherWatcherIsNamed) {
  Review({"me", 5, true});
  terms_.TakeChanges();
  Review({"other", 6, true});
  EXPECT_FALSE(First().held);
  EXPECT_EQ(First().epoch, 0u);
  EXPECT_EQ(terms_.TakeChanges(), kLost);
  EXPECT_EQ(terms_.moves().at("lost"), 1u);
}

TEST_F(TermsTest, ABucketThatAnotherClientMovedInTheSameEpochIsNotUsedInIt) {
  Review({"other", 5, true});
  Review({"me", 5, true});
  EXPECT_TRUE(First().held);
  EXPECT_FALSE(terms_.InForce(0));
  EXPECT_EQ(terms_.known_epochs()[0], 6u);
  EXPECT_EQ(First().quarantine_end, kStart + absl::Seconds(40)) << "the other one may still plan";
  Review({"me", 5, true});
  EXPECT_EQ(terms_.known_epochs()[0], 6u) << "it is the same change";
  Review({"me", 7, true});
  EXPECT_TRUE(terms_.InForce(0));
}

TEST_F(TermsTest, ABucketThatWatchersMovedIsUsedInItsEpoch) {
  Review({"other", 5, true});
  Review({"", 6, true});
  Review({"me", 7, true});
  EXPECT_TRUE(terms_.InForce(0));
  EXPECT_EQ(First().quarantine_end, -absl::InfiniteDuration());
}

TEST_F(TermsTest, ABucketThatAnotherClientFreedIsInDoubt) {
  Review({"other", 5, true});
  Review({"", 5, true});
  EXPECT_THAT(terms_.InDoubt(kStart).ToVector(), ElementsAre(0));
  Review({"me", 6, true}, kStart + absl::Seconds(3));
  EXPECT_EQ(First().quarantine_end, kStart + absl::Seconds(43)) << "its giver did not know";
  EXPECT_EQ(First().freshness.since, kStart + absl::Seconds(3));
}

TEST_F(TermsTest, ABucketThatWasHeldUnseenIsNotFreshSinceItWasFree) {
  Review({"", 4, true}, kStart);
  Review({"me", 7, true}, kStart + absl::Seconds(3));
  EXPECT_EQ(First().freshness.since, kStart + absl::Seconds(3));
  Review({"", 8, true}, kStart + absl::Seconds(4));
  Review({"", 10, true}, kStart + absl::Seconds(5));
  Review({"me", 11, true}, kStart + absl::Seconds(6));
  EXPECT_EQ(First().freshness.since, kStart + absl::Seconds(5));
}

TEST_F(TermsTest, ABucketThatWaitsForItsNextHolderDoesNotYield) {
  Review({"me", 5, true});
  terms_.SetTargets({"other", "other"}, BucketSet::All(2));
  EXPECT_TRUE(terms_.yielding().empty());
  terms_.SetTargets({"other", "other"}, none_);
  EXPECT_THAT(terms_.yielding().ToVector(), ElementsAre(0));
}

TEST_F(TermsTest, AnAssignmentWithAnotherNumberOfBucketsGivesNone) {
  Review({"me", 5, true});
  terms_.Review({{{"me", 5, true}}}, /*member=*/true, false, kStart);
  EXPECT_EQ(terms_.held(), 0u);
}

TEST_F(TermsTest, TermsAfterAnEndOfTheMembershipNeedHigherEpochs) {
  Review({"me", 5, true});
  terms_.EndMembership();
  Review({"me", 5, true});
  EXPECT_FALSE(First().held);
  Review({"me", 6, false});
  EXPECT_TRUE(First().held);
  EXPECT_EQ(First().acquisitions, 2u);
}

TEST_F(TermsTest, AnEpochThatThisWatcherRaisesBeginsNoNewTerm) {
  Review({"me", 5, true});
  EXPECT_TRUE(terms_.OnHigherEpoch(0, 9));
  EXPECT_FALSE(terms_.InForce(0));
  terms_.OnAssign({{{"me", 10, true}, {"other", 1, true}}});
  Review({"me", 10, true});
  EXPECT_TRUE(terms_.InForce(0));
  EXPECT_EQ(First().acquisitions, 1u);
  EXPECT_EQ(First().first_epoch, 5u);
  Review({"me", 11, true});
  EXPECT_EQ(First().acquisitions, 2u) << "another watcher has raised it";
}

TEST_F(TermsTest, AnEpochOfABucketThatIsNotHeldEndsNoTerm) {
  EXPECT_FALSE(terms_.OnHigherEpoch(0, 9));
  EXPECT_EQ(terms_.TakeChanges(), kNothing);
  EXPECT_THAT(terms_.known_epochs(), ElementsAre(9, 0));
}

TEST_F(TermsTest, ABucketThatIsGivenAwayIsNotInForceBeforeTheAnswer) {
  Review({"me", 5, true});
  terms_.OnAssign({{{"other", 6, true}, {"other", 1, true}}});
  EXPECT_TRUE(First().held);
  EXPECT_FALSE(terms_.InForce(0));
}

TEST_F(TermsTest, OnlyACleanBucketHasNoQuarantineAndIsFreshSinceItWasFree) {
  Review({"", 4, true}, kStart);
  Review({"me", 5, true}, kStart + absl::Seconds(3));
  EXPECT_EQ(First().freshness.since, kStart);
  EXPECT_EQ(First().quarantine_end, -absl::InfiniteDuration());
  Review({"other", 6, true}, kStart + absl::Seconds(4));
  Review({"me", 7, false}, kStart + absl::Seconds(5));
  EXPECT_EQ(First().freshness.since, kStart + absl::Seconds(5));
  EXPECT_EQ(First().quarantine_end, kStart + absl::Seconds(45));
}

TEST_F(TermsTest, YieldsWhatAnotherWatcherShouldHold) {
  Review({"me", 5, true});
  terms_.SetTargets({"other", "other"}, none_);
  EXPECT_THAT(terms_.yielding().ToVector(), ElementsAre(0));
  Review({"other", 6, true});
  EXPECT_EQ(terms_.moves().at("yielded"), 1u);
  EXPECT_EQ(terms_.moves().at("lost"), 0u);
}

TEST_F(TermsTest, ABucketThatStopsYieldingIsWonAndNotIdle) {
  Review({"me", 5, true});
  terms_.SetTargets({"other", "other"}, none_);
  EXPECT_TRUE(terms_.SetIdle(terms_.yielding(), BucketSet(2), See));
  EXPECT_FALSE(terms_.SetIdle(terms_.yielding(), BucketSet(2), See)) << "nothing has changed";
  terms_.TakeChanges();
  terms_.SetTargets({"me", "other"}, none_);
  EXPECT_TRUE(terms_.yielding().empty());
  EXPECT_TRUE(terms_.idle().empty());
  EXPECT_EQ(terms_.TakeChanges(), kWon);
}

TEST_F(TermsTest, AnIdleBucketIsInDoubtDuringItsQuarantine) {
  Review({"me", 5, false});
  terms_.SetTargets({"other", "other"}, none_);
  EXPECT_TRUE(terms_.InDoubt(kStart).empty());
  terms_.SetIdle(terms_.yielding(), BucketSet(2), See);
  EXPECT_THAT(terms_.InDoubt(kStart + absl::Seconds(39)).ToVector(), ElementsAre(0));
  EXPECT_TRUE(terms_.InDoubt(kStart + absl::Seconds(40)).empty());
  terms_.SetIdle(terms_.yielding(), terms_.yielding(), See);
  EXPECT_THAT(terms_.InDoubt(kStart + absl::Seconds(40)).ToVector(), ElementsAre(0));
}

TEST_F(TermsTest, ABucketThatWasGivenWithAStatementNeedsWhatWasStated) {
  Assignment given{{{"me", 5, true, true}, {"me", 6, true}}, {{"pods", "7"}}};
  BucketSet stated(2);
  stated.Add(0);
  terms_.Review(given, /*member=*/true, alone_, kStart);
  EXPECT_EQ(terms_.at(0).freshness, (CacheFreshness{kStart, true}));
  EXPECT_EQ(terms_.at(1).freshness, (CacheFreshness{kStart, false}));
  EXPECT_EQ(terms_.TakeAcquired(),
            (Acquired{BucketSet::All(2), kStart, kStart, stated, given.seen}));
}

TEST_F(TermsTest, OfTwoStatementsTheLaterVersionsCount) {
  Assignment given{{{"me", 5, true, true}, {"other", 6, true}},
                   {{"pods", "7"}, {"widgets", "12"}, {"parts", "5"}, {"jobs", "x"}}};
  terms_.Review(given, /*member=*/true, alone_, kStart);
  given.buckets[1] = {"me", 7, true, true};
  given.seen = {{"pods", "10"}, {"widgets", "9"}, {"jobs", "4"}};
  terms_.Review(given, /*member=*/true, alone_, kStart);
  EXPECT_EQ(terms_.TakeAcquired()->seen, (SeenVersions{{"pods", "10"}, {"widgets", "12"}}));
}

TEST_F(TermsTest, AStatementDoesNotCountIfAnotherClientMovedTheBucket) {
  Review({"other", 5, true});
  terms_.Review({{{"me", 5, true, true}, {"other", 1, true}}, {{"pods", "7"}}}, true, alone_,
                kStart);
  EXPECT_FALSE(First().freshness.stated);
}

TEST_F(TermsTest, AStatementAboutAnEarlierMoveDoesNotCount) {
  Assignment given{{{"other", 5, true, true}, {"other", 1, true}}, {{"pods", "7"}}};
  terms_.Review(given, /*member=*/true, alone_, kStart);
  given.buckets[0] = {"me", 6, true, true};
  terms_.Review(given, /*member=*/true, alone_, kStart);
  EXPECT_FALSE(First().freshness.stated) << "another client wrote this";
}

TEST_F(TermsTest, ANewTermIsNotIdle) {
  Review({"me", 5, true});
  terms_.SetTargets({"other", "other"}, none_);
  terms_.SetIdle(terms_.yielding(), terms_.yielding(), See);
  Review({"me", 9, true});
  EXPECT_TRUE(terms_.idle().empty()) << "others have planned it meanwhile";
  EXPECT_TRUE(terms_.InDoubt(kStart).empty());
}

TEST_F(TermsTest, OnlyABucketOfNobodyElseCountsAtOnce) {
  alone_ = true;
  Review({"me", 5, true});
  EXPECT_EQ(terms_.Share().Of(10, kStart), 5u);
  terms_.Review({{{"me", 5, true}, {"me", 2, true}}}, /*member=*/true, alone_, kStart);
  EXPECT_EQ(terms_.Share().Of(10, kStart), 5u) << "the other watcher may have used its share";
  EXPECT_EQ(terms_.Share().Of(10, kStart + absl::Minutes(1)), 10u);
}

TEST_F(TermsTest, TheOnlyWatcherHoldsAllBucketsWithTheEpochsThatAppliersKnow) {
  terms_.HoldAll();
  EXPECT_EQ(terms_.held(), 2u);
  EXPECT_EQ(terms_.at(1).epoch, 1u);
  terms_.RaiseEpoch(1, 9);
  EXPECT_EQ(terms_.at(1).epoch, 9u);
  EXPECT_TRUE(terms_.InForce(1));
  EXPECT_EQ(terms_.TakeChanges(), kNothing);
}

}  // namespace
}  // namespace xebec::watcher::testing
