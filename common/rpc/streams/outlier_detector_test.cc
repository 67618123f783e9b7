// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/outlier_detector.h"

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using Change = OutlierDetector::Change;
using State = OutlierDetector::State;

constexpr absl::Duration kBase = absl::Seconds(5);

class OutlierDetectorTest : public testing::Test {
 protected:
  /// The change that the last of `count` failures of "a" brought.
  Change Fail(int count) {
    Change change = Change::kNone;
    for (int i = 0; i < count; ++i) change = detector_.OnFailure("a", true, now_);
    return change;
  }
  void Pass(absl::Duration time) {
    now_ += time;
    detector_.Advance(now_);
  }

  OutlierDetector detector_{
      {.consecutive_failures = 3, .base_ejection = kBase, .max_ejection = 4 * kBase}};
  absl::Duration now_ = absl::Hours(1);
};

TEST_F(OutlierDetectorTest, AFewFailuresDoNotEject) {
  EXPECT_EQ(Fail(2), Change::kNone);
  EXPECT_EQ(detector_.StateOf("a"), State::kHealthy);
  EXPECT_EQ(detector_.NextChange(), absl::InfiniteDuration());
}

TEST_F(OutlierDetectorTest, FailuresInARowEjectThePeerAlone) {
  EXPECT_EQ(Fail(3), Change::kEjected);
  EXPECT_EQ(detector_.StateOf("a"), State::kEjected);
  EXPECT_EQ(detector_.StateOf("b"), State::kHealthy);
  EXPECT_EQ(detector_.NextChange(), now_ + kBase);
}

TEST_F(OutlierDetectorTest, ASuccessEndsTheRow) {
  Fail(2);
  detector_.OnSuccess("a", now_);
  EXPECT_EQ(Fail(2), Change::kNone);
}

TEST_F(OutlierDetectorTest, AProbedPeerThatFailsIsEjectedAtOnceAndForLonger) {
  Fail(3);
  Pass(kBase);
  EXPECT_EQ(detector_.StateOf("a"), State::kProbed);
  EXPECT_EQ(Fail(1), Change::kEjected);
  EXPECT_EQ(detector_.NextChange(), now_ + 2 * kBase);
}

TEST_F(OutlierDetectorTest, TheEjectionGrowsToItsMaximum) {
  Fail(3);
  for (int i = 0; i < 10; ++i) {
    Pass(detector_.NextChange() - now_);
    Fail(1);
  }
  EXPECT_EQ(detector_.NextChange(), now_ + 4 * kBase);
}

TEST_F(OutlierDetectorTest, AProbedPeerThatSucceedsIsHealthy) {
  Fail(3);
  Pass(kBase);
  EXPECT_EQ(detector_.OnSuccess("a", now_), Change::kRestored);
  EXPECT_EQ(detector_.StateOf("a"), State::kHealthy);
  EXPECT_EQ(Fail(2), Change::kNone);
}

TEST_F(OutlierDetectorTest, HealthShortensTheNextEjection) {
  Fail(3);
  Pass(kBase);
  Fail(1);  // the second ejection
  Pass(2 * kBase);
  detector_.OnSuccess("a", now_);
  for (int i = 0; i < 2; ++i) {
    Pass(kBase);
    detector_.OnSuccess("a", now_);
  }
  Fail(3);
  EXPECT_EQ(detector_.NextChange(), now_ + kBase);
}

TEST_F(OutlierDetectorTest, AnswersToEarlierRequestsDoNotProlongAnEjection) {
  Fail(3);
  Pass(kBase / 2);
  EXPECT_EQ(Fail(10), Change::kNone);
  EXPECT_EQ(detector_.OnSuccess("a", now_), Change::kNone);
  EXPECT_EQ(detector_.StateOf("a"), State::kEjected);
  EXPECT_EQ(detector_.NextChange(), now_ + kBase / 2);
}

TEST_F(OutlierDetectorTest, APeerWithoutSubstituteIsEjectedOnceThereIsOne) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(detector_.OnFailure("a", false, now_), Change::kNone);
  EXPECT_EQ(detector_.StateOf("a"), State::kHealthy);
  EXPECT_EQ(Fail(1), Change::kEjected);
}

TEST_F(OutlierDetectorTest, PeersThatAreGoneAreForgotten) {
  Fail(3);
  Pass(kBase);
  Pass(8 * kBase);
  EXPECT_EQ(detector_.StateOf("a"), State::kHealthy);
}

}  // namespace
}  // namespace xebec::rpc
