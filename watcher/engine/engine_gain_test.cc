// SPDX-License-Identifier: Apache-2.0
// Buckets of watchers that stop: where this watcher gets the objects from.
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/leader_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::IsEmpty;

/// A watcher that holds one of three buckets, beside the watchers b and c.
class GainTest : public LeaderTest {
 protected:
  GainTest() : LeaderTest(/*buckets=*/3, /*widgets=*/12) {
    Others(/*leave=*/false);
    for (int i = 0; i < 4; ++i) {
      Converge();
      h_.Advance(absl::Seconds(1));  // it forgets the objects of other buckets
    }
  }
  void Others(bool leave, const std::string& address_of_c = "c:7442") {
    h_.leases.Renew(7, "b", {.buckets = 3, .address = "b:7442", .leaving = leave, .kept = all_});
    h_.leases.Renew(8, "c",
                    {.buckets = 3, .address = address_of_c, .leaving = leave, .kept = all_});
    h_.Feed(h_.leases.List());
  }
  /// The others die. Carries writes of Leases out until this watcher writes the assignment.
  WriteLease AwaitAssignment() {
    for (int i = 0; i < 1000; ++i) {
      for (const WriteLease& write : h_.Take<WriteLease>()) {
        if (write.lease == kAssignmentLease) return write;
        h_.leases.Write(write);
      }
      h_.Feed(h_.leases.List());
      h_.Advance(absl::Milliseconds(100));
    }
    ADD_FAILURE() << "the buckets of the others remain theirs";
    return {};
  }
  BucketSet Of(const std::string& watcher) { return h_.leases.assignment().Of(watcher); }
  /// Answers the requests for objects. Returns whom they ask, and for which buckets.
  std::set<std::string> Ask() {
    std::set<std::string> asked;
    for (const StartList& request : h_.Take<StartList>()) {
      const auto& buckets = request.projection.keep.buckets;
      asked.insert(absl::StrCat(request.from, " ", buckets ? buckets->ToText() : "all"));
      h_.Feed(ListArrived{request.stream, {{}, h_.cluster.version(), ""}});
    }
    return asked;
  }

  const BucketSet all_ = BucketSet::All(3);
};

TEST_F(GainTest, WatchersThatStopAtTheSameTimeAreAskedOneAfterTheOther) {
  ASSERT_EQ(Of("watcher-a").size(), 1u);
  Others(/*leave=*/true);
  EXPECT_EQ(Ask(), std::set{absl::StrCat("b:7442 ", Of("b").ToText())});
  EXPECT_EQ(Ask(), std::set{absl::StrCat("c:7442 ", Of("c").ToText())});
  EXPECT_THAT(Ask(), IsEmpty());
}

TEST_F(GainTest, EverythingIsListedOnceIfOneOfThemCannotBeAsked) {
  Others(/*leave=*/true, "");
  EXPECT_EQ(Ask(), std::set<std::string>{" all"});
  EXPECT_THAT(Ask(), IsEmpty());
}

// A list that begins earlier may lack what the dead watchers wrote last, and a barrier takes
// seconds.
TEST_F(GainTest, BucketsOfDeadWatchersAreListedOnceTheyAreAssigned) {
  const WriteLease assignment = AwaitAssignment();
  EXPECT_THAT(h_.Take<StartList>(), IsEmpty());
  h_.Feed(h_.leases.Write(assignment));
  EXPECT_EQ(Ask(), std::set<std::string>{" all"});
  EXPECT_THAT(Ask(), IsEmpty());
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(GainTest, BucketsOfDeadWatchersAreListedAlsoIfTheAssignmentIsNotWritten) {
  AwaitAssignment();
  h_.Advance(absl::Milliseconds(300));
  EXPECT_EQ(Ask(), std::set<std::string>{" all"});
}

// The keys of the first list are taken before the other lists of their bucket have arrived.
TEST_F(GainTest, ChangedParentsOfDeadWatchersArePlannedBeforeTheOthers) {
  std::string changed;
  for (int i = 0; i < 12; ++i) {
    const std::string name = absl::StrCat("w", i);
    if (h_.Key(name).uid.empty()) changed = name;
  }
  h_.cluster.SetWidget(changed, 1, 8);
  for (int i = 0; i < 100 && h_.observations.empty(); ++i) {
    h_.Advance(absl::Seconds(1));
    h_.Converge();
  }
  ASSERT_FALSE(h_.observations.empty());
  EXPECT_EQ(h_.observations[0].observation.envelope.parent.ref.name, changed);
}

// The last part of the objects arrives in a Tick, and nothing else may happen for two seconds.
TEST(Gain, TheHolderLearnsAtOnceThatManyObjectsAreKept) {
  Options options;
  options.buckets = 2;
  options.list_page = 20000;
  Harness h(options);
  h.StartAndJoin();
  h.Converge();
  const BucketSet all = BucketSet::All(2);
  const auto other = [&](bool leave) {
    h.leases.Renew(7, "b", {.buckets = 2, .address = "b:7442", .leaving = leave, .kept = all});
    h.Feed(h.leases.List());
    h.Converge();
  };
  other(/*leave=*/false);
  for (int i = 0; i < 10000; ++i) h.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
  h.Deliver();
  h.leases.Renew(7, "b", {.buckets = 2, .address = "b:7442", .leaving = true, .kept = all});
  h.Feed(h.leases.List());
  h.Take<WriteLease>();
  h.Deliver();
  ASSERT_LE(h.engine.NextDeadline(), h.now.monotonic) << "the objects are merged in parts";
  while (h.engine.NextDeadline() <= h.now.monotonic) h.Feed(Tick{});
  const std::vector<WriteLease> writes = h.Take<WriteLease>();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_THAT(writes[0].content, ::testing::HasSubstr(all.ToText()));
}

}  // namespace
}  // namespace xebec::watcher::testing
