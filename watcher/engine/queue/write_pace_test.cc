// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/write_pace.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "watcher/engine/testing/plans.h"

namespace xebec::watcher {
namespace {

using testing::ApplyOf;
using testing::DeleteOf;
using testing::MakeOutcome;
using testing::MakePlan;

Outcome Done(const std::string& digest) {
  return MakeOutcome(OutcomeCode::kChanged, Certainty::kDone, digest);
}

/// The waits of reconciles, `pause` apart, the n-th of which wrote writes(n).
template <typename Writes>
std::vector<WritePace::Toll> Tolls(size_t reconciles, absl::Duration pause, Writes writes) {
  WritePace pace;
  std::vector<WritePace::Toll> tolls;
  absl::Duration now = absl::Hours(1);
  for (size_t n = 0; n < reconciles; ++n) {
    tolls.push_back(pace.Pay(writes(n), now));
    now += pause + tolls.back().wait;
  }
  return tolls;
}

absl::Duration Waited(const std::vector<WritePace::Toll>& tolls) {
  absl::Duration sum;
  for (const WritePace::Toll& toll : tolls) sum += toll.wait;
  return sum;
}

int Begun(const std::vector<WritePace::Toll>& tolls) {
  int count = 0;
  for (const WritePace::Toll& toll : tolls) count += toll.begins ? 1 : 0;
  return count;
}

using Writes = std::vector<uint64_t>;

TEST(WritePace, TheSameAgainAndAgainIsHeldToOneASecondAndToldOnce) {
  const auto tolls = Tolls(200, absl::Milliseconds(10), [](size_t) { return Writes{7}; });
  EXPECT_EQ(Waited({tolls.begin(), tolls.begin() + 30}), absl::ZeroDuration());
  EXPECT_GT(Waited(tolls), absl::Seconds(150));
  EXPECT_EQ(Begun(tolls), 1);
}

// Changes of a user do not wait, and each causes a write.
TEST(WritePace, ChangesOfAUserDelayOtherEventsByASecondAtMost) {
  WritePace pace;
  absl::Duration now = absl::Hours(1), longest;
  for (int i = 0; i < 300; ++i) {
    longest = std::max(longest, pace.Pay({7}, now += absl::Milliseconds(200)).wait);
  }
  EXPECT_EQ(longest, absl::Seconds(1));
}

TEST(WritePace, ALongRolloutIsNoFight) {
  const auto tolls = Tolls(1000, absl::Milliseconds(200), [](size_t n) { return Writes{n}; });
  EXPECT_EQ(Waited(tolls), absl::ZeroDuration());
  EXPECT_EQ(Begun(tolls), 0);
}

TEST(WritePace, WhatIsNewEachTimeIsHeldToTenASecond) {
  const auto tolls = Tolls(2000, absl::ZeroDuration(), [](size_t n) { return Writes{n}; });
  EXPECT_NEAR(absl::ToDoubleSeconds(Waited(tolls)), 170, 1);
  EXPECT_EQ(Begun(tolls), 0);
}

TEST(WritePace, SomethingNewAmongTheOldIsProgress) {
  const auto tolls = Tolls(200, absl::Milliseconds(100), [](size_t n) { return Writes{7, n}; });
  EXPECT_EQ(Waited(tolls), absl::ZeroDuration());
}

TEST(WritePace, AFightOverSeveralThingsInTurnIsOne) {
  const auto tolls = Tolls(200, absl::Milliseconds(10), [](size_t n) {
    return Writes{n % 8, 100 + n % 8};
  });
  EXPECT_GT(Waited(tolls), absl::Seconds(150));
}

TEST(WritePace, TimePaysTheDebtAndASecondFightIsToldAgain) {
  WritePace pace;
  int begun = 0;
  absl::Duration now = absl::Hours(1);
  for (int fight = 0; fight < 2; ++fight) {
    for (int n = 0; n < 60; ++n) begun += pace.Pay({7}, now).begins ? 1 : 0;
    now += absl::Hours(1);
  }
  EXPECT_EQ(begun, 2);
}

TEST(WritesOf, OneThingIsKnownByItsObjectAndWhatWasApplied) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Writes first = WritesOf(plan, {Done("v1:1"), Done("")});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(WritesOf(plan, {Done("v1:1"), Done("")}), first);
  EXPECT_NE(WritesOf(plan, {Done("v1:2"), Done("")})[0], first[0]);
  EXPECT_NE(WritesOf(MakePlan({ApplyOf("a"), DeleteOf("b", "other")}), {Done(""), Done("")})[1],
            first[1]);
  EXPECT_TRUE(WritesOf(plan, {MakeOutcome(OutcomeCode::kUnchanged, Certainty::kDone),
                              MakeOutcome(OutcomeCode::kStale, Certainty::kRejected)})
                  .empty());
}

Plan WithStatus(Plan plan, const std::string& time, const std::string& message) {
  StatusIntent status;
  status.object = MakeObjectBytes(R"({"status":{"conditions":[{"lastTransitionTime":")" + time +
                                  R"(","message":")" + message + R"("}]}})");
  plan.status = status;
  return plan;
}

TEST(WritesOf, AStatusAloneIsKnownByItsContentWithoutTimes) {
  const auto of = [](const std::string& time, const std::string& message) {
    return WritesOf(WithStatus(MakePlan({}), time, message), {Done("")});
  };
  EXPECT_EQ(of("2026-01-01T00:00:00Z", "m").size(), 1u);
  EXPECT_EQ(of("2026-01-01T00:00:00Z", "m"), of("2026-01-01T00:00:09Z", "m"));
  EXPECT_NE(of("2026-01-01T00:00:00Z", "m"), of("2026-01-01T00:00:00Z", "n"));
}

TEST(WritesOf, BesideAnotherWriteTheStatusDoesNotCount) {
  const Plan plan = MakePlan({ApplyOf("a")});
  EXPECT_EQ(WritesOf(WithStatus(plan, "t", "m"), {Done("v1:1"), Done("")}),
            WritesOf(plan, {Done("v1:1")}));
}

}  // namespace
}  // namespace xebec::watcher
