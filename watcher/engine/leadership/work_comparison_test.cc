// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/work_comparison.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Options Of(std::vector<std::string> kinds, std::vector<std::string> namespaces = {}) {
  Options options;
  options.allowed_kinds = std::move(kinds);
  options.namespaces = std::move(namespaces);
  return options;
}

TEST(WorkOf, TellsKindsNamespacesAndHooksApartButNoOrder) {
  EXPECT_EQ(WorkOf(Of({"a", "b"})), WorkOf(Of({"b", "a"})));
  EXPECT_NE(WorkOf(Of({"a", "b"})), WorkOf(Of({"a"})));
  EXPECT_NE(WorkOf(Of({"a"})), WorkOf(Of({}, {"a"})));
  Options hooks = Of({"a"});
  hooks.hooks = true;
  EXPECT_NE(WorkOf(hooks), WorkOf(Of({"a"})));
}

TEST(WorkOf, IsToldToTheOthers) {
  Options options = Of({"widgets.example.com"});
  options.buckets = 8;
  Harness h(options);
  h.StartAndJoin();
  h.AnswerLeases();
  Members members(absl::Seconds(15));
  for (const LeaseSeen& each : h.leases.List().leases) {
    if (each.lease != kAssignmentLease) members.Take(each, h.now.monotonic);
  }
  ASSERT_EQ(members.present().size(), 1u);
  EXPECT_EQ(members.present()[0].facts.work, WorkOf(options));
}

TEST(WorkOf, IsUnknownOfOlderVersions) {
  const auto facts = DecodeMember(R"({"buckets":8,"address":"","leaving":false})");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->work, "");
}

/// A watcher beside another one, which renews its Lease.
class WorkComparisonTest : public ::testing::Test {
 protected:
  /// What is said after this time, in which the other watcher tells these facts.
  std::vector<std::string> After(absl::Duration time, const MemberFacts& facts) {
    std::vector<std::string> notes;
    for (; time > absl::ZeroDuration(); time -= absl::Seconds(2)) {
      now_ += absl::Seconds(2);
      members_.Take(leases_.Renew(7, "other", facts), now_);
      Outputs out;
      comparison_.Review(members_, now_, &out);
      for (const Output& each : out) notes.push_back(std::get<Note>(each).what);
    }
    return notes;
  }

  static MemberFacts With(const std::string& work, bool leaving = false) {
    return {.buckets = 8, .address = "", .leaving = leaving, .declared = {}, .work = work};
  }

  FakeLeases leases_;
  Members members_{absl::Seconds(15)};
  WorkComparison comparison_{"own", "me"};
  absl::Duration now_ = absl::Seconds(100);
};

TEST_F(WorkComparisonTest, NotesOnceWhatLastsForAMinute) {
  EXPECT_THAT(After(absl::Seconds(60), With("another")), IsEmpty());
  EXPECT_THAT(After(absl::Minutes(5), With("another")), ElementsAre("Watchers differ"));
  EXPECT_THAT(After(absl::Seconds(2), With("own")), IsEmpty());
  EXPECT_THAT(After(absl::Minutes(5), With("another")), ElementsAre("Watchers differ"));
}

TEST_F(WorkComparisonTest, CountsTheWatchersThatDifferNow) {
  After(absl::Seconds(2), With("another"));
  EXPECT_EQ(comparison_.differing(), 1u);
  After(absl::Seconds(2), With("own"));
  EXPECT_EQ(comparison_.differing(), 0u);
}

TEST_F(WorkComparisonTest, IgnoresWatchersThatAreEqualUnknownOrLeaving) {
  EXPECT_THAT(After(absl::Minutes(2), With("own")), IsEmpty());
  EXPECT_THAT(After(absl::Minutes(2), With("")), IsEmpty()) << "of an older version";
  EXPECT_THAT(After(absl::Minutes(2), With("another", /*leaving=*/true)), IsEmpty());
}

TEST_F(WorkComparisonTest, IgnoresADeadWatcher) {
  EXPECT_THAT(After(absl::Seconds(50), With("another")), IsEmpty());
  Outputs out;
  comparison_.Review(members_, now_ + absl::Seconds(20), &out);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace xebec::watcher::testing
