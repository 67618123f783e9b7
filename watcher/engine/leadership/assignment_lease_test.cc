// SPDX-License-Identifier: Apache-2.0
// What is said about an assignment that a user deletes or edits.
#include "watcher/engine/leadership/assignment_lease.h"

#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AssignmentLeaseTest : public ::testing::Test {
 protected:
  /// What is said about this state of the Lease: "<what>: <detail>".
  std::vector<std::string> Take(const LeaseSeen& seen) {
    Outputs out;
    lease_.Take(seen, &out);
    std::vector<std::string> notes;
    for (const Output& each : out) {
      const Note& note = std::get<Note>(each);
      notes.push_back(note.what + ": " + note.detail);
    }
    return notes;
  }

  FakeLeases leases_;
  AssignmentLease lease_{LeasePolicy()};
};

TEST_F(AssignmentLeaseTest, SaysNothingAboutWhatWatchersDo) {
  EXPECT_THAT(Take({.lease = kAssignmentLease, .resource_version = "1"}), IsEmpty()) << "none yet";
  leases_.AssignText("");
  const LeaseSeen early = leases_.Assign({{{"a", 5, true}, {"b", 5, true}}});
  EXPECT_THAT(Take(early), IsEmpty());
  EXPECT_THAT(Take(leases_.Assign({{{"", 6, true}, {"a", 7, false}}})), IsEmpty());
  EXPECT_THAT(Take(early), IsEmpty()) << "it arrives late";
  EXPECT_THAT(Take(leases_.Assign({{{"a", 8, false}}})), IsEmpty()) << "another number of buckets";
  EXPECT_EQ(lease_.current().count(), 1u);
}

TEST_F(AssignmentLeaseTest, NotesADeletionOnce) {
  Take(leases_.Assign({{{"a", 5, true}}}));
  EXPECT_THAT(Take(leases_.Delete(kAssignmentLease)),
              ElementsAre("Assignment deleted: another client deleted its Lease; it is written "
                          "again"));
  EXPECT_THAT(Take(leases_.Delete(kAssignmentLease)), IsEmpty());
  EXPECT_THAT(Take(leases_.Assign({{{"a", 6, false}}})), IsEmpty());
}

TEST_F(AssignmentLeaseTest, RemembersADeletedAssignmentAndItsVersion) {
  LeaseSeen seen = leases_.Assign({{{"a", 5, true}, {"b", 7, true}}});
  seen.transitions = 41;
  Take(leases_.Set(seen));
  Take(leases_.Delete(kAssignmentLease));
  lease_.OnListed();
  EXPECT_EQ(lease_.current().count(), 0u);
  EXPECT_EQ(lease_.last().buckets[1], (BucketHolder{"b", 7, true}));
  EXPECT_EQ(lease_.knowledge(), (AssignmentKnowledge{41, 7}));
  for (const uint64_t known_to_others : {40, 50}) {
    Outputs out;
    lease_.Write(lease_.last(), "a", known_to_others, absl::ZeroDuration(), &out);
    EXPECT_EQ(std::get<WriteLease>(out.front()).transitions, std::max(42ul, known_to_others + 1));
  }
}

TEST_F(AssignmentLeaseTest, NotesLowerEpochs) {
  Take(leases_.Assign({{{"a", 5, true}, {"b", 6, true}, {"a", 7, true}}}));
  EXPECT_THAT(Take(leases_.Assign({{{"a", 5, true}, {"b", 2, true}, {"a", 7, true}}})),
              ElementsAre("Assignment edited: another client lowered the epoch of bucket 1 from 6 "
                          "to 2; a higher epoch is written before their parents are planned "
                          "again"));
  EXPECT_THAT(Take(leases_.Assign({{{"a", 1, true}, {"b", 1, true}, {"a", 1, true}}})),
              ElementsAre(HasSubstr("bucket 0 from 5 to 1 and of 2 other buckets;")));
}

TEST_F(AssignmentLeaseTest, NotesAnotherHolderInTheSameEpoch) {
  Take(leases_.Assign({{{"a", 5, true}, {"b", 6, true}, {"", 7, true}}}));
  EXPECT_THAT(Take(leases_.Assign({{{"", 5, true}, {"b", 6, true}, {"", 7, true}}})),
              ElementsAre(HasSubstr("of bucket 0 to nobody;")));
  EXPECT_THAT(Take(leases_.Assign({{{"b", 5, true}, {"b", 6, true}, {"", 7, true}}})),
              ElementsAre("Assignment edited: another client changed the holder, but not the "
                          "epoch, of bucket 0 to b; a higher epoch is written before their parents "
                          "are planned again"));
  EXPECT_THAT(Take(leases_.Assign({{{"a", 5, true}, {"b", 6, true}, {"a", 7, true}}})),
              ElementsAre(HasSubstr("of bucket 0 to a and of 1 other buckets;")));
  EXPECT_THAT(Take(leases_.Assign({{{"b", 6, true}, {"", 7, true}, {"b", 8, true}}})), IsEmpty());
}

TEST_F(AssignmentLeaseTest, NotesOnceAWatcherThatIsNoMember) {
  Members members(absl::Seconds(15));
  members.Take(leases_.Renew(1, "b", {.buckets = 2}), absl::ZeroDuration());
  const auto unknown = [&] {
    Outputs out;
    lease_.NoteUnknown(members, &out);
    std::vector<std::string> notes;
    for (const Output& each : out) notes.push_back(std::get<Note>(each).detail);
    return notes;
  };
  Take(leases_.Assign({{{"dead", 5, true}, {"dead", 5, true}}}));
  EXPECT_THAT(unknown(), IsEmpty()) << "it was there before";
  Take(leases_.Assign({{{"dead", 5, true}, {"b", 6, true}}}));
  EXPECT_THAT(unknown(), IsEmpty()) << "the holder before, and a member";
  Take(leases_.Assign({{{"nobody", 6, true}, {"b", 6, true}}}));
  EXPECT_THAT(unknown(), ElementsAre("the assignment names nobody, which has no member Lease; its "
                                     "buckets are given to other watchers"));
  EXPECT_THAT(unknown(), IsEmpty());
}

TEST_F(AssignmentLeaseTest, NotesWhatItCannotRead) {
  Take(leases_.Assign({{{"a", 5, true}}}));
  EXPECT_THAT(Take(leases_.AssignText("{")), ElementsAre(HasSubstr("Assignment unreadable: ")));
  EXPECT_EQ(lease_.current().count(), 0u);
  EXPECT_THAT(Take(leases_.AssignText("")),
              ElementsAre("Assignment unreadable: the annotation xebec.dev/assignment is gone; it "
                          "is written again"));
}

}  // namespace
}  // namespace xebec::watcher::testing
